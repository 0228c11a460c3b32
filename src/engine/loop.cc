// The loop: asks, tells, stop rules and the decision log.
// SPDX-License-Identifier: Apache-2.0
#include "engine/loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/foreign_text.h"
#include "engine/orders.h"
#include "llm/prices.h"
#include "memory/lesson_rules.h"

namespace kw::engine {
namespace {

constexpr std::size_t kLongestEscape = 4;  // bytes that sanitise_line() may write for one byte

search::StopRule rules_of(const RunConfig& config) {
  std::vector<search::StopRule> rules{search::interrupted(), search::goal_reached(config.goals),
                                      search::strategy_finished(), search::stagnation()};
  if (config.max_attempts > 0) rules.push_back(search::attempt_limit(config.max_attempts));
  if (config.max_time_ns > 0)
    rules.push_back(search::time_limit(static_cast<double>(config.max_time_ns)));
  if (config.patience > 0) rules.push_back(search::patience(config.patience));
  return search::first_of(std::move(rules));
}

std::size_t first_written(const Workbench& workbench, const RunConfig& config) {
  return config.ideas > 0 ? static_cast<std::size_t>(config.ideas) : workbench.ideas().size();
}

/// Fails if the workbench has more ideas than when the run began and the run depends on them: it
/// would then ask for other kernels than recorded. A run does not depend on them if it asks for
/// written sources only.
Result<> check_ideas(const Workbench& workbench, const RunConfig& config, bool is_writing) {
  const std::size_t then = first_written(workbench, config);
  const std::size_t now = workbench.ideas().size();
  if (then == now || (is_writing && config.start_attempts == 0)) return {};
  return fail_input(ErrorCode::Changed, About{"kernels"},
                    fmt::format("the run cannot go on, because task and playbook had {} kernels "
                                "when it began and have {} now",
                                then, now),
                    config.task);
}

/// The ensemble from which a run chooses the model for each source; none if one model writes, or
/// several in turn. Costs are counted in dollars if the price of each model is known and some model
/// costs anything, else in tokens.
Result<std::optional<search::Ensemble>> ensemble_of(const RunConfig& config) {
  std::optional<search::Ensemble> none;
  if (config.ensemble != kBanditEnsemble) return none;
  std::vector<std::string> names;
  const llm::PriceTable prices(config.prices);
  bool are_known = true;
  bool cost_anything = false;
  for (const std::string& text : config.models) {
    const llm::ModelSpec spec = KW_TRY(llm::parse_model_spec(text));
    if (!spec.role.empty()) continue;
    names.push_back(spec.text());
    const auto price = prices.find(spec);
    are_known = are_known && price;
    cost_anything = cost_anything || (price && price->prompt_usd + price->completion_usd > 0);
  }
  if (names.size() < 2) return none;
  using enum search::Ensemble::Unit;
  return std::optional(
      search::Ensemble(std::move(names), are_known && cost_anything ? Dollars : Tokens));
}

/// Value of RunSummary::stopped_by for a run that a person ended.
std::string finish_words(const Order& order) {
  return fmt::format("order {} of {} to finish", order.number, order.who);
}

/// The names of the graph's steps: the graph's own names, and substitutes for techniques that it
/// lacks.
memory::Relabeller names_of_steps(const search::StrategyOptions& options) {
  std::vector<std::string> names;
  if (options.graph)
    for (const std::string& node : options.graph->nodes())
      if (node != TechniqueGraph::kStart) names.push_back(node);
  for (const search::TechniqueCard& card : search::technique_cards(options.target, options.work))
    names.push_back(card.name);
  return memory::Relabeller(names);
}

}  // namespace

std::string ask_line(int number, const std::string& ask) {
  return fmt::format("{} ask {}", number, ask);
}

Loop::Loop(const Workbench& workbench, const RunConfig& config,
           std::unique_ptr<search::Strategy> strategy, Standing standing, DecisionLog log)
    : workbench_(workbench),
      config_(config),
      strategy_(std::move(strategy)),
      standing_(std::move(standing)),
      rule_(rules_of(config)),
      written_(first_written(workbench, config),
               [&workbench](const Candidate& candidate) { return workbench.fits(candidate); }),
      log_([log = std::move(log)](const std::string& line) {
        log(sanitise_line(line, kLongestEscape * line.size()));  // names may come from foreign text
      }) {
  log_(fmt::format("run {} strategy {} seed {} baseline {}", config.task, config.strategy,
                   config.seed, standing_.incumbent().candidate.name));
}

Result<Loop> Loop::create(const Workbench& workbench, const RunConfig& config, Candidate baseline,
                          DecisionLog log, std::shared_ptr<const TechniqueGraph> graph) {
  const search::RewardPolicy* policy = KW_TRY(search::find_reward_policy(config.reward_policy));
  search::StrategyOptions options;
  options.seed = Seed::from_number(config.seed);
  options.tuner = KW_TRY(search::find_tuner(config.tuner));
  if (config.most_tuning_points > 0) {
    const auto most = static_cast<std::size_t>(config.most_tuning_points);
    options.tuning_points = std::min(options.tuning_points, most);
    options.halving_points = std::min(options.halving_points, most);
  }
  static_cast<MethodOptions&>(options) = config;
  options.graph = std::move(graph);
  options.freezes_graph = config.freezes_graph || config.freezes_memory || !config.uses_knowledge;
  options.target = config.target;
  options.work = search::class_of(workbench.family());
  options.start_asks = static_cast<std::size_t>(config.start_attempts);
  const search::StrategyInfo* info = KW_TRY(search::find_strategy(config.strategy));
  KW_TRY(check_ideas(workbench, config, info->is_writing));
  Loop loop(workbench, config, info->make(workbench.ideas(), options),
            Standing(std::move(baseline), *policy), std::move(log));
  if (info->has_graph) loop.steps_ = names_of_steps(options);
  loop.ensemble_ = KW_TRY(ensemble_of(config));
  return loop;
}

void Loop::check_rules() {
  if (strategy_->finished()) standing_.statistics().strategy_finished = strategy_->describe();
  if (!stopped_by_.empty()) return;
  if (const auto why = rule_(standing_.statistics())) stopped_by_ = *why;
}

Result<Candidate> Loop::candidate_of(const search::Ask& ask) const {
  if (ask.role == search::Role::Write) return Candidate();
  if (written_.has(ask.idea)) return written_.candidate(ask.idea, ask.knobs);
  return workbench_.candidate(ask.idea, ask.knobs);
}

std::string Loop::name_of_idea(const search::Ask& ask) const {
  if (ask.role == search::Role::Write) return std::string(kw::name_of(ask.errand));
  if (written_.has(ask.idea)) return written_.idea(ask.idea).name;
  return workbench_.ideas()[static_cast<std::size_t>(ask.idea)].name;
}

Result<std::optional<InFlight>> Loop::ask() {
  check_rules();
  if (!stopped_by_.empty()) return std::optional<InFlight>();
  // Attempts in flight count against the limit before their results are known.
  if (config_.max_attempts > 0 && asked_ >= config_.max_attempts) return std::optional<InFlight>();
  std::optional<search::Ask> next = strategy_->ask();
  if (!next) {
    check_rules();
    return std::optional<InFlight>();
  }
  if (ensemble_ && next->role == search::Role::Write) {
    const search::Ensemble::Choice choice = ensemble_->choose();
    next->writer = static_cast<int>(choice.model) + 1;
    next->why += "; " + choice.why;
  }
  InFlight flight;
  flight.number = ++asked_;
  flight.ask = *next;
  flight.candidate = KW_TRY(candidate_of(*next));
  flight.opponent = standing_.opponent();
  in_flight_.push_back(flight);
  return std::optional(std::move(flight));
}

void Loop::absorb(Attempt& attempt) {
  KW_ASSERT(!in_flight_.empty());
  const InFlight flight = std::move(in_flight_.front());
  in_flight_.pop_front();
  attempt.number = flight.number;
  attempt.parent = flight.ask.parent;
  if (!flight.is_to_be_written()) attempt.candidate = flight.candidate;
  attempt.why = flight.ask.why;
  attempt.ask = search::encode_ask(flight.ask);
  const double best_before = standing_.best_speedup();
  search::Tell tell = standing_.absorb(attempt, flight.ask, flight.opponent);
  if (ensemble_) credit(flight, attempt, best_before);
  if (flight.is_to_be_written())
    if (const auto idea = written_.add(attempt.candidate)) {
      tell.idea = *idea;
      tell.written = written_.idea(*idea);
    }
  if (flight.is_to_be_written()) tell.shown = steps_shown(attempt);
  judged_.remember(attempt, flight.ask.fidelity);
  ++told_;
  strategy_->tell(tell);
  log_tell(flight, attempt);
}

std::optional<std::vector<std::string>> Loop::steps_shown(const Attempt& attempt) {
  if (!steps_) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& technique : memory::techniques_shown(attempt))
    names.push_back(steps_->label(technique));
  return names;
}

