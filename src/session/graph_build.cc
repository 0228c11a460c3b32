// Adds the steps of runs and of the playbook to a graph. A rule or a model unifies different names
// of one technique.
// SPDX-License-Identifier: Apache-2.0
#include "session/graph_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/contains.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "engine/graphs.h"
#include "llm/open_model.h"
#include "memory/graph_build.h"
#include "memory/relabel.h"
#include "net/curl.h"
#include "propose/relabel.h"
#include "session/judging/playbook_meter.h"
#include "session/model_access.h"

namespace kw::session {
namespace {

constexpr std::size_t kStepsOfCall = 40;  // most steps that one call of a model relabels

bool is_wanted(const GraphBuildRequest& request, const std::string& task) {
  return request.tasks.empty() || contains(request.tasks, task);
}

/// The model that gives techniques uniform names, with everything that a call needs.
struct Namer {
  explicit Namer(const SpendLimits& limits) : ledger(limits) {}

  std::unique_ptr<net::HttpClient> http = net::make_curl_client();
  llm::Ledger ledger;
  std::unique_ptr<llm::ChatModel> model;
  std::optional<propose::ModelRelabeller> relabeller;
  std::vector<Price> prices;  ///< The prices of the model.
};

/// Opens the model that gives techniques uniform names; null if a rule does.
Result<std::unique_ptr<Namer>> open_namer(const Options& options, const memory::DataFiles& data,
                                          const std::optional<NamingModel>& wanted) {
  if (!wanted) return std::unique_ptr<Namer>();
  auto namer = std::make_unique<Namer>(wanted->limits);
  llm::ModelSurroundings around;
  around.http = namer->http.get();
  around.clock = &platform::real_clock();
  around.seed = Seed::from_os();
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(open_prices(data));
  around.timeouts = timeouts_of(wanted->timeout_ns);
  around.ledger = &namer->ledger;
  if (wanted->limits.usd) KW_TRY(needs_price(around.prices, wanted->spec));
  if (const auto price = around.prices.find(wanted->spec)) namer->prices = {*price};
  for (const std::string& warning : llm::warnings_for(wanted->spec, around))
    options.notice(warning);
  namer->model = KW_TRY(as_input(llm::open_model(wanted->spec, around)));
  namer->relabeller = KW_TRY(propose::ModelRelabeller::open(data, *namer->model, wanted->reply));
  return namer;
}

/// Adds the steps of runs to the graph of techniques that is being built, one run after another.
class Builder {
 public:
  /// `names` are the technique names already in use; the first is that of the sequential code.
  Builder(const Options& options, const memory::DataFiles& data, TechniqueGraph graph,
          const std::vector<std::string>& names, Namer* namer)
      : options_(options), data_(data), graph_(std::move(graph)), rule_(names), namer_(namer) {}

  /// Adds the steps of a run and returns how many were verified. Returns nothing, and adds none, if
  /// the model's names for techniques are unusable. If a budget stopped the model's calls, `steps`
  /// keeps only the steps before the first unnamed one.
  Result<std::optional<std::size_t>> add(std::vector<memory::SourceStep>& steps) {
    memory::Label label = [this](const std::string& name) { return rule_.label(name); };
    std::map<std::string, std::string> named;
    if (namer_ != nullptr && !steps.empty()) {
      if (!KW_TRY(name_by_model(steps, named))) return std::optional<std::size_t>();
      const auto has_name = [&](const std::string& name) { return named.contains(name); };
      const auto unnamed = std::ranges::find_if(steps, [&](const memory::SourceStep& step) {
        return !std::ranges::all_of(step.before, has_name) ||
               !std::ranges::all_of(step.added, has_name);
      });
      unnamed_ += static_cast<std::size_t>(steps.end() - unnamed);
      steps.erase(unnamed, steps.end());
      label = [&named](const std::string& name) { return named[name]; };
    }
    for (const memory::SourceStep& step : steps) ways_.push_back(memory::walked(step, label));
    return std::optional(memory::merge_steps(
        graph_, steps, label, [this](const std::string& task) { return reference_of(task); }));
  }
  TechniqueGraph& graph() { return graph_; }
  /// Counts, on the edges of `whole`, every visit by an added step. `whole` must already have these
  /// edges.
  void count_ways(TechniqueGraph& whole) const { memory::count_ways(whole, ways_); }
  /// The reason why the model is not called any more, such as a spent budget; empty: calls go on.
  const std::string& ended_by() const { return ended_by_; }
  /// Number of steps that were left out because a budget ended the model's calls.
  std::size_t unnamed() const { return unnamed_; }

