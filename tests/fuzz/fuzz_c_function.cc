// Fuzzes the drafting of tasks from C functions: every draft can be loaded.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lex/lexer.h"
#include "task/c/function.h"
#include "task/draft.h"
#include "task/load.h"
#include "task/plain/plain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto draft = kw::task::draft_from_source(source, "f.c", "", "");
  if (draft) KW_ASSERT(kw::task::parse_task({"draft", draft->files}).has_value());
  // Each function of the file is made plain, also where no task could be drafted from it.
  const auto tokens = kw::lex::tokenize(source);
  for (const auto& function : kw::task::find_functions(tokens))
    (void)kw::task::plain_source(source, "f.c", function.name);
  return 0;
}