void Loop::credit(const InFlight& flight, const Attempt& attempt, double best_before) {
  const bool is_correct = attempt.evaluation.verdict.is_correct();
  const double speedup = is_correct ? attempt.against_baseline.value : 0;
  speedups_.push_back(speedup);
  if (!flight.is_to_be_written()) return;
  if (attempt.evaluation.verdict.is_unanswered()) return ensemble_->tell_unanswered();
  const auto parent = static_cast<std::size_t>(flight.ask.parent);
  const double parents = parent > 0 ? speedups_[parent - 1] : 0;
  // A repair is not measured against the failure that it repairs, but against the best kernel
  // before it.
  const double from = parents > 0 ? parents : parent > 0 ? std::max(1.0, best_before) : 1;
  const bool is_new = is_correct && attempt.recalled == 0;
  const double cost = ensemble_->unit() == search::Ensemble::Unit::Dollars
                          ? attempt.cost_usd
                          : static_cast<double>(attempt.usage.total());
  ensemble_->tell(attempt.writer, search::writing_reward(is_new, speedup, from), cost);
}

std::vector<search::GraphLearner::StepUpdate> Loop::take_graph_updates() {
  auto* learner = dynamic_cast<search::GraphLearner*>(strategy_.get());
  return learner == nullptr ? std::vector<search::GraphLearner::StepUpdate>()
                            : learner->take_updates();
}

