// Reads texts that people write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/byte_order_mark.h"
#include "platform/files.h"

namespace kw::platform {

/// read_file(), without the byte-order mark that an editor may have put in front.
inline Result<std::string> read_text(const Path& path, std::size_t cap = kReadCap) {
  std::string text = KW_TRY(read_file(path, cap));
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace kw::platform
