// Reading kernels from files and runs.
// SPDX-License-Identifier: Apache-2.0
#include "cli/given_kernel.h"

#include <fmt/format.h>

#include "cli/session.h"
#include "task/header.h"
#include "task/narrowed.h"

namespace kw::cli {

Result<> set_knobs(Candidate& kernel, const std::vector<std::string>& settings) {
  if (settings.empty()) return {};
  const auto header = task::parse_header(kernel);
  kernel.knobs = KW_TRY(as_input(task::apply_settings(*header, settings)));
  return {};
}

Result<Candidate> kernel_in_file(const std::string& file, Target target,
                                 const task::Definition& definition,
                                 const std::vector<std::string>& settings) {
  const std::string source =
      task::with_overload(definition, KW_TRY(as_input(platform::read_file(file))), target);
  auto candidate = task::make_candidate(platform::Path(file).stem().string(), source, Origin::Human,
                                        definition.task.restrictions, target);
  if (!candidate) return fail_input(task::to_text(candidate.error()), file);
  KW_TRY(set_knobs(*candidate, settings));
  return std::move(*candidate);
}

Result<Candidate> best_of_run(const store::RunStore& store, const RunSummary& run, Target target,
                              const task::Definition& definition) {
  if (run.config.task != definition.task.name)
    return fail_input("the run is of task " + run.config.task, run.name);
  if (run.config.target != target)
    return fail_input(fmt::format("the run is of target {}", name_of(run.config.target)), run.name);
  if (run.best_attempt == 0) return fail_input("the run has no correct candidate", run.name);
  return KW_TRY(store.attempt(run.id, run.best_attempt)).candidate;
}

}  // namespace kw::cli
