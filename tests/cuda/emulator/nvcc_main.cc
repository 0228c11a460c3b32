// A replacement of nvcc: writes the real compiler's cubin, followed by the same source compiled for
// the host.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime.h"
#include "translate.h"

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : std::string();
}

int run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Request {
  fs::path source, out;
  std::vector<std::string> for_host;  // defines and include folders
};

Request request_of(const std::vector<std::string>& words) {
  Request r;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "-o" && i + 1 < words.size()) {
      r.out = words[++i];
    } else if ((w == "-I" || w == "-D" || w == "-include") && i + 1 < words.size()) {
      r.for_host.push_back(w);
      r.for_host.push_back(words[++i]);
    } else if (w.rfind("-I", 0) == 0 || w.rfind("-D", 0) == 0) {
      r.for_host.push_back(w);
    } else if (w.size() > 3 && w.compare(w.size() - 3, 3, ".cu") == 0) {
      r.source = w;
    }
  }
  return r;
}

// Names of the kernels with C linkage in a cubin; each kernel has a section of code.
std::vector<std::string> kernels_of(const std::string& cubin) {
  std::vector<std::string> names;
  const auto* image = reinterpret_cast<const unsigned char*>(cubin.data());
  const std::size_t end = kw_emulated::elf_bytes(image);
  if (end == 0 || end > cubin.size()) return names;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  const char* strings = cubin.data() + sections[header->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const std::string name = strings + sections[i].sh_name;
    if (name.rfind(".text.", 0) == 0 && name.rfind(".text._Z", 0) != 0)
      names.push_back(name.substr(6));
  }
  return names;
}

// Prints a version that covers this program and its headers: the code behind a cubin depends on
// both, so caches must notice a change.
void print_version() {
  std::string all = read_file("/proc/self/exe");
  for (const char* header : {"device.h", "matrix.h", "runtime.h"})
    all += read_file(fs::path(KW_EMULATOR) / header);
  std::error_code none;
  const auto real = fs::file_size(KW_REAL_NVCC, none);
  std::printf("stand-in for nvcc, release %zx of %zx\n", std::hash<std::string>()(all),
              static_cast<std::size_t>(real));
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  for (const std::string& word : words)
    if (word == "--shared") {
      std::fputs(
          "error: the stand-in for a GPU has no CUDA runtime, so no host launcher runs on it\n",
          stderr);
      return 1;
    }
  std::vector<std::string> real{KW_REAL_NVCC};
  real.insert(real.end(), words.begin(), words.end());
  if (const int status = run(real); status != 0) return status;
  const Request r = request_of(words);
  if (r.out.empty() || r.source.empty()) {
    if (words.size() == 1 && words[0] == "--version") print_version();
    return 0;
  }

  std::string cubin = read_file(r.out);
  const fs::path folder = r.out.parent_path().empty() ? "." : r.out.parent_path();
  const fs::path text = folder / "emulated.cc", object = folder / "emulated.so";
  const auto beside = [&](const std::string& path) {  // files of a unit lie in the source's folder
    const std::string name = fs::path(path).filename();
    for (std::size_t i = 0; i + 1 < r.for_host.size(); ++i)
      if (r.for_host[i] == "-I")
        if (auto found = read_file(fs::path(r.for_host[i + 1]) / name); !found.empty())
          return found;
    return read_file(r.source.parent_path() / name);
  };
  std::ofstream(text) << kw_emulated::translate(read_file(r.source), kernels_of(cubin), beside);
  std::vector<std::string> host{"g++",
                                "-x",
                                "c++",
                                "-std=c++20",
                                "-O1",
                                "-w",
                                "-fPIC",
                                "-shared",
                                "-fpermissive",
                                "-ffp-contract=off",
                                "-fno-strict-aliasing",
                                "-fno-gnu-unique",
                                "-nodefaultlibs",
                                "-I",
                                KW_EMULATOR,
                                "-I",
                                KW_CUDA_INCLUDE,
                                "-include",
                                "device.h"};
  host.insert(host.end(), r.for_host.begin(), r.for_host.end());
  for (const char* word : {"-o", object.c_str(), text.c_str(), "-lm", "-lc", "-lgcc"})
    host.emplace_back(word);
  if (const int status = run(host); status != 0) return status;

  const std::string code = read_file(object);
  const std::size_t end =
      kw_emulated::elf_bytes(reinterpret_cast<const unsigned char*>(cubin.data()));
  if (end == 0 || end > cubin.size()) {
    std::fprintf(stderr, "emulated nvcc: no cubin at %s\n", r.out.c_str());
    return 1;
  }
  cubin.resize(end);
  kw_emulated::Trailer trailer;
  trailer.object_bytes = code.size();
  std::ofstream out(r.out, std::ios::binary | std::ios::trunc);
  out << cubin;
  out.write(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  out << code;
  fs::remove(text);
  fs::remove(object);
  return out ? 0 : 1;
}
