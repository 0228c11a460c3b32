// Encodes asks as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "search/types.h"

#include "record/codec_impl.h"

namespace kw::search {

std::string encode_ask(const Ask& ask) {
  auto json = codec::write(ask);
  // Fields are written only where they mean something, so that runs recorded before there were
  // writers keep their bytes.
  if (ask.role == Role::Write) json["errand"] = name_of(ask.errand);
  if (ask.manner != Manner{}) json["manner"] = codec::write(ask.manner);
  return json.dump();
}

}  // namespace kw::search