 private:
  /// Asks the model for uniform names and puts them into `named`. False: the reply cannot be used,
  /// and the run's steps are left out. Names that the budget does not reach stay out of `named`.
  Result<bool> name_by_model(const std::vector<memory::SourceStep>& steps,
                             std::map<std::string, std::string>& named) {
    std::vector<propose::NamedStep> asked;
    for (const memory::SourceStep& step : steps)
      for (const std::vector<std::string>* names : {&step.before, &step.added})
        for (const std::string& name : *names)
          if (std::ranges::find(asked, name, &propose::NamedStep::name) == asked.end())
            asked.push_back({name, step.what});
    for (std::size_t from = 0; from < asked.size() && ended_by_.empty(); from += kStepsOfCall) {
      const std::vector<propose::NamedStep> some(
          asked.begin() + static_cast<std::ptrdiff_t>(from),
          asked.begin() + static_cast<std::ptrdiff_t>(std::min(asked.size(), from + kStepsOfCall)));
      std::vector<std::string> in_use(rule_.known().begin() + 1, rule_.known().end());
      const auto labels = namer_->relabeller->label(in_use, some);
      if (!labels) ended_by_ = namer_->ledger.refusal();
      if (!ended_by_.empty()) break;
      if (!labels && labels.error().advice != Advice::GiveUp)
        return std::unexpected(labels.error());
      if (!labels) {
        options_.notice("the steps of a run are left out of the graph: " +
                        describe(labels.error()));
        return false;
      }
      // The model's names, too, are unified by rule with the names already in use.
      for (std::size_t i = 0; i < some.size(); ++i) named[some[i].name] = rule_.label((*labels)[i]);
    }
    return true;
  }

  std::string reference_of(const std::string& task) {
    const auto known = references_.find(task);
    if (known != references_.end()) return known->second;
    const auto definition = open_task(options_, data_, task);
    return references_[task] = definition ? definition->reference : "";
  }

