// Builds a graph of techniques from the optimization steps in runs and in the playbook of expert
// kernels. A rule or a model unifies different names of one technique.
// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/contains.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "cli/target_flags.h"
#include "engine/graphs.h"
#include "llm/open_model.h"
#include "memory/graph_build.h"
#include "memory/playbook_graph.h"
#include "memory/relabel.h"
#include "net/curl.h"
#include "propose/relabel.h"
#include "record/codec.h"
#include "report/run_folder.h"
#include "session/local_judge.h"
#include "session/model_access.h"
#include "session/tasks.h"
#include "task/header.h"

namespace kw::cli {
namespace {

constexpr const char* kMeasuredFact = "playbook step";
constexpr std::size_t kStepsOfCall = 40;  // most steps that one call of a model relabels

void say(const std::string& text) { std::fprintf(stderr, "kw: %s\n", text.c_str()); }

std::string words(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Times each expert kernel of the playbook against the kernel that it improves on, on this device.
class PlaybookMeter {
 public:
  PlaybookMeter(const Global& global, const memory::DataFiles& data, store::RunStore& store,
                const Aim& aim)
      : global_(global), data_(data), store_(store), aim_(aim) {}

  /// The key under which a graph records that it has already counted this step between kernels of
  /// the playbook.
  static std::string counted(const memory::PlaybookStep& step) {
    return "playbook " + key_of(step, "");
  }

  /// The step's speedup if an earlier build measured it on this device; otherwise nothing.
  Result<std::optional<double>> known(const memory::PlaybookStep& step) const {
    const auto facts = KW_TRY(session::remembered_device(store_, aim_.target));
    if (!facts) return std::optional<double>();
    const auto text = KW_TRY(store_.recall(kMeasuredFact, key_of(step, facts->id)));
    if (!text) return std::optional<double>();
    double speedup = 0;
    std::from_chars(text->data(), text->data() + text->size(), speedup);
    return std::optional(speedup);
  }

  /// Measures the speedup of the step; 0: a kernel is not correct on this machine or could not be
  /// timed, which is reported on standard error.
  Result<double> measure(const memory::PlaybookStep& step) {
    if (!bench_) {
      bench_ = KW_TRY(session::LocalJudge::open(global_, &store_, aim_));
      KW_TRY(bench_->ensure_ceilings());
    }
    auto definition = KW_TRY(session::open_accepted_task(global_, data_, step.task));
    const auto workbench = KW_TRY(engine::TaskWorkbench::create(
        std::move(definition), {},
        KW_TRY(session::workbench_options(global_, aim_, bench_->facts()))));
    const auto kernel = candidate_of(step.name, step.code, workbench);
    const auto before = step.before_name.empty()
                            ? first_baseline(workbench)
                            : candidate_of(step.before_name, step.code_before, workbench);
    double speedup = 0;
    if (kernel && before) speedup = KW_TRY(speedup_of(step, workbench, *kernel, *before));
    KW_TRY(store_.remember(kMeasuredFact, key_of(step, bench_->facts().id),
                           fmt::format("{:.6g}", speedup)));
    return speedup;
  }

 private:
  Result<double> speedup_of(const memory::PlaybookStep& step,
                            const engine::TaskWorkbench& workbench, const Candidate& kernel,
                            const Candidate& before) {
    auto request = KW_TRY(workbench.request(kernel, &before));
    request.id = "graph-" + kernel.name;
    request.seed = Seed::from_os().low;
    request.measure.purpose = Purpose::Search;
    const auto evaluation = KW_TRY(bench_->carrier().evaluate(std::move(request)));
    if (!evaluation.verdict.is_correct() || evaluation.speedup.value <= 0) {
      say(fmt::format("{}: {} at {}, so no gain is stored", step.name,
                      name_of(evaluation.verdict.outcome), name_of(evaluation.verdict.stage)));
      return 0.0;
    }
    say(fmt::format("{}: {:.3g}x {}", step.name, evaluation.speedup.value, before.name));
    return evaluation.speedup.value;
  }

  static std::string key_of(const memory::PlaybookStep& step, const std::string& device) {
    return device + "|" + step.name + "|" + sha256(step.code_before + "\n" + step.code).hex();
  }

  /// The candidate, with each knob at its first value.
  std::optional<Candidate> candidate_of(const std::string& name, const std::string& source,
                                        const engine::TaskWorkbench& workbench) const {
    auto candidate =
        task::make_candidate(platform::Path(name).stem().string(), source, Origin::Playbook,
                             workbench.definition().task.restrictions, aim_.target);
    return candidate ? std::optional(std::move(*candidate)) : std::nullopt;
  }

  static std::optional<Candidate> first_baseline(const engine::TaskWorkbench& workbench) {
    const auto& all = workbench.baselines();
    return all.empty() ? std::nullopt : std::optional(all.front());
  }

  const Global& global_;
  const memory::DataFiles& data_;
  store::RunStore& store_;
  const Aim aim_;
  std::unique_ptr<session::LocalJudge> bench_;
};

bool is_wanted(const GraphBuildFlags& flags, const std::string& task) {
  return flags.tasks.empty() || contains(flags.tasks, task);
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

/// Opens the model that gives techniques uniform names; null if the flags name no model, so that a
/// rule does.
Result<std::unique_ptr<Namer>> open_namer(const memory::DataFiles& data,
                                          const GraphBuildFlags& flags) {
  const auto specs = KW_TRY(flags.models.specs());
  if (specs.empty() && (flags.length.any() || flags.asking.any()))
    return fail_input(
        "--max-tokens, --temperature, --effort and --model-timeout are for a model: give --model");
  if (specs.empty() && flags.spend.any())
    return fail_input("--usd, --tokens and --calls bound models: give --model too");
  if (specs.empty()) return std::unique_ptr<Namer>();
  const ReplySettings reply = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  if (specs.size() > 1 || !specs.front().role.empty())
    return fail_input("kw graph build takes at most one --model, and none with a role (ROLE=NAME)");
  const SpendLimits limits = KW_TRY(flags.spend.limits());
  auto namer = std::make_unique<Namer>(limits);
  llm::Surroundings around;
  around.http = namer->http.get();
  around.clock = &platform::real_clock();
  around.seed = Seed::from_os();
  around.keys = KW_TRY(llm::keys_from_environment());
  around.prices = KW_TRY(session::open_prices(data));
  around.timeouts = session::timeouts_of(KW_TRY(flags.asking.timeout_ns()));
  around.ledger = &namer->ledger;
  if (limits.usd) KW_TRY(session::needs_price(around.prices, specs.front()));
  if (const auto price = around.prices.find(specs.front())) namer->prices = {*price};
  for (const std::string& warning : llm::warnings_for(specs.front(), around)) say(warning);
  namer->model = KW_TRY(as_input(llm::open_model(specs.front(), around)));
  namer->relabeller = KW_TRY(propose::ModelRelabeller::open(data, *namer->model, reply));
  return namer;
}

/// Adds the steps of runs to the graph of techniques that is being built, one run after another.
class Builder {
 public:
  /// `names` are the technique names already in use; the first is that of the sequential code.
  Builder(const Global& global, const memory::DataFiles& data, TechniqueGraph graph,
          const std::vector<std::string>& names, Namer* namer)
      : global_(global), data_(data), graph_(std::move(graph)), rule_(names), namer_(namer) {}

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
        say("the steps of a run are left out of the graph: " + describe(labels.error()));
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
    const auto definition = session::open_task(global_, data_, task);
    return references_[task] = definition ? definition->reference : "";
  }

  const Global& global_;
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

Result<std::size_t> add_playbook(const Global& global, const memory::DataFiles& data,
                                 store::RunStore& store, const Aim& aim,
                                 const GraphBuildFlags& flags, Counting& counting,
                                 Builder& builder) {
  PlaybookMeter meter(global, data, store, aim);
  std::size_t measured = 0;
  for (const memory::PlaybookStep& step : memory::playbook_steps(data, aim.target)) {
    auto speedup = KW_TRY(meter.known(step));
    if (!speedup && flags.playbook && is_wanted(flags, step.task))
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

Result<std::size_t> add_runs(store::RunStore& store, Target target, const GraphBuildFlags& flags,
                             Counting& counting, Builder& builder) {
  std::size_t verified = 0;
  for (const RunSummary& run : KW_TRY(store.list())) {
    if (run.config.target != target || !is_wanted(flags, run.config.task)) continue;
    if (run.config.models.empty()) continue;  // without a model nothing was written in the run
    memory::StepReader reader(run.config.task);
    int last = 0;
    KW_TRY(store.for_each_attempt(
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
Result<> check_tasks(const GraphBuildFlags& flags, const memory::DataFiles& data,
                     const store::RunStore& store, Target target) {
  std::vector<std::string> known;
  for (const memory::PlaybookStep& step : memory::playbook_steps(data, target))
    if (!contains(known, step.task)) known.push_back(step.task);
  for (const RunSummary& run : KW_TRY(store.list()))
    if (!contains(known, run.config.task)) known.push_back(run.config.task);
  for (const std::string& task : flags.tasks)
    if (!contains(known, task))
      return as_input(Result<>(fail_input(
          "neither a run nor the playbook has a task '" + task + "'" + suggestion(task, known),
          "--task")));
  return {};
}

/// What a build of the graph did, for the report.
struct Built {
  std::size_t measured = 0;
  std::size_t verified = 0;
  std::size_t unnamed = 0;
  std::string ended_by;
  /// What the naming model has cost; nothing if no model was asked.
  std::optional<Spending> spent;
  std::vector<Price> prices;  ///< The prices of the naming model.
};

void tell(const Global& global, Target target, const TechniqueGraph& graph, const Built& built) {
  const std::size_t techniques = graph.nodes().size() - 1, edges = graph.edges().size();
  if (global.json) {
    std::printf("%s\n", dump_json({{"where", name_of(target)},
                                   {"techniques", techniques},
                                   {"steps", edges},
                                   {"measured", built.measured},
                                   {"verified", built.verified},
                                   {"unnamed", built.unnamed},
                                   {"ended_by", built.ended_by},
                                   {"spent", built.spent ? encode_json(*built.spent) : Json()}})
                            .c_str());
    return;
  }
  fmt::print("{}: {} techniques, {} steps; {} measured, {} of runs\n", name_of(target), techniques,
             edges, words(built.measured, "step of the playbook", "steps of the playbook"),
             words(built.verified, "verified step", "verified steps"));
  if (built.spent) fmt::print("{}\n", report::spending_text(*built.spent, built.prices));
}

}  // namespace

void GraphBuildFlags::declare(Flags& flags) {
  flags.on_off("--playbook", playbook,
               "Measure each kernel of the playbook against the one before it, on this device");
  flags.texts("--task", tasks, "Runs and kernels of this task alone; repeatable");
  flags.on_off("--keep", keep,
               "Add to the workspace's graph what it has not counted yet, instead of replacing it");
  models.declare(flags);
  spend.declare(flags);
  length.declare_reply(flags);
  asking.declare(flags);
}

Result<int> build_graph(const Global& global, const TargetFlags& target,
                        const GraphBuildFlags& flags) {
  const Aim aim = KW_TRY(target.aim());
  const auto data = KW_TRY(session::open_data(global));
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  KW_TRY(check_tasks(flags, data, store, aim.target));
  const auto namer = KW_TRY(open_namer(data, flags));
  const TechniqueGraph seed = memory::playbook_graph(data, aim.target);
  const TechniqueGraph before = KW_TRY(engine::workspace_graph(store, aim.target, seed));
  Builder builder(global, data, flags.keep ? TechniqueGraph() : seed,
                  (flags.keep ? before : seed).nodes(), namer.get());
  // A graph that is built from scratch starts without counts.
  Counting counting{flags.keep ? KW_TRY(engine::graph_counted(store, aim.target))
                               : engine::GraphCounted()};
  const std::size_t measured =
      KW_TRY(add_playbook(global, data, store, aim, flags, counting, builder));
  const std::size_t verified = KW_TRY(add_runs(store, aim.target, flags, counting, builder));
  const TechniqueGraph graph =
      KW_TRY(engine::change_graph(store, aim.target, seed, [&](TechniqueGraph& whole) {
        if (flags.keep)
          whole.merge(builder.graph());
        else
          whole = builder.graph();
        builder.count_ways(whole);
      }));
  if (flags.keep) {
    KW_TRY(engine::note_counted(store, aim.target, counting.now));
  } else {
    KW_TRY(engine::forget_graph_files(store, aim.target));
    KW_TRY(engine::replace_counted(store, aim.target, counting.now));
  }
  if (!builder.ended_by().empty())
    say(
        fmt::format("the model is not asked any more: {}; steps that it has named are kept, {} "
                    "left out; kw graph build --keep adds the missing ones",
                    builder.ended_by(), words(builder.unnamed(), "step is", "steps are")));
  const Built built{measured,
                    verified,
                    builder.unnamed(),
                    builder.ended_by(),
                    namer ? std::optional(namer->ledger.spent()) : std::nullopt,
                    namer ? namer->prices : std::vector<Price>()};
  tell(global, aim.target, graph, built);
  return kDone;
}

}  // namespace kw::cli
