// Fuzzes the drafting of plans from host code: a draft without missing parts is a valid candidate,
// and a function that is drafted as C has no word of CUDA.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "import/kernel_function.h"
#include "import/plan_draft.h"
#include "task/header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto draft = kw::import::draft_plan(source, "f.cu", nullptr);
  KW_ASSERT(draft.is_complete() != draft.source.empty());
  if (draft.is_complete())
    KW_ASSERT(kw::task::parse_header(draft.source, "f.cu", kw::Target::Cuda).has_value());
  kw::import::is_host_launched(source);
  const auto plain = kw::import::plain_function(source, "f.cu", {});
  KW_ASSERT(!plain || !plain->empty());
  return 0;
}
