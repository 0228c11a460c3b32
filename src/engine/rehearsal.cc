// Begins a run in a scratch store and ends it with the first request to a model.
// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearsal.h"

#include <optional>
#include <utility>

#include "engine/graphs.h"
#include "engine/loop.h"

namespace kw::engine {
namespace {

/// The parts of a run that decide and write, begun with what the workspace knows.
struct Begun {
  RunSummary run;
  Loop loop;
  std::optional<Lessons> lessons;
  Writer writer;
};

Result<Loop> loop_of(const Rehearsal& s, const RunSummary& run, const RunConfig& config,
                     const BaselineStanding& baseline) {
  std::shared_ptr<const TechniqueGraph> graph;
  if (KW_TRY(knows_graph(config)))
    graph = std::make_shared<const TechniqueGraph>(KW_TRY(graph_of_run(
        s.scratch, run, KW_TRY(workspace_graph(s.store, config.target, s.writing.graph)))));
  return Loop::create(
      s.workbench, config, baseline.candidate, [](const std::string&) {}, std::move(graph));
}

std::string now_of(const Rehearsal& s) { return platform::utc_text(s.clock.wall_seconds()); }

/// What the workspace would give a run. A rehearsal that begins twice asks once, since each
/// beginning counts the cards that it tells.
Result<std::optional<LessonSnapshot>> known_to(const Rehearsal& s, const RunConfig& config) {
  if (s.learning == nullptr || !config.uses_memory) return std::optional<LessonSnapshot>();
  return std::optional(KW_TRY(lessons_for(s.store, *s.learning, now_of(s))));
}

Result<Begun> begin(const Rehearsal& s, const RunConfig& config, const BaselineStanding& baseline,
                    const std::optional<LessonSnapshot>& known) {
  RunSummary run = KW_TRY(s.scratch.create(config, now_of(s)));
  Loop loop = KW_TRY(loop_of(s, run, config, baseline));
  // The scratch store has no lessons of its own.
  if (known) KW_TRY(s.scratch.lessons().begin(run.id, *known));
  auto lessons = KW_TRY(Lessons::open(s.learning, s.scratch, s.clock, run));
  auto writer = KW_TRY(Writer::open(s.writing, s.scratch, s.clock, run, baseline.mean_ns));
  return Begun{std::move(run), std::move(loop), std::move(lessons), std::move(writer)};
}

Result<> write(Begun& begun, const InFlight& flight) {
  KW_TRY(begun.writer.write(flight, begun.loop, begun.lessons ? &*begun.lessons : nullptr));
  return {};
}

/// The configuration as a run fixes it when it begins.
RunConfig fixed(const Rehearsal& s, RunConfig config, const BaselineStanding& baseline) {
  config.baseline = baseline.candidate.name;
  config.ideas = static_cast<int>(s.workbench.ideas().size());
  return config;
}

}  // namespace

Result<std::vector<std::string>> rehearse(const Rehearsal& s, const RunConfig& asked,
                                          const BaselineStanding& baseline) {
  RunConfig config = fixed(s, asked, baseline);
  const auto known = KW_TRY(known_to(s, config));
  std::vector<std::string> kernels;
  for (;;) {
    Begun begun = KW_TRY(begin(s, config, baseline, known));
    while (const auto flight = KW_TRY(begun.loop.ask())) {
      if (flight->is_to_be_written()) {
        KW_TRY(write(begun, *flight));
        return kernels;
      }
      kernels.push_back(begun.loop.name_of_idea(flight->ask));
    }
    if (config.start_attempts == 0)
      return fail_input(
          ErrorCode::Unsupported, About{config.strategy},
          "strategy '" + config.strategy +
              "' asks for no source before it knows outcomes, so it has no first prompt to show",
          config.task);
    config.start_attempts = 0;
  }
}

Result<> rehearse_errand(const Rehearsal& s, const RunConfig& asked,
                         const BaselineStanding& baseline, Errand errand, Attempt parent) {
  KW_ASSERT(errand != Errand::Write);
  const RunConfig config = fixed(s, asked, baseline);
  Begun begun = KW_TRY(begin(s, config, baseline, KW_TRY(known_to(s, config))));
  parent.number = 1;
  KW_TRY(s.scratch.append(begun.run, parent));
  InFlight flight;
  flight.number = 2;
  flight.ask.role = search::Role::Write;
  flight.ask.idea = search::kUnwritten;
  flight.ask.errand = errand;
  flight.ask.parent = 1;
  return write(begun, flight);
}

}  // namespace kw::engine