  const Options& options_;
  const memory::DataFiles& data_;
  TechniqueGraph graph_;
  memory::Relabeller rule_;
  Namer* namer_;
  std::string ended_by_;
  std::size_t unnamed_ = 0;
  std::map<std::string, std::string> references_;
  std::vector<memory::WalkedWay> ways_;
};

/// Which steps the graph had counted before a build, and which the build has counted.
struct Counting {
  engine::GraphCounted known;
  engine::GraphCounted now{};
  int before(const std::string& name) const {
    const auto found = known.find(name);
    return found == known.end() ? 0 : found->second;
  }
};

Result<std::size_t> add_playbook(const Options& options, const memory::DataFiles& data,
                                 store::RunStore& store, const Aim& aim,
                                 const GraphBuildRequest& request, Counting& counting,
                                 Builder& builder) {
  PlaybookMeter meter(options, data, store, aim);
  std::size_t measured = 0;
  for (const memory::PlaybookStep& step : memory::playbook_steps(data, aim.target)) {
    auto speedup = KW_TRY(meter.known(step));
    if (!speedup && request.playbook && is_wanted(request, step.task))
      speedup = KW_TRY(meter.measure(step));
    if (!speedup || *speedup <= 0) continue;
    ++measured;
    if (counting.before(PlaybookMeter::counted(step)) > 0) continue;
    counting.now[PlaybookMeter::counted(step)] = 1;
    // Names of techniques in the playbook of expert kernels are already uniform, so neither rule
    // nor model changes them.
    memory::merge_steps(
        builder.graph(), {memory::recorded(step, *speedup)},
        [](const std::string& name) { return name; },
        [](const std::string&) { return std::string(); });
  }
  return measured;
}

Result<std::size_t> add_runs(store::RunStore& store, Target target,
                             const GraphBuildRequest& request, Counting& counting,
                             Builder& builder) {
  std::size_t verified = 0;
  for (const RunSummary& run : KW_TRY(store.list())) {
    if (run.config.target != target || !is_wanted(request, run.config.task)) continue;
    if (run.config.models.empty()) continue;  // without a model nothing was written in the run
    memory::StepReader reader(run.config.task);
    int last = 0;
    KW_TRY(store.attempts().for_each(
        run.id, store::Sources::Load,
        [&](Attempt& attempt) -> Result<> {
          reader.read(attempt);
          last = attempt.number;
          return {};
        },
        store::Samples::LeaveOut));
    const std::string name = engine::counted_run(run);
    auto steps = reader.take();
    std::erase_if(steps, [known = counting.before(name)](const memory::SourceStep& step) {
      return step.number <= known;
    });
    const std::size_t all = steps.size();
    const auto added = KW_TRY(builder.add(steps));
    if (!added) continue;
    verified += *added;
    // Steps that the model could not name within its budget are left for a later build.
    if (steps.size() < all) last = steps.empty() ? 0 : steps.back().number;
    if (last > 0) counting.now[name] = last;
  }
  return verified;
}

/// Refuses a task without any step in the playbook or in a run, because its graph would be empty.
Result<> check_tasks(const GraphBuildRequest& request, const memory::DataFiles& data,
                     const store::RunStore& store, Target target) {
  std::vector<std::string> known;
  for (const memory::PlaybookStep& step : memory::playbook_steps(data, target))
    if (!contains(known, step.task)) known.push_back(step.task);
  for (const RunSummary& run : KW_TRY(store.list()))
    if (!contains(known, run.config.task)) known.push_back(run.config.task);
  for (const std::string& task : request.tasks)
    if (!contains(known, task))
      return as_input(Result<>(fail_input(
          ErrorCode::NotFound, About{with_nearest(task, known)},
          "neither a run nor the playbook has a task '" + task + "'" + suggestion(task, known),
          "--task")));
  return {};
}

}  // namespace

Result<GraphBuildResult> build_graph(const Options& options, const GraphBuildRequest& request) {
  const Target target = request.aim.target;
  const auto data = KW_TRY(open_data(options));
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  KW_TRY(check_tasks(request, data, store, target));
  const auto namer = KW_TRY(open_namer(options, data, request.namer));
  const TechniqueGraph seed = memory::playbook_graph(data, target);
  const TechniqueGraph before = KW_TRY(engine::workspace_graph(store, target, seed));
  Builder builder(options, data, request.keep ? TechniqueGraph() : seed,
                  (request.keep ? before : seed).nodes(), namer.get());
  // A graph that is built from scratch starts without counts.
  Counting counting{request.keep ? KW_TRY(engine::graph_counted(store, target))
                                 : engine::GraphCounted()};
  GraphBuildResult result;
  result.measured =
      KW_TRY(add_playbook(options, data, store, request.aim, request, counting, builder));
  result.verified = KW_TRY(add_runs(store, target, request, counting, builder));
  result.graph = KW_TRY(engine::change_graph(store, target, seed, [&](TechniqueGraph& whole) {
    if (request.keep)
      whole.merge(builder.graph());
    else
      whole = builder.graph();
    builder.count_ways(whole);
  }));
  if (request.keep) {
    KW_TRY(engine::note_counted(store, target, counting.now));
  } else {
    KW_TRY(engine::forget_graph_files(store, target));
    KW_TRY(engine::replace_counted(store, target, counting.now));
  }
  result.unnamed = builder.unnamed();
  result.ended_by = builder.ended_by();
  if (namer) {
    result.spent = namer->ledger.spent();
    result.prices = namer->prices;
  }
  return result;
}

}  // namespace kw::session
