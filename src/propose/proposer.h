// Proposer: a model or a person that writes a candidate when the strategy asks for one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/advice.h"
#include "propose/history.h"
#include "record/attempt.h"
#include "record/proposal.h"
#include "task/definition.h"

namespace kw::propose {

/// Verified code that a prompt shows as an example, with the performance that it reached.
struct Example {
  std::string title;  ///< Such as "playbook/softmax_padded/20_staged: 3.1x, two cores".
  std::string source;
};

/// All that a proposer may know. Equal situations give equal prompts: the time of day is not in a
/// situation, nor are check shapes, seeds and hidden values.
struct Situation {
  int number = 0;  ///< Number of the attempt to be written.
  int writer = 0;  ///< Number of the chosen model, from 1; 0: models take turns.
  Errand errand = Errand::Write;
  const task::Definition* task = nullptr;
  Target target = kDefaultTarget;
  const DeviceFacts* device = nullptr;  ///< The device of the target; null: unknown.
  /// How much of the run's results may be told; limit() applies it.
  FeedbackLevel feedback = FeedbackLevel::Profile;
  bool has_shape_builds = false;          ///< Whether a winner is built for each timed shape.
  bool has_dialect_headers = false;       ///< Whether dialects with headers can be used.
  std::vector<std::string> size_classes;  ///< Descriptions of the timed workloads' sizes.
  std::vector<std::string> gpus;          ///< GPUs that the device may be, if it is not present.
  Goals goals;
  std::string baseline;    ///< Name of the baseline to beat.
  double baseline_ns = 0;  ///< Mean time of the baseline over the timed workloads.
  /// The baselines whose fastest will be the opponent, if none has been timed.
  std::vector<std::string> rivals;
  const Attempt* parent = nullptr;       ///< The attempt to repair or improve; null for Write.
  const Attempt* grandparent = nullptr;  ///< The attempt that the parent was made from.
  const Attempt* best = nullptr;         ///< The fastest correct attempt, with source; null: none.
  const History* history = nullptr;      ///< All attempts so far; null: none may be shown.
  std::vector<Example> examples;         ///< Most relevant first.
  std::string reading;                   ///< A judge model's advice about the parent.
  const Manner* manner = nullptr;        ///< How the method asks; null: in the usual way.
  const View* view = nullptr;            ///< What the model may see; null: everything.
  std::vector<const Attempt*> shown;     ///< Attempts whose sources the view shows.
  std::vector<Reading> counsel;          ///< Advice that other roles gave, in order.
  const Candidate* written = nullptr;    ///< The new candidate that a critic is to review.
  std::vector<std::string> cautions;     ///< What failed before on similar tasks.
  std::vector<std::string> task_instructions;  ///< What kernels for this task have missed.
  std::vector<std::string> insights;           ///< What was tried before, its effect, and why.
  std::vector<memory::Remembered> remembered;  ///< Experience and cards, with reasons.
  std::vector<std::string> instructions;       ///< Constraints, hints and a person's orders.
};

/// The scope of the exchange that writes an attempt, such as "attempt 12".
std::string scope_of_attempt(int number);
/// Index of the writing model that is asked first for a situation, of `models`; the others follow
/// in order.
std::size_t first_writer(const Situation& situation, std::size_t models);
/// The attempt that an exchange of this scope was for; 0: the exchange was for something else.
int attempt_of_scope(std::string_view scope);

class Proposer {
 public:
  virtual ~Proposer() = default;
  /// Writes one candidate. A reply that cannot be used (refusal, no code, an edit that does not
  /// apply) gives a Proposal without candidate. An error comes from the environment (network,
  /// budget) and says whether to retry, give up or stop.
  virtual Result<Proposal> propose(const Situation& situation) = 0;
};

}  // namespace kw::propose
