// Encodes and decodes Base64.
// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

namespace kw {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string base64(std::string_view bytes) {
  return base64(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0)
    return fail(ErrorCode::Malformed, About{"length"},
                "the base64 text is damaged: its length is not a multiple of four characters");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool is_last = i + 4 == text.size();
    std::uint32_t three = 0;
    std::size_t padding = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const std::size_t digit = kDigits.find(c);
      if (is_last && c == '=' && k >= 2 && (k == 3 || text[i + 3] == '='))
        ++padding;
      else if (digit == std::string_view::npos)
        return fail(ErrorCode::Malformed, About{"character"},
                    "the base64 text is damaged: it holds a character that is not a base64 digit");
      three = three << 6 | (c == '=' ? 0U : static_cast<std::uint32_t>(digit));
    }
    for (std::size_t k = 0; k + padding < 3; ++k)
      bytes += static_cast<char>(three >> (16 - 8 * k) & 255U);
  }
  return bytes;
}

}  // namespace kw
