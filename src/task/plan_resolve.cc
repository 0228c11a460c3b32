// Resolves the names, loops, guards and branches of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "record/at_double.h"
#include "record/target.h"
#include "task/plan_arguments.h"
#include "task/plan_resolver.h"

namespace kw::task {
namespace {

constexpr std::int64_t kMaxTurns = 65536;
constexpr std::size_t kMaxBranchNotes = 64;
/// The most bytes of workspace for a task's own float64 references, which the task's restrictions
/// do not limit.
constexpr std::int64_t kMostTruthBytes = std::int64_t{64} << 30;

/// The workload and knobs for a message: "large: m = 4096, n = 4096; BM = 64". A workload of group
/// check is not named and its sizes stay hidden.
std::string site_words(const PlanSite& site, const KnobPoint& point) {
  std::string words = "in a workload that is not shown";
  if (site.workload.group != Group::Check) {
    std::vector<std::string> dims;
    for (const auto& [name, size] : site.workload.dims)
      dims.push_back(fmt::format("{} = {}", name, size));
    words = fmt::format("at workload {}: {}", site.workload.name, join(dims, ", "));
  }
  if (!point.empty()) words += "; " + knobs_text(point, " = ", ", ");
  return words;
}

/// Defines the numbers that depend only on knobs.
Planned<> define_macros(const CandidateHeader& header, const KnobPoint& point, PlanScope& scope) {
  for (const std::string& define : header.defines(point)) {
    const auto equals = define.find('=');
    KW_TRY(scope.define(0, define.substr(0, equals), std::stoll(define.substr(equals + 1))));
  }
  return {};
}

/// Collects the kernels of all launches that are possible with the given knobs, whatever the
/// workload.
class KernelList {
 public:
  explicit KernelList(const PlanScope& knobs) : knobs_(knobs) {}

  Planned<> visit(const PlanBlock& block) {
    for (const PlanNode& node : block) {
      if (const auto* launch = std::get_if<LaunchNode>(&node.what)) {
        names_.insert(KW_TRY(kernel_text(launch->kernel, knobs_)));
      } else if (const auto* loop = std::get_if<ForNode>(&node.what)) {
        KW_TRY(visit(loop->body));
        if (loop->tail) KW_TRY(visit(*loop->tail));
      } else if (const auto* fork = std::get_if<ForkNode>(&node.what)) {
        KW_TRY(visit(fork->body));
      } else if (const auto* guard = std::get_if<WhenNode>(&node.what)) {
        KW_TRY(visit(*guard));
      }
    }
    return {};
  }

  std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

 private:
  Planned<> visit(const WhenNode& guard) {
    for (const auto& branch : guard.branches) {
      // If the condition cannot be evaluated without the workload, both branches are possible.
      const auto value =
          branch.condition ? knobs_.value(*branch.condition) : Planned<std::int64_t>(1);
      if (value && *value == 0) continue;
      KW_TRY(visit(branch.body));
      if (value) break;
    }
    return {};
  }

