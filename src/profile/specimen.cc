// Runs a specimen (buffers, inputs, one plan step by step, the control) and writes its report.
// SPDX-License-Identifier: Apache-2.0
#include "profile/specimen.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "base/text.h"
#include "device/cuda_buffer.h"
#include "device/cuda_context.h"
#include "device/cuda_ops.h"
#include "device/parallel.h"
#include "device/plan_encode.h"
#include "platform/files.h"
#include "player/cuda_local_plans.h"
#include "record/codec_impl.h"

KW_INSTANTIATE_CODEC(kw::profile::SpecimenJob);
KW_INSTANTIATE_CODEC(kw::profile::SpecimenReport);

namespace kw::profile {
namespace {

using device::CudaBuffer;
using player::cuda::LocalPlans;
using player::cuda::Mapped;

constexpr std::string_view kReportMark = "kw-specimen: ";
constexpr std::size_t kMostReport = std::size_t{1} << 20;
constexpr std::int64_t kControlFloats = 64;  ///< Floats in each of the control's two buffers.

Result<std::vector<std::byte>> bytes_of(const std::string& path) {
  const std::string text = KW_TRY(platform::read_file(path, std::size_t{256} << 20));
  const auto bytes = std::as_bytes(std::span(text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<> succeeded(const player::cuda::Outcome& outcome) {
  if (outcome) return fail(ErrorCode::DeviceFailed, About{outcome->words}, outcome->words);
  return {};
}

/// One plan of a candidate in a CUDA context. The order of the members matters: buffers are freed
/// before the operations and the context.
class Specimen {
 public:
  static Result<std::unique_ptr<Specimen>> open(const SpecimenJob& job) {
    std::unique_ptr<Specimen> s(new Specimen(job));
    s->context_ = KW_TRY(device::CudaContext::open(job.uuid, job.driver));
    KW_TRY(s->context_->enter());
    s->ops_ = std::make_unique<device::CudaOps>(*s->context_, s->parallel_);
    KW_TRY(s->ops_->equip(KW_TRY(bytes_of(job.ops_path))));
    KW_TRY(succeeded(s->plans_.adopt(s->context_->api(), s->context_->device())));
    KW_TRY(succeeded(s->plans_.load_trusted(KW_TRY(bytes_of(job.player_path)))));
    KW_TRY(s->allocate());
    return s;
  }

  Result<std::vector<double>> run(std::span<const int> marked) {
    if (!object_) object_ = KW_TRY(load(job_.object));
    KW_TRY(place());
    if (job_.flushes) KW_TRY(ops_->flush());
    KW_TRY(context_->synchronize("begin"));
    return run_plan(*object_, job_.object, job_.plan, buffers_, marked);
  }

  Result<> run_control() {
    const BuiltObject& object = job_.control.front();
    const std::size_t handle = KW_TRY(load(object));
    std::vector<std::unique_ptr<CudaBuffer>> buffers;
    kw::Plan plan;
    PlanStep& step = plan.steps.emplace_back();
    step.kernel = job_.defect;
    step.block = {kControlFloats, 1, 1};
    for (int i = 0; i < 2; ++i) {
      buffers.push_back(KW_TRY(CudaBuffer::allocate(
          *context_, {.name = "control", .bytes = kControlFloats * 4, .shared = false})));
      step.arguments.push_back({.parameter = i,
                                .kind = ArgumentKind::Address,
                                .bytes = 8,
                                .place = {.memory = PlanMemory::Tensor, .index = i}});
    }
    const std::vector<std::byte> zeros(kControlFloats * 4);
    KW_TRY(buffers.front()->write(0, zeros));  // the second buffer is never written
    KW_TRY(run_plan(handle, object, plan, buffers, {}));
    return {};
  }

 private:
  explicit Specimen(const SpecimenJob& job) : job_(job) {}

  Result<> allocate() {
    for (const Tensor& t : job_.workload.tensors)
      buffers_.push_back(KW_TRY(
          CudaBuffer::allocate(*context_, {.name = t.name, .bytes = t.bytes(), .shared = false})));
    for (const PlanWorkspace& w : job_.plan.workspaces)
      buffers_.push_back(KW_TRY(
          CudaBuffer::allocate(*context_, {.name = w.name, .bytes = w.bytes, .shared = false})));
    return {};
  }

  Result<std::size_t> load(const BuiltObject& object) {
    std::int32_t handle = 0;
    KW_TRY(succeeded(plans_.load(KW_TRY(bytes_of(object.path)), handle)));
    return static_cast<std::size_t>(handle);
  }

  /// Fills the buffers as before every call, but leaves out the poison.
  Result<> place() {
    const auto zero = [&](CudaBuffer& buffer) {
      Tensor bytes;  // a device fills a tensor of bytes with zeros
      bytes.dtype = Dtype::U8;
      bytes.sizes = {buffer.bytes()};
      bytes.pitch = buffer.bytes();
      bytes.values.kind = "zero";
      return ops_->fill(buffer, bytes, 0);
    };
    std::size_t at = 0;
    for (const Tensor& t : job_.workload.tensors) {
      CudaBuffer& buffer = *buffers_[at++];
      const bool is_drawn =
          t.role == TensorRole::In || (t.role == TensorRole::InOut && t.initial == Initial::Values);
      if (is_drawn)
        KW_TRY(ops_->fill(buffer, t, Seed::from_number(job_.seed).child(t.name).low));
      else if (t.initial == Initial::Zero)
        KW_TRY(zero(buffer));
    }
    for (const PlanWorkspace& w : job_.plan.workspaces) {
      CudaBuffer& buffer = *buffers_[at++];
      if (w.initial == Initial::Zero) KW_TRY(zero(buffer));
    }
    return {};
  }

  Result<std::vector<double>> run_plan(std::size_t handle, const BuiltObject& object,
                                       const kw::Plan& plan,
                                       std::span<const std::unique_ptr<CudaBuffer>> buffers,
                                       std::span<const int> marked) {
    device::PlanOperands operands;
    std::vector<Mapped> mapped;
    const std::size_t tensors = buffers.size() - plan.workspaces.size();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      mapped.push_back({buffers[i]->payload(), static_cast<std::uint64_t>(buffers[i]->bytes())});
      (i < tensors ? operands.tensors : operands.workspaces).push_back(static_cast<int>(i));
    }
    operands.symbol = [&object](std::string_view name) {
      const KernelFacts* facts = object.kernel(name);
      return facts == nullptr || facts->symbol.empty() ? std::string(name) : facts->symbol;
    };
    const auto bytes = KW_TRY(device::encode_plan(plan, operands));
    std::vector<double> step_ns;
    KW_TRY(succeeded(plans_.run_apart(handle, bytes, std::move(mapped), marked, step_ns)));
    return step_ns;
  }

  const SpecimenJob& job_;
  device::Parallel parallel_{1};
  std::unique_ptr<device::CudaContext> context_;
  std::unique_ptr<device::CudaOps> ops_;
  LocalPlans plans_;
  std::vector<std::unique_ptr<CudaBuffer>> buffers_;  ///< Tensors, then workspaces.
  std::optional<std::size_t> object_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Result<SpecimenReport> run_specimen(const SpecimenJob& job) {
  const auto specimen = KW_TRY(Specimen::open(job));
  SpecimenReport report;
  std::vector<std::vector<double>> runs;
  for (int i = 0; i < job.runs && report.failure.empty(); ++i) {
    auto step_ns = specimen->run(job.marked);
    if (step_ns.has_value())
      runs.push_back(std::move(*step_ns));
    else
      report.failure = step_ns.error().what;
  }
  // The control runs after a failure too: a sanitizer that stopped the plan may still find the
  // control's defect.
  if (!job.control.empty())
    if (const auto ran = specimen->run_control(); !ran.has_value() && report.failure.empty())
      report.failure = "the control: " + ran.error().what;
  for (std::size_t step = 0; !runs.empty() && step < runs.front().size(); ++step) {
    std::vector<double> values;
    for (const auto& run : runs)
      if (step < run.size()) values.push_back(run[step]);
    report.step_ns.push_back(median(std::move(values)));
  }
  return report;
}

std::string report_line(const SpecimenReport& report) {
  return "\n" + std::string(kReportMark) + encode(report) + "\n";
}

std::optional<SpecimenReport> find_report(std::string_view output) {
  for (const std::string_view line : split_lines(output)) {
    if (!line.starts_with(kReportMark) || line.size() > kMostReport) continue;
    if (auto report = decode<SpecimenReport>(line.substr(kReportMark.size())))
      return std::move(*report);
  }
  return std::nullopt;
}

}  // namespace kw::profile
