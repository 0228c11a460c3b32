// What prompts say about each target beyond the facts of its row in record/target.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/target.h"
#include "record/task.h"

namespace kw::propose {

struct TargetWords {
  /// A sentence on the libraries that a kernel may use. `has_headers`: headers that dialects of the
  /// target need are installed.
  std::string (*libraries)(const Restrictions& restrictions, bool has_headers);
  /// Sentences on limits of a thread's registers and memory.
  std::vector<std::string> (*limits)(const Restrictions& restrictions);
  /// The options of the compiler that a kernel may ask for.
  std::string (*options)(bool has_fast_math);
};
ByTarget<TargetWords>& target_words();

}  // namespace kw::propose
