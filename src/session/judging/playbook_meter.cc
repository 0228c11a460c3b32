// Measures steps between kernels of the playbook.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/playbook_meter.h"

#include <fmt/format.h>

#include <charconv>

#include "base/hash.h"
#include "base/rng.h"
#include "task/header.h"

namespace kw::session {
namespace {

constexpr const char* kMeasuredFact = "playbook step";

std::string key_of(const memory::PlaybookStep& step, const std::string& device) {
  return device + "|" + step.name + "|" + sha256(step.code_before + "\n" + step.code).hex();
}

std::optional<Candidate> first_baseline(const engine::TaskWorkbench& workbench) {
  const auto& all = workbench.baselines();
  return all.empty() ? std::nullopt : std::optional(all.front());
}

}  // namespace

std::string PlaybookMeter::counted(const memory::PlaybookStep& step) {
  return "playbook " + key_of(step, "");
}

Result<std::optional<double>> PlaybookMeter::known(const memory::PlaybookStep& step) const {
  const auto facts = KW_TRY(remembered_device(store_, aim_.target));
  if (!facts) return std::optional<double>();
  const auto text = KW_TRY(store_.facts().recall(kMeasuredFact, key_of(step, facts->id)));
  if (!text) return std::optional<double>();
  double speedup = 0;
  std::from_chars(text->data(), text->data() + text->size(), speedup);
  return std::optional(speedup);
}

Result<double> PlaybookMeter::measure(const memory::PlaybookStep& step) {
  if (!machine_) {
    machine_ = KW_TRY(LocalJudge::open(options_, &store_, aim_));
    KW_TRY(machine_->ensure_ceilings());
  }
  auto definition = KW_TRY(open_accepted_task(options_, data_, step.task));
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(options_, aim_, machine_->facts()))));
  const auto kernel = candidate_of(step.name, step.code, workbench);
  const auto before = step.before_name.empty()
                          ? first_baseline(workbench)
                          : candidate_of(step.before_name, step.code_before, workbench);
  double speedup = 0;
  if (kernel && before) speedup = KW_TRY(speedup_of(step, workbench, *kernel, *before));
  KW_TRY(store_.facts().remember(kMeasuredFact, key_of(step, machine_->facts().id),
                                 fmt::format("{:.6g}", speedup)));
  return speedup;
}

Result<double> PlaybookMeter::speedup_of(const memory::PlaybookStep& step,
                                         const engine::TaskWorkbench& workbench,
                                         const Candidate& kernel, const Candidate& before) {
  auto request = KW_TRY(workbench.request(kernel, &before));
  request.id = "graph-" + kernel.name;
  request.seed = Seed::from_os().low;
  request.measure.purpose = Purpose::Search;
  const auto evaluation = KW_TRY(machine_->carrier().evaluate(std::move(request)));
  if (!evaluation.verdict.is_correct() || evaluation.speedup.value <= 0) {
    options_.notice(fmt::format("{}: {} at {}, so no gain is stored", step.name,
                                name_of(evaluation.verdict.outcome),
                                name_of(evaluation.verdict.stage)));
    return 0.0;
  }
  options_.notice(fmt::format("{}: {:.3g}x {}", step.name, evaluation.speedup.value, before.name));
  return evaluation.speedup.value;
}

std::optional<Candidate> PlaybookMeter::candidate_of(const std::string& name,
                                                     const std::string& source,
                                                     const engine::TaskWorkbench& workbench) const {
  auto candidate =
      task::make_candidate(platform::Path(name).stem().string(), source, Origin::Playbook,
                           workbench.definition().task.restrictions, aim_.target);
  return candidate ? std::optional(std::move(*candidate)) : std::nullopt;
}

}  // namespace kw::session
