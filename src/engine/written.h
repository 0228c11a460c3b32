// Sources that were written during a run: the ideas that they became, and what was judged of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "search/types.h"
#include "task/header.h"

namespace kw::engine {

/// Sets everything that the source itself says (knobs at their first point, options, libraries,
/// techniques, hash). Diagnostics if its `// kw:` lines cannot be read or allow no combination.
std::expected<Candidate, task::Diagnostics> read_written(Candidate candidate);

/// The tuning space of a header; `fits` rules out more of its points.
search::KnobSpace space_of(const task::CandidateHeader& header, search::Validity fits = {});

/// The ideas that written sources became; their numbers continue those of a workbench's ideas.
class WrittenIdeas {
 public:
  /// `fits`: see Workbench::fits(); empty: every source fits.
  using Fits = std::function<search::Validity(const Candidate&)>;
  explicit WrittenIdeas(std::size_t first, Fits fits = {})
      : first_(static_cast<int>(first)), fits_(std::move(fits)) {}

  bool has(int idea) const { return idea >= first_; }
  /// Adds a source as an idea and returns the idea's index, which is the old one if the source was
  /// added before; nothing if the source is empty or its header cannot be read.
  std::optional<int> add(const Candidate& candidate);
  search::Idea idea(int index) const;
  Result<Candidate> candidate(int index, const KnobPoint& knobs) const;

 private:
  struct Source {
    Candidate candidate;
    task::CandidateHeader header;
  };
  const Source& at(int index) const {
    return sources_.at(static_cast<std::size_t>(index - first_));
  }

  const int first_;
  Fits fits_;
  std::vector<Source> sources_;
  std::map<std::string, int> by_sha256_;
};

/// Which attempt judged what, so that nothing is paid for twice. Verdicts that may depend on the
/// moment (unmeasurable, unsupported) and measurements with few samples are not remembered.
class Judged {
 public:
  void remember(const Attempt& attempt, double fidelity);
  /// The attempt that judged this source at these knobs, or this object; 0: none did.
  int source(const Candidate& candidate) const;
  int object(const std::string& sha256) const;
  std::vector<std::string> objects() const;

 private:
  std::map<std::string, int> by_source_;
  std::map<std::string, int> by_object_;
};

/// Makes `attempt` a repetition of `original`: with its verdict and findings, no measurement of its
/// own, and words that say so. `what` is "source" or "compiled code".
void recall(const Attempt& original, const std::string& what, Attempt& attempt);

}  // namespace kw::engine