  const PlanScope& knobs_;
  std::set<std::string> names_;
};

Finding diagnostic_of(std::string_view source, std::string_view file, const PlanTrouble& wrong) {
  Finding finding = diagnostic_at(source, file, wrong.at, wrong.words.text);
  finding.about = wrong.kind_and_about();
  finding.numbers = wrong.words.numbers;
  return finding;
}

PlanFault fault_of(Finding finding, bool is_limit) {
  Verdict verdict =
      make_verdict(is_limit ? Stage::Launch : Stage::Screen,
                   is_limit ? Outcome::OutOfResources : Outcome::Rejected,
                   {.kind = is_limit ? EvidenceKind::PlanBeyondLimit : EvidenceKind::PlanRefused,
                    .place = finding.place,
                    .detail = finding.text});
  return {std::move(verdict), std::move(finding)};
}

}  // namespace

PlanResolver::PlanResolver(const CandidateHeader& header, const KnobPoint& point,
                           const PlanSite& site)
    : header_(header),
      point_(point),
      site_(site),
      scope_(site.workload.group == Group::Check),
      knobs_(false) {}

Planned<Plan> PlanResolver::run() {
  KW_TRY(define_names());
  KW_TRY(run_scope(header_.plan));
  if (dialect_of(header_).trust_class == TrustClass::HostLauncher)
    KW_TRY(order_.add(call_step(site_, plan_.workspaces.size()), 0));
  plan_.steps = order_.take_steps();
  if (plan_.steps.empty())
    return trouble(0, PlanFlaw::Missing, About{"step"},
                   "the plan has no step that runs for this workload and these knobs");
  return std::move(plan_);
}

Planned<> PlanResolver::define_names() {
  const Workload& workload = site_.workload;
  for (const auto& [name, size] : workload.dims) KW_TRY(scope_.define(0, name, size));
  Names numbers(workload.dims.begin(), workload.dims.end());
  for (const Let& let : site_.definition.lets) {
    const auto value = let.value.expr.evaluate(numbers);
    KW_ASSERT(value.has_value());  // otherwise no workload would have been resolved
    numbers[let.name] = *value;
    KW_TRY(scope_.define(0, let.name, *value));
  }
  for (const Scalar& scalar : workload.scalars) {
    if (is_real(scalar.dtype))
      scope_.define_real(scalar.name, scalar.real);
    else if (!numbers.contains(scalar.name))
      KW_TRY(scope_.define(0, scalar.name, scalar.integer));
  }
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    PlanSpace space;
    space.name = tensor.name;
    space.index = static_cast<int>(i);
    space.type = kw::name_of(tensor.dtype);
    space.element_bytes = static_cast<int>(size_of(tensor.dtype));
    space.sizes = tensor.sizes;
    space.pitch = tensor.pitch;
    space.bytes = tensor.bytes();
    space.alignment = tensor.alignment;
    space.is_writable = tensor.role != TensorRole::In;
    KW_TRY(scope_.define(0, std::move(space)));
  }
  for (const auto& [name, value] : device_limits(site_.gpu)) scope_.imply(name, value);
  KW_TRY(define_macros(header_, point_, scope_));
  return define_macros(header_, point_, knobs_);
}

Planned<> PlanResolver::run_block(const PlanBlock& block) {
  for (const PlanNode& node : block)
    KW_TRY(std::visit([&](const auto& what) { return visit(what, node.at); }, node.what));
  return {};
}

/// Resolves a block in which names and forks are local.
Planned<> PlanResolver::run_scope(const PlanBlock& block) {
  const std::size_t mark = scope_.mark();
  PlanOrder::Forks outer = order_.begin_block();
  KW_TRY(run_block(block));
  KW_TRY(order_.end_block(std::move(outer)));
  scope_.reset(mark);
  return {};
}

Planned<> PlanResolver::visit(const LetNode& node, std::size_t at) {
  return scope_.define(at, node.name, KW_TRY(scope_.value(node.value)));
}

Planned<> PlanResolver::visit(const RequireNode& node, std::size_t at) {
  if (KW_TRY(scope_.value(node.condition)) != 0) return {};
  const auto& names = node.condition.expr.names();
  const bool is_of_device =
      std::ranges::any_of(names, [](const auto& name) { return contains(device_names(), name); });
  std::string message =
      fmt::format("this `// kw: require` condition does not hold: {}", node.condition.expr.text());
  if (contains(names, "arch")) message += fmt::format("; arch is {}", site_.gpu.arch);
  return std::unexpected(PlanTrouble{at, PlanFlaw::Unmet, node.condition.expr.text(),
                                     Wording{std::move(message), {}}, is_of_device});
}

Planned<> PlanResolver::turn(const ForNode& node, std::size_t at, std::int64_t value,
                             const PlanBlock& block) {
  if (++turns_ > kMaxTurns)
    return trouble(at, PlanFlaw::TooMany, About{"turns"},
                   worded("the loops of the plan take more than {} turns", kMaxTurns));
  const std::size_t mark = scope_.mark();
  KW_TRY(scope_.define(at, node.name, value));
  KW_TRY(run_scope(block));
  scope_.reset(mark);
  return {};
}

Planned<> PlanResolver::visit(const ForNode& node, std::size_t at) {
  const std::int64_t low = KW_TRY(scope_.value(node.low));
  const std::int64_t high = KW_TRY(scope_.value(node.high));
  const std::int64_t stride = node.stride ? KW_TRY(scope_.value(*node.stride)) : 1;
  if (stride < 1)
    return trouble(
        node.stride->at, PlanFlaw::OutOfRange, About{"step"},
        worded("the step of this loop is {}, and must be above 0", scope_.figure(stride)));
  ++loops_;
  // `high - t` is computed with unsigned numbers, so that it cannot overflow.
  std::int64_t t = low;
  while (t < high) {
    const std::uint64_t left = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(t);
    const bool is_whole = left >= static_cast<std::uint64_t>(stride);
    if (node.tail && !is_whole) break;
    KW_TRY(turn(node, at, t, node.body));
    if (!is_whole) {
      t = high;
      break;
    }
    t += stride;
  }
  for (; node.tail && t < high; ++t) KW_TRY(turn(node, at, t, *node.tail));
  --loops_;
  return {};
}

