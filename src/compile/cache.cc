// The build cache in a folder.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cache.h"

#include <nlohmann/json.hpp>

#include "compile/build.h"
#include "record/codec_impl.h"
#include "record/target.h"

namespace kw::compile {

using platform::Path;

Sha256 cache_key(const BuildUnit& unit, const std::string& identity,
                 std::string_view defences_off) {
  Sha256Stream stream;
  stream.update_part("kernelwright build 2").update_part(identity).update_part(defences_off);
  stream.update_part(unit.main_file);
  const auto add_all = [&](const std::vector<std::string>& parts) {
    stream.update_part(std::to_string(parts.size()));
    for (const std::string& part : parts) stream.update_part(part);
  };
  add_all(unit.defines);
  add_all(unit.options);
  add_all(unit.libraries);
  if (row_of(unit.target).needs_arch) {
    stream.update_part(unit.arch).update_part(unit.dialect);
    add_all(unit.kernels);
  }
  for (const SourceFile& file : unit.files) stream.update_part(file.name).update_part(file.text);
  return stream.finish();
}

Result<DirectoryCache> DirectoryCache::open(Path root) {
  root = std::filesystem::absolute(root);
  for (const char* folder : {"entries", "objects", "locks"})
    KW_TRY(platform::make_dirs(root / folder));
  return DirectoryCache(std::move(root));
}

Path DirectoryCache::entry_path(const Sha256& key) const {
  return root_ / "entries" / (key.hex() + ".json");
}

Result<std::optional<CompileResult>> DirectoryCache::lookup(const Sha256& key) {
  const Path path = entry_path(key);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const auto forget = [&]() -> Result<std::optional<CompileResult>> {
    KW_TRY(platform::remove_tree(path));
    return std::nullopt;
  };
  const Result<std::string> text = platform::read_file(path);
  if (!text) return forget();
  Result<CompileResult> result = decode<CompileResult>(*text);
  if (!result || result->ok() != (result->object.size() == 1)) return forget();
  if (result->ok()) {
    BuiltObject& object = result->object.front();
    // The digest comes from a file that may be damaged, and only a valid digest may become part of
    // a path.
    if (!Sha256::from_hex(object.sha256)) return forget();
    const Path kept = object_path(objects(), object);
    const Result<std::string> bytes = platform::read_file(kept);
    if (!bytes || sha256(*bytes).hex() != object.sha256) {
      KW_TRY(platform::remove_tree(kept));
      return forget();
    }
    object.path = kept.string();
  }
  result->elapsed_ns = 0;
  return std::move(*result);
}

Result<> DirectoryCache::insert(const Sha256& key, const CompileResult& result) {
  CompileResult entry = result;
  for (BuiltObject& object : entry.object) {
    const Path kept = object_path(objects(), object);
    if (Path(object.path) != kept) {
      const std::string bytes = KW_TRY(platform::read_file(object.path));
      KW_TRY(platform::write_file_atomic(kept, bytes, /*durable=*/false));
    }
    object.path.clear();  // The path is left out, since the folder may move.
  }
  return platform::write_file_atomic(entry_path(key), encode(entry), /*durable=*/false);
}

Result<platform::FileLock> DirectoryCache::lock(const Sha256& key) {
  // 256 lock files serve all keys: they are never removed, and a rare wait for another key costs
  // one compile.
  return platform::FileLock::acquire(root_ / "locks" / key.hex().substr(0, 2), "building",
                                     platform::kForever);
}

Result<CompileResult> CachedCompiler::build(const BuildUnit& unit) {
  const Sha256 key = cache_key(unit, inner_.identity());
  if (auto found = KW_TRY(cache_.lookup(key))) return std::move(*found);
  const platform::FileLock lock = KW_TRY(cache_.lock(key));
  if (auto found = KW_TRY(cache_.lookup(key))) return std::move(*found);
  CompileResult result = KW_TRY(inner_.build(unit));
  if (result.is_repeatable) KW_TRY(cache_.insert(key, result));
  return result;
}

}  // namespace kw::compile

KW_INSTANTIATE_CODEC(kw::compile::CompileResult);
