// Starts the processes of one program, loads and binds the program there, and replaces them.
// SPDX-License-Identifier: Apache-2.0
#include "referee/leg.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/defence.h"
#include "base/text.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

// The alignment of every allocation that a device makes; docs/launch-plan.md promises it.
constexpr std::int64_t kWorkspaceAlignment = 256;
constexpr int kLeastEmptyCalls = 15;   // some 40 µs each
constexpr int kMostEmptyCalls = 150;   // calls are made until one of them is stamped
constexpr double kMostApartNs = 10e3;  // about two launches, which explain no larger gap

}  // namespace

Leg::Leg(device::Device& device, const Task& task, device::PlayerSpec spec, Program program,
         const std::vector<Stand>& stands, Seed seed)
    : device_(device),
      task_(task),
      spec_(std::move(spec)),
      program_(std::move(program)),
      seed_(seed) {
  spec_.runs_host_code = runs_host_code();
  for (const Stand& stand : stands)
    posts_.push_back({.stand = stand,
                      .plan = runs_plans() ? program_.plan(stand.workload->name) : nullptr,
                      .workspaces = {},
                      .why_not_captured = {}});
}

Leg::~Leg() {
  if (tenants_) std::erase(*tenants_, this);
}

void Leg::join(std::shared_ptr<Tenants> tenants) {
  KW_ASSERT(!tenants_);
  tenants_ = std::move(tenants);
  tenants_->push_back(this);
}

Leg::Post& Leg::post_of(const Workload& workload) {
  for (Post& post : posts_)
    if (post.stand.workload == &workload) return post;
  panic("a leg was asked for a workload at which it does not stand");
}

// Allocates the workspaces once for all processes of this leg: their content is written anew before
// every call anyway.
Result<std::optional<Verdict>> Leg::allocate_workspaces() {
  // The task's own references may use all memory that there is.
  const bool is_restricted = program_.role == "candidate" || program_.role == "opponent";
  const std::int64_t allowed = task_.restrictions.workspace_bytes > 0
                                   ? task_.restrictions.workspace_bytes
                                   : kDefaultWorkspaceBytes;
  const std::int64_t limit = is_restricted ? allowed : std::numeric_limits<std::int64_t>::max();
  for (Post& post : posts_) {
    const std::string& where = post.stand.workload->name;
    if (post.plan == nullptr)
      return fail(ErrorCode::Missing, About{"plan of the " + program_.role},
                  fmt::format("the request has no launch plan of the {} at workload '{}'",
                              program_.role, where));
    const std::int64_t bytes = post.plan->workspace_bytes();
    Evidence seen{.kind = EvidenceKind::WorkspacesBeyondDevice,
                  .workload = where,
                  .numbers = {static_cast<double>(bytes)}};
    if (bytes > limit) {
      seen.kind = EvidenceKind::WorkspacesBeyondTask;
      seen.numbers.push_back(static_cast<double>(limit));
    }
    if (bytes > limit || bytes > device_.free_bytes())
      return make_verdict(Stage::Launch, Outcome::OutOfResources, std::move(seen));
    for (const PlanWorkspace& wanted : post.plan->workspaces) {
      auto made = device_.allocate({.name = where + "." + wanted.name,
                                    .bytes = wanted.bytes,
                                    .alignment = kWorkspaceAlignment,
                                    .shared = true});
      // Other programs may have taken what was free a moment ago, and the candidate asked for no
      // more than the task allows. So the failure is a verdict and no error.
      if (!made && is_restricted)
        return make_verdict(Stage::Launch, Outcome::OutOfResources,
                            {.kind = EvidenceKind::NoRoomForWorkspace,
                             .workload = where,
                             .subject = wanted.name,
                             .detail = made.error().what});
      post.workspaces.push_back(KW_TRY(std::move(made)));
      spec_.buffers.push_back(post.workspaces.back().get());
      spec_.writable.push_back(true);
    }
  }
  has_workspaces_ = true;
  return std::nullopt;
}

device::LoadResult Leg::bind(Post& post, int object) {
  device::Binding binding{.object = object, .plan = post.plan};
  const std::size_t tensors =
      post.stand.workload->tensors.size() * static_cast<std::size_t>(post.stand.slots);
  for (std::size_t i = 0; i < tensors; ++i)
    binding.tensors.push_back(post.stand.first_buffer + static_cast<int>(i));
  for (const auto& workspace : post.workspaces)
    for (std::size_t b = 0; b < spec_.buffers.size(); ++b)
      if (spec_.buffers[b] == workspace.get()) binding.workspaces.push_back(static_cast<int>(b));
  const device::LoadResult bound = player_->bind(binding);
  post.handle = bound.object;
  post.why_not_captured = bound.why_not_captured;
  return bound;
}