Planned<> PlanResolver::visit(const WhenNode& node, std::size_t) {
  for (const auto& branch : node.branches) {
    bool is_taken = true;
    if (branch.condition) {
      is_taken = KW_TRY(scope_.value(*branch.condition)) != 0;
      auto note = fmt::format("{}: {}", branch.condition->expr.text(), is_taken ? "yes" : "no");
      if (plan_.branches.size() < kMaxBranchNotes && !contains(plan_.branches, note))
        plan_.branches.push_back(std::move(note));
    }
    if (is_taken) return run_scope(branch.body);
  }
  return {};
}

Planned<> PlanResolver::visit(const ForkNode& node, std::size_t at) {
  PlanOrder::Branch parent = KW_TRY(order_.begin_fork(node, at));
  KW_TRY(run_scope(node.body));
  order_.end_fork(node, at, std::move(parent));
  return {};
}

Planned<> PlanResolver::visit(const JoinNode& node, std::size_t at) {
  return order_.join(node, at);
}

std::expected<Plan, PlanFault> resolve_plan(const CandidateHeader& header, std::string_view source,
                                            std::string_view file, const KnobPoint& point,
                                            const PlanSite& site) {
  KW_ASSERT(header.is_valid(point));
  auto plan = PlanResolver(header, point, site).run();
  if (plan) return std::move(*plan);
  auto finding = diagnostic_of(source, file, plan.error());
  finding.text += fmt::format(" ({})", site_words(site, point));
  return std::unexpected(fault_of(std::move(finding), plan.error().is_limit));
}

std::expected<std::vector<std::string>, Diagnostics> kernel_names(const CandidateHeader& header,
                                                                  std::string_view source,
                                                                  std::string_view file,
                                                                  const KnobPoint& point,
                                                                  std::string_view arch) {
  PlanScope knobs(false);
  auto status = define_macros(header, point, knobs);
  for (const auto& [name, value] : arch_names(arch)) knobs.imply(name, value);
  KernelList kernels(knobs);
  if (status) status = kernels.visit(header.plan);
  if (status) return kernels.names();
  return std::unexpected(Diagnostics{diagnostic_of(source, file, status.error())});
}

std::expected<std::vector<RolePlan>, PlanFault> candidate_plans(const Definition& definition,
                                                                const Candidate& candidate,
                                                                std::string_view role,
                                                                std::span<const Workload> workloads,
                                                                const GpuFacts& gpu) {
  const std::string file = candidate.name + std::string(source_suffix(candidate.target));
  const auto header = parse_header(candidate);
  if (!header) return std::unexpected(fault_of(header.error().front(), false));
  if (!header->is_valid(candidate.knobs)) {
    Finding finding;
    finding.kind = FindingKind::Diagnostic;
    finding.text = "the given knob values are not among those that the kernel allows";
    finding.place = file;
    finding.about = "knobs";
    return std::unexpected(fault_of(std::move(finding), false));
  }
  const bool is_truth = is_truth_role(role);
  if (is_truth && dialect_of(*header).trust_class == TrustClass::HostLauncher) {
    auto finding =
        diagnostic_at(candidate.source, file, 0,
                      "a reference for target cuda must be device code, not a host launcher");
    finding.about = "host launcher";
    return std::unexpected(fault_of(std::move(finding), false));
  }
  const std::int64_t restriction = definition.task.restrictions.workspace_bytes;
  std::vector<RolePlan> plans;
  for (const Workload& given : workloads) {
    const Workload widened = is_truth ? at_double(given) : Workload();
    const Workload& workload = is_truth ? widened : given;
    const PlanSite site{definition, workload, gpu,
                        is_truth           ? kMostTruthBytes
                        : restriction == 0 ? kDefaultWorkspaceBytes
                                           : restriction};
    auto plan = resolve_plan(*header, candidate.source, file, candidate.knobs, site);
    if (!plan) return std::unexpected(std::move(plan.error()));
    plans.push_back({std::string(role), given.name, std::move(*plan)});
  }
  return plans;
}

}  // namespace kw::task
