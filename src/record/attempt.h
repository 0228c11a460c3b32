// One proposal of a run with all that became of it, and the run itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"
#include "record/evaluation.h"
#include "record/exchange.h"
#include "record/method_options.h"

namespace kw {

/// A proposal in a run with its evaluation and what the strategy learnt from it.
struct Attempt {
  int number = 0;  ///< Counted from 1, in the order of asks.
  int parent = 0;  ///< Number of the attempt that this one derives from; 0: none.
  Candidate candidate;
  std::string why;  ///< The strategy's explanation of the ask.
  std::string ask;  ///< The ask as JSON, for resume and replay.
  Evaluation evaluation;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  Speedup against_baseline;  ///< Speedup over the baseline, chained through successive incumbents.
  double reward = 0;
  std::int64_t at_ns = 0;  ///< When the attempt was complete, counted from the start of the run.
  std::string words;       ///< What the proposer was told.
  /// Number of the earlier attempt whose evaluation was taken over because the code was the same;
  /// 0: this attempt was judged itself.
  int recalled = 0;
  std::string plan;  ///< What the proposer of a written source said that it would do.
  /// Keys of the exchanges with models that led to the source.
  std::vector<std::string> exchanges;
  Usage usage;          ///< Tokens of all `exchanges`.
  double cost_usd = 0;  ///< Cost of those `exchanges` whose price is known.
  /// Technique that a model picked before the source was written.
  std::string chosen{};
  std::string writer{};  ///< Model that wrote the source, "openai:gpt-4.1".

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("number", s.number), v("parent", s.parent), v("candidate", s.candidate), v("why", s.why),
        v("ask", s.ask), v("evaluation", s.evaluation), v("outcome_class", s.outcome_class),
        v("against_baseline", s.against_baseline), v("reward", s.reward), v("at_ns", s.at_ns),
        v("words", s.words), v("recalled", s.recalled), v("plan", s.plan),
        v("exchanges", s.exchanges), v("usage", s.usage), v("cost_usd", s.cost_usd),
        v("chosen", s.chosen), v("writer", s.writer);
  }
};

/// Time of an attempt in nanoseconds, by stage. An attempt whose evaluation was taken over from an
/// earlier one spent nothing on the evaluation.
std::map<std::string, double> spent_ns(const Attempt& attempt);

/// What lists, tables and plots show of an attempt. Stored beside the attempt, so that these need
/// not read every sample.
struct AttemptLine {
  int number = 0;
  int parent = 0;
  std::string name;
  Origin origin = Origin::Human;
  KnobPoint knobs;
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  double speedup = 0;  ///< Speedup over the run's baseline; 0: not measured.
  double reward = 0;
  double mean_ns = 0;  ///< Mean time over the timed workloads; 0: not measured.
  std::int64_t at_ns = 0;
  std::string device;
  std::string words;
  std::string plan;            ///< Beginning of the plan, on one line.
  bool is_unanswered = false;  ///< Verdict::is_unanswered(); older records do not say so.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("number", s.number), v("parent", s.parent), v("name", s.name), v("origin", s.origin),
        v("knobs", s.knobs), v("stage", s.stage), v("outcome", s.outcome),
        v("outcome_class", s.outcome_class), v("speedup", s.speedup), v("reward", s.reward),
        v("mean_ns", s.mean_ns), v("at_ns", s.at_ns), v("device", s.device), v("words", s.words),
        v("plan", s.plan), v("is_unanswered", s.is_unanswered);
  }
};

AttemptLine line_of(const Attempt& attempt);

/// Values of RunConfig::ensemble: a bandit chooses the model by reward and cost, or the models take
/// turns.
inline constexpr const char* kBanditEnsemble = "bandit";
inline constexpr const char* kTurnEnsemble = "turn";

