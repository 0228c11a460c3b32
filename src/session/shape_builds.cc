// Chooses knobs and constants of a kernel for each timed shape, reports the choices and writes the
// specialised kernel.
// SPDX-License-Identifier: Apache-2.0
#include "session/shape_builds.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "record/codec.h"
#include "record/interval.h"
#include "record/target.h"
#include "report/evaluation_json.h"

namespace kw::session {
namespace {

std::string interval_of(const Speedup& s) {
  return fmt::format("{:.3f}x{}", s.value, in_brackets(range_text(s)));
}

std::string words_of(const engine::ShapeChoice& shape) {
  std::string tried =
      fmt::format("{} setting{} of the knobs", shape.tried, shape.tried == 1 ? "" : "s");
  if (shape.failed > 0)
    tried += fmt::format(", {} of which failed: {}", shape.failed,
                         engine::failure_words(shape.first_failure));
  if (!shape.confirmation)
    return fmt::format("{}: no build is faster; tried: {}", shape.workload, tried);
  const Evaluation& seen = *shape.confirmation;
  if (!shape.arm)
    return fmt::format(
        "{}: the fastest build was not confirmed: {}; tried: {}", shape.workload,
        seen.verdict.is_correct() ? interval_of(seen.speedup) : engine::failure_words(seen.verdict),
        tried);
  const std::string knobs = knobs_text(shape.arm->knobs);
  return fmt::format("{}: {} the speed of the general build with {}; tried: {}", shape.workload,
                     interval_of(seen.speedup), knobs.empty() ? "its sizes as constants" : knobs,
                     tried);
}

/// Writes the specialised kernel and its certificate, and sets the path in `builds`.
Result<> write_down(const store::RunStore& store, ShapeBuilds& builds, const std::string& task,
                    Target target) {
  platform::Path folder;
  std::error_code ignored;
  for (int n = 1; folder.empty() || std::filesystem::exists(folder, ignored); ++n)
    folder = store.root() / "specialised" / fmt::format("{}-{}", task, n);
  KW_TRY(platform::make_dirs(folder));
  const platform::Path kernel = folder / (task + std::string(source_suffix(target)));
  KW_TRY(platform::write_file_atomic(kernel, builds.result.kernel->source, false));
  builds.path = kernel.string();
  const std::string certificate = dump_json(shape_builds_json(builds, task, target)) + "\n";
  return platform::write_file_atomic(folder / "certificate.json", certificate, false);
}

}  // namespace

Json shape_builds_json(const ShapeBuilds& builds, const std::string& task, Target target) {
  const engine::Specialised& result = builds.result;
  Json shapes = Json::array();
  for (const engine::ShapeChoice& shape : result.shapes) {
    Json one{{"workload", shape.workload}, {"tried", shape.tried}, {"failed", shape.failed}};
    if (shape.failed > 0) one["first_failure"] = engine::failure_words(shape.first_failure);
    if (shape.arm) one["sizes"] = shape.arm->sizes, one["knobs"] = shape.arm->knobs;
    if (shape.confirmation) one["over_itself"] = report::evaluation_json(*shape.confirmation);
    shapes.push_back(std::move(one));
  }
  Json told{{"task", task},
            {"target", name_of(target)},
            {"mode", "specialised"},
            {"confirmed", result.is_kept()},
            {"shapes", std::move(shapes)}};
  if (result.over_baseline) told["over_baseline"] = report::evaluation_json(*result.over_baseline);
  if (result.terms) told["terms"] = encode_json(*result.terms);
  if (!builds.path.empty()) told["path"] = builds.path;
  if (result.kernel)
    told["candidate"] = {{"name", result.kernel->name},
                         {"source_sha256", sha256(result.kernel->source).hex()}};
  return told;
}

Result<ShapeBuilds> build_for_shapes(const engine::Surroundings& s,
                                     const engine::TaskWorkbench& workbench,
                                     const Candidate& kernel,
                                     const engine::SpecialiseOptions& options,
                                     const std::function<void(const std::string&)>& tell) {
  tell(fmt::format(
      "building the kernel for each timed shape: up to {} settings of the knobs for each",
      options.points));
  ShapeBuilds builds{
      KW_TRY(engine::specialise(s, workbench, kernel, options,
                                [&](const engine::ShapeChoice& shape) { tell(words_of(shape)); })),
      ""};
  if (builds.result.is_kept())
    KW_TRY(write_down(s.store, builds, workbench.definition().task.name, kernel.target));
  return builds;
}

std::string shape_builds_words(const ShapeBuilds& builds) {
  const engine::Specialised& result = builds.result;
  if (!result.over_baseline)
    return "No shape gained anything for certain; the kernel stays as it is.\n";
  const Evaluation& whole = *result.over_baseline;
  if (!result.is_kept())
    return fmt::format("The kernel with a build for each shape was not confirmed as a whole: {}\n",
                       engine::failure_words(whole.verdict));
  return fmt::format("Specialised: {} of {}\n{}\n", interval_of(whole.speedup),
                     whole.opponent_words(), builds.path);
}

}  // namespace kw::session