// A busy host misses a stamp now and then, and a guess would be a bias in every sample, so calls go
// on until one is stamped.
Result<double> Leg::measure_stamps_apart() {
  std::optional<double> least;
  for (int i = 0; i < kMostEmptyCalls && (i < kLeastEmptyCalls || !least); ++i) {
    const auto empty = player_->call_empty();
    if (empty.fate != device::Fate::Returned)
      return fail(ErrorCode::DeviceFailed, About{"empty call"},
                  "a new process that has loaded no candidate does not answer an empty call",
                  empty.detail, Advice::Retry);
    if (empty.stamped_ns > 0)
      least = std::clamp(empty.stamped_ns - empty.event_ns, 0.0, least.value_or(kMostApartNs));
  }
  if (!least)
    return fail(ErrorCode::DeviceFailed, About{"stamps"},
                "the GPU wrote no time stamp in any call of an empty kernel", spec_.name,
                Advice::Retry);
  return *least;
}

Result<std::optional<Verdict>> Leg::renew() {
  player_.reset();
  if (runs_plans() && !has_workspaces_)
    if (auto refused = KW_TRY(allocate_workspaces())) return refused;
  player_ = KW_TRY(device_.start_player(spec_));
  if (player_->jail() > spec_.jail)
    return fail(ErrorCode::NoJail, About{spec_.name},
                fmt::format("the process for the {} started at jail level '{}'; '{}' is the "
                            "weakest level that is acceptable",
                            spec_.name, name_of(player_->jail()), name_of(spec_.jail)),
                {}, Advice::Stop);
  if (runs_plans()) stamps_apart_ns_ = KW_TRY(measure_stamps_apart());
  const device::LoadResult load = player_->load(program_.object);
  if (auto refused = verdict_of(load)) return refused;
  for (Post& post : posts_) {
    post.handle = load.object;
    if (post.plan == nullptr) continue;
    if (auto refused = verdict_of_bind(bind(post, load.object), post.stand.workload->name))
      return refused;
  }
  return std::nullopt;
}

Result<> Leg::make_ready(const Workload& workload) {
  Post& post = post_of(workload);
  if (post.plan == nullptr || !is_on(Defence::WorkspacesAnew)) return {};
  const Seed call = seed_.child(++calls_);
  for (std::size_t w = 0; w < post.workspaces.size(); ++w) {
    device::Buffer& buffer = *post.workspaces[w];
    if (post.plan->workspaces[w].initial == Initial::Zero) {
      // A tensor of bytes is how a device is told to fill a buffer with zeros.
      Tensor bytes;
      bytes.dtype = Dtype::U8;
      bytes.sizes = {buffer.bytes()};
      bytes.pitch = buffer.bytes();
      KW_TRY(device_.ops().fill(buffer, zeroed(bytes), 0));
    } else {
      KW_TRY(device_.ops().poison(buffer, call.child(w).low));
    }
  }
  return {};
}

device::CallResult Leg::forget(const Workload& workload) {
  return runs_plans() ? player_->forget(post_of(workload).handle) : device::CallResult{};
}

device::CallResult Leg::keep_only(const Workload& workload) {
  return player_->keep_only(post_of(workload).handle);
}

void Leg::begin_forget(const Workload& workload) {
  if (runs_plans() && is_alive()) player_->begin_forget(post_of(workload).handle);
}

void Leg::end_forget() {
  if (runs_plans() && is_alive()) player_->end_forget();
}

Result<device::CallResult> Leg::call(const Workload& workload, std::int64_t timeout_ns,
                                     device::CallKind kind) {
  const Post& post = post_of(workload);
  device::Call call{.object = post.handle, .arguments = {}, .timeout_ns = timeout_ns, .kind = kind};
  if (post.plan == nullptr)
    call.arguments = arguments_of(task_, workload, post.stand.first_buffer, post.stand.precision);
  const auto result = player_->call(call);
  KW_TRY(look_at_device(result, workload));
  return result;
}

// The candidate may have forged what a player says of its device. Only what this process sees of
// the device by itself counts as the device's trouble; everything else is the fate of the code that
// ran.
Result<> Leg::look_at_device(const device::CallResult& ended, const Workload& workload) {
  if (!is_fault_of_device(ended)) return {};
  const bool is_foreign = program_.role == "candidate" || program_.role == "opponent";
  const bool is_believed = !is_foreign || !is_on(Defence::DeviceFaultSeen);
  if (!is_believed && !device_.has_failed()) {
    (void)KW_TRY(device_.probe());  // an error if the device is lost
    return {};
  }
  return fail(ErrorCode::DeviceFailed, About{program_.role},
              fmt::format("the GPU failed under the {} at workload '{}': {}", program_.role,
                          workload.name, ended.detail),
              device_.facts().model, Advice::Retry);
}

Result<std::optional<Evidence>> Leg::check_workspaces(const Workload& workload) {
  Post& post = post_of(workload);
  for (std::size_t w = 0; w < post.workspaces.size(); ++w) {
    const std::string damage = KW_TRY(device_.ops().check_guards(*post.workspaces[w]));
    if (!damage.empty())
      return Evidence{.kind = EvidenceKind::WorkspaceGuardChanged,
                      .workload = workload.name,
                      .subject = post.plan->workspaces[w].name,
                      .detail = damage};
  }
  return std::nullopt;
}

}  // namespace kw::referee