/// The settings that a run was started with; together with the attempts so far they decide all that
/// follows.
struct RunConfig : MethodOptions {
  std::string task;  ///< Name of the task.
  std::string task_path;
  std::string task_sha256;
  Target target = kDefaultTarget;
  std::string arch;           ///< cuda: the architecture that sources are compiled for.
  std::vector<GpuFacts> gpu;  ///< cuda: the device whose limits say which knobs exist; at most one.
  std::string strategy = "greedy";
  std::string tuner = "auto";  ///< Tuner of the strategies that tune.
  std::string reward_policy = "speedup";
  std::int64_t max_attempts = 0;  ///< 0: no limit.
  std::int64_t max_time_ns = 0;   ///< 0: no limit.
  std::int64_t patience = 0;      ///< Attempts without a new best that end the run; 0: any number.
  Goals goals;
  std::uint64_t seed = 0;        ///< Seed of the strategy; inputs are drawn from another.
  std::string baseline;          ///< Name that the user asked for; empty: the fastest baseline.
  std::string carrier = "pipe";  ///< pipe | synthetic
  int outstanding = 1;           ///< Number of asks in flight at the same time.
  /// Most points that a tuner tries in one tuning where the calls of the task are long; 0: the
  /// tuner decides.
  int most_tuning_points = 0;
  /// Models in the form of --model, addresses included; never a key.
  std::vector<std::string> models;
  /// Which of several models writes next: bandit | turn; empty: turn.
  std::string ensemble;
  SpendLimits limits;                          ///< Bounds on the cost of all models together.
  ReplySettings reply;                         ///< Of every request.
  std::int64_t prompt_tokens = kPromptTokens;  ///< Most tokens of one prompt.
  /// How long a server may stay silent; 0: the provider's default.
  std::int64_t model_timeout_ns = 0;
  /// Most requests per minute to one address and model; 0: no limit.
  std::int64_t requests_per_minute = 0;
  /// Most tokens per minute to one address and model; 0: no limit.
  std::int64_t tokens_per_minute = 0;
  /// Whether requests that an earlier run made are answered with replies kept in the workspace.
  bool caches_replies = false;
  std::vector<Price> prices;             ///< Prices of `models` as they stood when the run began.
  std::vector<std::string> constraints;  ///< What a person said must hold.
  std::vector<std::string> hints;        ///< What a person said is worth trying.
  /// Strategy refine: attempts spent on the task's expert kernels before the model writes the first
  /// source.
  int start_attempts = 0;
  /// Whether the run begins with lessons of earlier runs and leaves its own to later ones.
  bool uses_memory = false;
  /// Whether the run begins with what earlier runs have taught, but leaves lessons, experience and
  /// their counts as they are.
  bool freezes_memory = false;
  bool profiles = false;     ///< cuda: whether every candidate found faster is profiled.
  bool specialises = false;  ///< Whether the winner is built once for each timed shape.
  /// Kernels to write each time the strategy asks for one; only the most promising of them is
  /// judged.
  int shortlist = 1;
  FeedbackLevel feedback = FeedbackLevel::Profile;  ///< What the prompts tell about an attempt.
  /// Whether prompts show examples and strategies may use their technique graph.
  bool uses_knowledge = true;
  /// Label by which the run can be found again, as `kw suite` finds the runs of its cells.
  std::string label;
  /// Number of ideas (sources to tune) when the run began; sources written later are numbered from
  /// there on. 0: not known.
  int ideas = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    MethodOptions::fields(s, v);
    // Records of runs name the bound on a reply by what it bounds.
    ReplySettings::fields(s.reply, [&v](const char* key, auto& field) {
      v(std::string_view(key) == "max_tokens" ? "reply_tokens" : key, field);
    });
    v("task", s.task), v("task_path", s.task_path), v("task_sha256", s.task_sha256),
        v("target", s.target), v("arch", s.arch), v("gpu", s.gpu), v("strategy", s.strategy),
        v("tuner", s.tuner), v("reward_policy", s.reward_policy), v("max_attempts", s.max_attempts),
        v("max_time_ns", s.max_time_ns), v("patience", s.patience), v("goals", s.goals),
        v("seed", s.seed), v("baseline", s.baseline), v("carrier", s.carrier),
        v("outstanding", s.outstanding), v("most_tuning_points", s.most_tuning_points),
        v("models", s.models), v("ensemble", s.ensemble), v("limits", s.limits),
        v("prompt_tokens", s.prompt_tokens), v("model_timeout_ns", s.model_timeout_ns),
        v("requests_per_minute", s.requests_per_minute),
        v("tokens_per_minute", s.tokens_per_minute), v("caches_replies", s.caches_replies),
        v("prices", s.prices), v("constraints", s.constraints), v("hints", s.hints),
        v("start_attempts", s.start_attempts), v("uses_memory", s.uses_memory),
        v("freezes_memory", s.freezes_memory), v("profiles", s.profiles),
        v("specialises", s.specialises), v("shortlist", s.shortlist), v("feedback", s.feedback),
        v("uses_knowledge", s.uses_knowledge), v("label", s.label), v("ideas", s.ideas);
  }
};

/// Interrupted: a person asked the run to finish its attempt and report. Stopped: the run ended in
/// the middle, by an error of the environment, a second Ctrl-C or a kill. Both can be resumed.
enum class RunState { Running, Finished, Interrupted, Stopped };
template <>
struct EnumNames<RunState> {
  static constexpr std::array<std::string_view, 4> names{"running", "finished", "interrupted",
                                                         "stopped"};
};

/// A run as `kw runs` lists it.
struct RunSummary {
  std::int64_t id = 0;
  std::string name;  ///< <task>-<n>
  RunState state = RunState::Running;
  RunConfig config;
  std::int64_t attempts = 0;
  int best_attempt = 0;
  double best_speedup = 0;
  bool is_confirmed = false;
  std::string stopped_by;
  std::string started_at;  ///< UTC, ISO 8601.
  double spent_ns = 0;
  Spending spent;  ///< What the models of the run have cost.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("name", s.name), v("state", s.state), v("config", s.config),
        v("attempts", s.attempts), v("best_attempt", s.best_attempt),
        v("best_speedup", s.best_speedup), v("is_confirmed", s.is_confirmed),
        v("stopped_by", s.stopped_by), v("started_at", s.started_at), v("spent_ns", s.spent_ns),
        v("spent", s.spent);
  }
};

}  // namespace kw
