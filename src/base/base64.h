// Base64 of RFC 4648, for bytes inside JSON and HTML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw {

/// Encodes with padding and without line breaks.
std::string base64(std::span<const std::uint8_t> bytes);
std::string base64(std::string_view bytes);

/// Decodes. Error: a foreign character, or a length that no encoder gives.
Result<std::string> from_base64(std::string_view text);

}  // namespace kw
