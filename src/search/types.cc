// Asks as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "search/types.h"

#include "record/codec_impl.h"

namespace kw::search {

std::string encode_ask(const Ask& ask) { return codec::write(ask).dump(); }

Result<Ask> decode_ask(std::string_view json) {
  const auto parsed = codec::Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return fail("an ask is not valid JSON");
  Ask ask;
  KW_TRY(codec::read(parsed, ask, "ask"));
  return ask;
}

}  // namespace kw::search
