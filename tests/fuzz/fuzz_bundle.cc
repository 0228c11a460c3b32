// Fuzzes requests and results from a foreign file: where they are accepted, sizes do not overflow
// and offsets lie inside their tensors.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/bounds.h"
#include "record/codec.h"
#include "worker/bundle.h"
#include "worker/messages.h"
#include "worker/request_check.h"

namespace {

/// Reads everything that a worker would read, so that the sanitizers see overflows.
void compute(const kw::EvaluationRequest& request) {
  [[maybe_unused]] static volatile std::int64_t sink;
  for (const kw::Workload& w : request.workloads) {
    sink = w.bytes();
    for (const kw::Tensor& t : w.tensors) {
      if (t.bytes() < 0 || t.rows() < 0 || t.extent() < 0) __builtin_trap();
      for (const kw::Region& region : t.compared)
        for (std::size_t i = 0; i < t.sizes.size(); ++i)
          if (region.ranges.at(i).hi > t.sizes[i]) __builtin_trap();
    }
  }
  for (const kw::RolePlan& role : request.plans) {
    sink = role.plan.workspace_bytes();
    for (const kw::PlanStep& step : role.plan.steps)
      if (step.kind == kw::StepKind::Launch)
        sink = step.block.at(0) * step.block[1] * step.block[2];
  }
}

void look_at(const kw::EvaluationRequest& request) {
  if (!kw::check_request(request)) return;
  compute(request);
  kw::DeviceFacts facts;
  facts.memory_bytes = std::int64_t{1} << 33;
  (void)kw::worker::check_judgeable(request, facts, kw::worker::Wanted::Judgement);
}

void look_at(const kw::Evaluation& evaluation) {
  if (kw::check_evaluation(evaluation) && !(evaluation.mean_time_ns() >= 0)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bundle = kw::decode<kw::worker::Bundle>(text))
    for (const auto& asked : bundle->evaluations) look_at(asked.request);
  if (const auto results = kw::decode<kw::worker::BundleResults>(text))
    for (const auto& answer : results->answers) look_at(answer.evaluation);
  if (const auto message = kw::decode<kw::worker::Message>(text))
    for (const auto& request : message->request) look_at(request);
  if (const auto reply = kw::decode<kw::worker::Reply>(text))
    for (const auto& evaluation : reply->evaluation) look_at(evaluation);
  return 0;
}
