// Reads the files `faults` and `lost` in the folder of the stand-in library.
// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace kw_emulated {
namespace {

/// The folder of the shared library that contains this code.
const std::string& folder() {
  static const std::string found = [] {
    Dl_info about{};
    const bool is_known = ::dladdr(reinterpret_cast<const void*>(&faults), &about) != 0;
    const std::string path = is_known && about.dli_fname != nullptr ? about.dli_fname : "";
    return path.substr(0, path.find_last_of('/') + 1);
  }();
  return found;
}

Faults read() {
  Faults f;
  std::ifstream file(folder() + "faults");
  std::string word, value;
  while (file >> word && std::getline(file >> std::ws, value)) {
    const auto number = std::strtoull(value.c_str(), nullptr, 10);
    if (word == "devices") f.devices = static_cast<int>(number);
    if (word == "driver") f.driver = static_cast<int>(number);
    if (word == "capability") f.capability = static_cast<int>(number);
    if (word == "name") f.name = value;
    if (word == "memory") f.memory = number;
    if (word == "free") f.free = number;
    if (word == "most") f.most = number;
    if (word == "slowdown" && number > 0) f.slowdown = static_cast<unsigned>(number);
    if (word == "processes") f.processes = value;
  }
  return f;
}

}  // namespace

const Faults& faults() {
  static const Faults known = read();
  return known;
}

int loss() {
  static const std::string path = folder() + "lost";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[16] = {};
  const auto bytes = ::read(file, text, sizeof text - 1);
  ::close(file);
  return bytes > 0 ? std::atoi(text) : 0;
}

}  // namespace kw_emulated
