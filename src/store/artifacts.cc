// Stores artifacts in compressed files, and reads them.
// SPDX-License-Identifier: Apache-2.0
#include "store/artifacts.h"

#include <zstd.h>

#include <memory>

namespace kw::store {

std::string compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  KW_ASSERT(ZSTD_isError(n) == 0);  // with a buffer of this bound, only lack of memory could fail
  out.resize(n);
  return out;
}

Result<std::string> decompress(std::string_view bytes, std::size_t cap) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > cap)
    return fail(ErrorCode::Malformed, About{"compressed data"},
                "a stored file is damaged: its compressed data cannot be read");
  // The context is kept per thread, since making one takes longer than unpacking a small text.
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  &ZSTD_freeDCtx);
  KW_ASSERT(context != nullptr);
  std::string out(static_cast<std::size_t>(size), '\0');
  const std::size_t n =
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(n) != 0 || n != out.size())
    return fail(ErrorCode::Malformed, About{"compressed data"},
                "a stored file is damaged: its compressed data cannot be read");
  return out;
}

Artifacts::Artifacts(platform::Disk& disk, platform::Path folder)
    : disk_(disk), folder_(std::move(folder)) {}

platform::Path Artifacts::path_of(const Sha256& name) const {
  const std::string hex = name.hex();
  return folder_ / hex.substr(0, 2) / (hex.substr(2) + ".zst");
}

Result<Sha256> Artifacts::put(std::string_view bytes) {
  const Sha256 name = sha256(bytes);
  const platform::Path path = path_of(name);
  if (KW_TRY(disk_.exists(path))) return name;
  KW_TRY(disk_.make_dirs(path.parent_path()));
  KW_TRY(disk_.write(path, compress(bytes)));
  return name;
}

Result<std::string> Artifacts::get(const Sha256& name) const {
  const platform::Path path = path_of(name);
  auto bytes = decompress(KW_TRY(disk_.read(path)));
  if (!bytes || sha256(*bytes) != name)
    return fail(
        ErrorCode::Malformed, About{name.hex()},
        "a stored source or object is damaged: its hash is not its file's name; restore the file, "
        "or remove it",
        path.string());
  return bytes;
}

}  // namespace kw::store
