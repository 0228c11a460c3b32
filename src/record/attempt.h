// One proposal of a run with all that became of it, and the run itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/evaluation.h"
#include "record/exchange.h"

namespace kw {

/// A proposal in a run with its evaluation and the strategy's lesson from it.
struct Attempt {
  int number = 0;  ///< From 1, in ask order.
  int parent = 0;  ///< Attempt it derives from; 0: none.
  Candidate candidate;
  std::string why;  ///< The strategy's explanation of the ask.
  std::string ask;  ///< The ask as JSON, for resume and replay.
  Evaluation evaluation;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  Speedup against_baseline;  ///< Chained through the incumbents that the pairs were timed against.
  double reward = 0;
  std::int64_t at_ns = 0;  ///< When it was complete, since the run began.
  std::string words;       ///< What the proposer was told.
  int recalled = 0;  ///< Attempt whose evaluation this is, since it was the same; 0: judged itself.
  std::string plan;  ///< Of a written source: what its proposer said it would do.
  std::vector<std::string> exchanges;  ///< Keys of the exchanges with models that led to it.
  Usage usage;                         ///< Of all of them.
  double cost_usd = 0;                 ///< Known prices only.
  std::string chosen{};                ///< Technique that counsel picked before it was written.
  std::string writer{};                ///< Model that wrote it, "openai:gpt-4.1".

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

/// Where the time of an attempt went, by stage; what a recalled verdict took, another attempt
/// spent.
std::map<std::string, double> spent_ns(const Attempt& attempt);

/// What lists, tables and plots show of an attempt: kept beside it, so that they need not read
/// every sample.
struct AttemptLine {
  int number = 0;
  int parent = 0;
  std::string name;
  Origin origin = Origin::Human;
  KnobPoint knobs;
  Stage stage = Stage::Propose;
  Outcome outcome = Outcome::NoCandidate;
  OutcomeClass outcome_class = OutcomeClass::Failed;
  double speedup = 0;  ///< Against the run's baseline, chained; 0: not measured.
  double reward = 0;
  double mean_ns = 0;  ///< Over the timed workloads; 0: not measured.
  std::int64_t at_ns = 0;
  std::string device;
  std::string words;
  std::string plan;            ///< Its beginning, one line.
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

/// RunConfig::ensemble: a bandit chooses by reward and cost; each in its turn.
inline constexpr const char* kBanditEnsemble = "bandit";
inline constexpr const char* kTurnEnsemble = "turn";

/// How a run was asked for; with the attempts it decides every later decision.
struct RunConfig {
  std::string task;  ///< Name.
  std::string task_path;
  std::string task_sha256;
  Target target = Target::Cpu;
  std::string arch;           ///< cuda: what sources are compiled for.
  std::vector<GpuFacts> gpu;  ///< cuda: whose limits say which knobs exist; at most one.
  std::string strategy = "greedy";
  std::string tuner = "auto";  ///< Of strategies that tune.
  std::string reward_policy = "speedup";
  std::int64_t max_attempts = 0;  ///< 0: no limit.
  std::int64_t max_time_ns = 0;   ///< 0: no limit.
  std::int64_t patience = 0;      ///< Attempts without a new best that end the run; 0: any number.
  Goals goals;
  std::uint64_t seed = 0;           ///< Of the strategy only.
  std::string baseline;             ///< Name asked for; empty: the fastest.
  std::string carrier = "pipe";     ///< pipe | synthetic
  int outstanding = 1;              ///< Asks in flight.
  int most_tuning_points = 0;       ///< Asks of one tuning, of costly tasks; 0: the tuner's own.
  std::vector<std::string> models;  ///< As --model names them, addresses included; never a key.
  std::string ensemble;             ///< Which of several models writes: bandit | turn; empty: turn.
  SpendLimits limits;               ///< Over all of them.
  std::int64_t reply_tokens = kReplyTokens;    ///< Most that one reply may take.
  std::int64_t prompt_tokens = kPromptTokens;  ///< Most that is sent for one.
  std::optional<double> temperature;           ///< Of every request; none: the server's default.
  std::string effort;                          ///< Likewise; low | medium | high.
  std::int64_t model_timeout_ns = 0;           ///< A server's silence that is borne; 0: as usual.
  std::int64_t requests_per_minute = 0;        ///< To each model behind an address; 0: any number.
  std::int64_t tokens_per_minute = 0;          ///< Likewise.
  bool caches_replies = false;  ///< What any run asked before is answered from the workspace.
  std::vector<Price> prices;    ///< Of these models, as they stood when the run began.
  int writes = 8;               ///< Of best-of-n.
  std::vector<std::string> constraints;  ///< A person's: must hold.
  std::vector<std::string> hints;        ///< A person's: worth trying.
  int start_attempts = 0;    ///< Of refine: for the task's expert kernels, before the first word.
  bool uses_memory = false;  ///< Begins with lessons of earlier runs, and learns.
  bool freezes_memory = false;   ///< What it learns is told to nobody after it.
  bool profiles = false;         ///< cuda: every candidate that was found faster.
  bool specialises = false;      ///< A winner gets a build for each timed shape.
  std::string preset;            ///< Of strategies with two: sketch | paper; empty: the default.
  int rounds = 10;               ///< Of strategies that end by themselves.
  int repairs = 3;               ///< Of refine and agent: at most, before something else is tried.
  std::string guide;             ///< Of graph-walk: random | llm | weights; empty: random.
  bool freezes_graph = false;    ///< What the run sees does not change the workspace's graph.
  bool judges_by_rules = false;  ///< Of coder-judge: rules read the findings, no model.
  bool judges_learned = false;   ///< Likewise: the model that was fitted to recorded steps.
  int shortlist = 1;  ///< Kernels written for an ask, of which the most promising is judged.
  FeedbackLevel feedback = FeedbackLevel::Profile;  ///< To whoever writes.
  bool uses_knowledge = true;  ///< Whoever writes sees examples, and methods their graph.
  std::string label;           ///< Whoever started it finds it by this, as kw suite its cells.
  /// Of the workbench when the run began; written sources are numbered from there on. 0: not known.
  int ideas = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("task", s.task), v("task_path", s.task_path), v("task_sha256", s.task_sha256),
        v("target", s.target), v("arch", s.arch), v("gpu", s.gpu), v("strategy", s.strategy),
        v("tuner", s.tuner), v("reward_policy", s.reward_policy), v("max_attempts", s.max_attempts),
        v("max_time_ns", s.max_time_ns), v("patience", s.patience), v("goals", s.goals),
        v("seed", s.seed), v("baseline", s.baseline), v("carrier", s.carrier),
        v("outstanding", s.outstanding), v("most_tuning_points", s.most_tuning_points),
        v("models", s.models), v("ensemble", s.ensemble), v("limits", s.limits),
        v("reply_tokens", s.reply_tokens), v("prompt_tokens", s.prompt_tokens),
        v("temperature", s.temperature), v("effort", s.effort),
        v("model_timeout_ns", s.model_timeout_ns), v("requests_per_minute", s.requests_per_minute),
        v("tokens_per_minute", s.tokens_per_minute), v("caches_replies", s.caches_replies),
        v("prices", s.prices), v("writes", s.writes), v("constraints", s.constraints),
        v("hints", s.hints), v("start_attempts", s.start_attempts), v("uses_memory", s.uses_memory),
        v("freezes_memory", s.freezes_memory), v("profiles", s.profiles),
        v("specialises", s.specialises), v("preset", s.preset), v("rounds", s.rounds),
        v("repairs", s.repairs), v("judges_by_rules", s.judges_by_rules),
        v("judges_learned", s.judges_learned), v("shortlist", s.shortlist), v("guide", s.guide),
        v("freezes_graph", s.freezes_graph), v("feedback", s.feedback),
        v("uses_knowledge", s.uses_knowledge), v("label", s.label), v("ideas", s.ideas);
  }
};

/// Interrupted: a person asked it to finish its attempt and report. Stopped: it ended in the
/// middle, by an error of the environment, a second Ctrl-C or a kill. Both can be resumed.
enum class RunState { Running, Finished, Interrupted, Stopped };
template <>
struct EnumNames<RunState> {
  static constexpr std::array<std::string_view, 4> names{"running", "finished", "interrupted",
                                                         "stopped"};
};

/// One row of `kw runs`.
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
  Spending spent;  ///< On models.

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
