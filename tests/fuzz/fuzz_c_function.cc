// Fuzzes the drafting of tasks from C functions: every draft can be loaded.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/draft.h"
#include "task/load.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto draft = kw::task::draft_from_source(source, "f.c", "", "");
  if (draft) KW_ASSERT(kw::task::parse_task({"draft", draft->files}).has_value());
  return 0;
}
