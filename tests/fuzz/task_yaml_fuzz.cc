// Fuzzes the task loader: the text up to a line "%%%" is task.yaml, the rest is shapes.yaml.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/load.h"
#include "task/resolve.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto border = text.find("%%%\n");
  const auto shapes = border == std::string_view::npos ? "" : text.substr(border + 4);
  kw::task::TaskFiles files;
  files.origin = "task";
  files.texts["task.yaml"] = text.substr(0, border);
  files.texts["shapes.yaml"] = shapes;
  files.texts["reference.cpp"] = "template <class Real> void reference() {} void magnitude() {}";
  const auto definition = kw::task::parse_task(files);
  if (!definition) {
    KW_ASSERT(!kw::describe(definition.error()).empty());
    return 0;
  }
  // What loads, resolves.
  KW_ASSERT(kw::task::resolve(*definition, kw::Target::Cpu, INT64_MAX).has_value());
  return 0;
}
