// SHA-256 (through OpenSSL): names of artifacts, cache keys, derived seeds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

struct evp_md_ctx_st;

namespace kw {

/// A SHA-256 digest, as a type that cannot be confused with other strings.
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  std::string hex() const;  ///< 64 lower-case digits
  static Result<Sha256> from_hex(std::string_view hex);
  auto operator<=>(const Sha256&) const = default;
};

/// Digest of text that comes in pieces.
class Sha256Stream {
 public:
  Sha256Stream();
  Sha256Stream& update(std::span<const std::byte> bytes);
  Sha256Stream& update(std::string_view text);
  /// Adds the length and then the text, so that ("ab", "c") and ("a", "bc") differ: for keys made
  /// of several parts.
  Sha256Stream& update_part(std::string_view text);
  /// Ends the stream, which can only be destroyed afterwards.
  Sha256 finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Sha256 sha256(std::string_view text);

}  // namespace kw
