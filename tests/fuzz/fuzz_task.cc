// Fuzzes task folders: any task.yaml and shapes.yaml give a definition or error messages with
// places, never a crash or a hang.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "task/load.h"

// In the input, the first byte 0xFF, which is not valid in UTF-8, separates task.yaml from
// shapes.yaml.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find('\xFF');
  kw::task::TaskFiles files{.origin = "fuzz", .texts = {}};
  files.texts["task.yaml"] = text.substr(0, cut);
  files.texts["shapes.yaml"] = cut == text.npos ? std::string_view() : text.substr(cut + 1);
  files.texts["reference.cpp"] = "template <class Real> void reference() {}\n";
  const auto definition = kw::task::parse_task(files);
  if (!definition && definition.error().what.empty()) __builtin_trap();
  return 0;
}
