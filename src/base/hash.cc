// Computes SHA-256 through OpenSSL's EVP interface.
// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <charconv>

namespace kw {

std::string Sha256::hex() const {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const auto byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

Result<Sha256> Sha256::from_hex(std::string_view hex) {
  Sha256 digest;
  if (hex.size() != 2 * digest.bytes.size())
    return fail(ErrorCode::Malformed,
                "this is not a SHA-256 hash, which has 64 hexadecimal digits");
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const auto* pair = hex.data() + 2 * i;
    const auto [end, code] = std::from_chars(pair, pair + 2, digest.bytes[i], 16);
    if (code != std::errc() || end != pair + 2)
      return fail(ErrorCode::Malformed,
                  "this is not a SHA-256 hash, which has 64 hexadecimal digits");
  }
  return digest;
}

void Sha256Stream::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  KW_ASSERT(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

Sha256Stream& Sha256Stream::update(std::span<const std::byte> bytes) {
  KW_ASSERT(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  return *this;
}

Sha256Stream& Sha256Stream::update(std::string_view text) {
  return update(std::as_bytes(std::span(text.data(), text.size())));
}

Sha256Stream& Sha256Stream::update_part(std::string_view text) {
  return update(fmt::format("{}:", text.size())).update(text);
}

Sha256 Sha256Stream::finish() {
  Sha256 digest;
  KW_ASSERT(EVP_DigestFinal_ex(context_.get(), digest.bytes.data(), nullptr) == 1);
  return digest;
}

Sha256 sha256(std::string_view text) { return Sha256Stream().update(text).finish(); }

}  // namespace kw
