// The build cache: results by the hash of all that decides them, failures included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/defence.h"
#include "base/hash.h"
#include "compile/compiler.h"
#include "platform/files.h"
#include "platform/locks.h"

namespace kw::compile {

/// Key of a unit under a compiler: sources, defines, options, libraries, identity; on cuda also
/// architecture, dialect and the kernels that plans launch; not the role, so that one source built
/// for two roles is built once. What a positive control builds without a defence is found by no
/// one who has it, nor the other way round.
Sha256 cache_key(const BuildUnit& unit, const std::string& identity,
                 std::string_view defences_off = defences_variable());

/// Where results are kept. Safe to call from several threads and processes.
class ObjectCache {
 public:
  virtual ~ObjectCache() = default;
  /// What was inserted, if every byte of it is still there; a damaged entry is removed and missing.
  virtual Result<std::optional<CompileResult>> lookup(const Sha256& key) = 0;
  virtual Result<> insert(const Sha256& key, const CompileResult& result) = 0;
  /// Held while a key is being built, so that it is built once; waits for other holders.
  virtual Result<platform::FileLock> lock(const Sha256& key) = 0;
};

/// `root/entries/<key>.json` and `root/objects/<sha256>.so` or `.cubin`, each replaced by atomic
/// rename.
class DirectoryCache final : public ObjectCache {
 public:
  static Result<DirectoryCache> open(platform::Path root);
  Result<std::optional<CompileResult>> lookup(const Sha256& key) override;
  Result<> insert(const Sha256& key, const CompileResult& result) override;
  Result<platform::FileLock> lock(const Sha256& key) override;
  /// Give it to CpuCompilerSettings::objects, and nothing is copied.
  platform::Path objects() const { return root_ / "objects"; }

 private:
  explicit DirectoryCache(platform::Path root) : root_(std::move(root)) {}
  platform::Path entry_path(const Sha256& key) const;
  platform::Path root_;
};

/// A compiler that asks the cache first. Results that may end otherwise another time (wall-clock
/// limit) are not kept. Both arguments are borrowed and must outlive it.
class CachedCompiler final : public Compiler {
 public:
  CachedCompiler(Compiler& inner, ObjectCache& cache) : inner_(inner), cache_(cache) {}
  Result<CompileResult> build(const BuildUnit& unit) override;
  const std::string& identity() const override { return inner_.identity(); }

 private:
  Compiler& inner_;
  ObjectCache& cache_;
};

}  // namespace kw::compile
