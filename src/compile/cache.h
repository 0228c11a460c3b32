// The build cache: results, failures included, by the hash of everything that decides them.
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

/// The key under which the build of a unit by a compiler is stored. The key covers sources,
/// defines, options, libraries and the compiler's identity, and for cuda also the architecture, the
/// dialect and the kernels that plans launch. It leaves out the unit's role, so that one source in
/// two roles is built once. It covers the defences that are off, so that objects of positive
/// controls are never used elsewhere.
Sha256 cache_key(const BuildUnit& unit, const std::string& identity,
                 std::string_view defences_off = defences_variable());

/// Stores results of builds. Safe to call from several threads and processes.
class ObjectCache {
 public:
  virtual ~ObjectCache() = default;
  /// The stored result, if every byte of its object is intact; a damaged entry is removed and
  /// counts as missing.
  virtual Result<std::optional<CompileResult>> lookup(const Sha256& key) = 0;
  virtual Result<> insert(const Sha256& key, const CompileResult& result) = 0;
  /// A lock to hold while building the unit of a key, so that only one caller builds it; waits
  /// until no other caller holds the lock.
  virtual Result<platform::FileLock> lock(const Sha256& key) = 0;
};

/// A cache in a folder: `root/entries/<key>.json` and `root/objects/<sha256>.so` or `.cubin`, each
/// replaced by an atomic rename.
class DirectoryCache final : public ObjectCache {
 public:
  static Result<DirectoryCache> open(platform::Path root);
  Result<std::optional<CompileResult>> lookup(const Sha256& key) override;
  Result<> insert(const Sha256& key, const CompileResult& result) override;
  Result<platform::FileLock> lock(const Sha256& key) override;
  /// The folder of objects. A compiler whose CpuCompilerSettings::objects is this folder needs no
  /// copy of its objects in the cache.
  platform::Path objects() const { return root_ / "objects"; }

 private:
  explicit DirectoryCache(platform::Path root) : root_(std::move(root)) {}
  platform::Path entry_path(const Sha256& key) const;
  platform::Path root_;
};

/// A compiler that asks the cache first. A result that another run might not repeat, such as a
/// build that exceeded its wall-clock limit, is not stored. Both arguments are borrowed and must
/// outlive the object.
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
