// Hashes of the files, a fact of the store for each target.
// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_files.h"

#include "base/hash.h"

namespace kw::cli {
namespace {

constexpr const char* kFact = "graph files";

Result<std::string> hashes(const store::RunStore& store, Target target) {
  return KW_TRY(store.recall(kFact, std::string(name_of(target)))).value_or("");
}

}  // namespace

Result<bool> is_taken(const store::RunStore& store, Target target, const std::string& text) {
  return KW_TRY(hashes(store, target)).find(sha256(text).hex()) != std::string::npos;
}

Result<> note_taken(store::RunStore& store, Target target, const std::string& text) {
  if (KW_TRY(is_taken(store, target, text))) return {};
  return store.remember(kFact, std::string(name_of(target)),
                        KW_TRY(hashes(store, target)) + sha256(text).hex() + "\n");
}

Result<> forget_taken(store::RunStore& store, Target target) {
  return store.remember(kFact, std::string(name_of(target)), "");
}

}  // namespace kw::cli