void Loop::obey(const Order& order) {
  orders_.push_back(order);
  log_(fmt::format("{} order {} {}", next_number(), order.number, words_of(order)));
  const RaisedBudget& budget = order.budget;
  if (budget.max_attempts > 0) config_.max_attempts = budget.max_attempts;
  if (budget.max_time_ns > 0) config_.max_time_ns = budget.max_time_ns;
  rule_ = rules_of(config_);
  strategy_->steer(steering_of(in_force(orders_, next_number()), workbench_.ideas()));
  // The stop rules are evaluated anew before the next ask.
  standing_.statistics().strategy_finished.clear();
  if (!is_withdrawn_) stopped_by_.clear();
  if (order.kind == OrderKind::Finish) finished_by_ = finish_words(order);
  if (stopped_by_.empty()) stopped_by_ = finished_by_;
}

double Loop::search_budget_ns() const {
  return time_budget_ns() * (1 - search::kConfirmationShare);
}

void Loop::withdraw(const std::string& why) {
  KW_ASSERT(!in_flight_.empty() && !why.empty());
  in_flight_.pop_back();
  --asked_;
  is_withdrawn_ = true;
  if (stopped_by_.empty()) stopped_by_ = why;
}

void Loop::log_tell(const InFlight& flight, const Attempt& attempt) {
  log_(ask_line(flight.number, attempt.ask));
  log_(fmt::format("{} tell {} {} against {} speedup {:.6g} reward {:.6g}", flight.number,
                   name_of(attempt.outcome_class), name_of(attempt.evaluation.verdict.outcome),
                   flight.opponent.candidate.name, attempt.against_baseline.value, attempt.reward));
}

}  // namespace kw::engine
