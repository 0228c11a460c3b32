// Facts: what runs and judges remember about a machine or a task, by kind and key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/database.h"

namespace kw::store {

class Facts {
 public:
  /// `db` must outlive the object.
  explicit Facts(Database& db) : db_(db) {}

  /// Remembers a fact, such as device facts or baseline standings; the caller chooses kind and key.
  Result<> remember(const std::string& kind, const std::string& key, const std::string& body);
  Result<std::optional<std::string>> recall(const std::string& kind, const std::string& key) const;
  /// Replaces a fact by what `revise` makes of it (it gets nothing if there is none yet), in one
  /// transaction that excludes other writers; an error of `revise` changes nothing. `revise` must
  /// not use the store.
  Result<> revise(
      const std::string& kind, const std::string& key,
      const std::function<Result<std::string>(const std::optional<std::string>&)>& revise);

 private:
  Database& db_;
};

}  // namespace kw::store
