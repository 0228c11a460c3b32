// Sends requests to a player on a GPU, and watches the clock page while a request runs.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_player.h"

#include <algorithm>
#include <utility>

#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "device/plan_encode.h"
#include "device/undisturbed.h"
#include "platform/clock.h"

namespace kw::device {
namespace {

using player::Kind;

constexpr std::int64_t kCubinTimeout = 10 * kSecond;
/// Time limit of bind(), long enough for capturing thousands of launches.
constexpr std::int64_t kBindTimeout = 20 * kSecond;
/// Time limit of requests to host launchers, whose libraries may have hundreds of megabytes and try
/// their algorithms on first use.
constexpr std::int64_t kHostTimeout = 120 * kSecond;
constexpr std::int64_t kEmptyRunTimeout = 2 * kSecond;

LoadResult refused(std::string words) {
  return {.fate = Fate::LoadRefused, .object = -1, .detail = std::move(words)};
}

LoadResult misnumbered() {
  return {.fate = Fate::BadProtocol,
          .object = -1,
          .detail = "the process that runs the kernel numbered its loaded objects out of order"};
}

LoadResult loaded(const PlayerProcess::Exchange& e) {
  return {
      .fate = e.result.fate, .object = e.answer ? e.answer->object : -1, .detail = e.result.detail};
}

}  // namespace

CudaPlayer::CudaPlayer(BlankPlayer blank, const Setup& setup, SharedClock clock)
    : clock_(std::move(clock)),
      turn_(*setup.turn),
      runs_host_code_(setup.runs_host_code),
      process_(std::move(blank), setup.name) {
  process_.await_death();
  process_.speak_for_gpu();
}

Result<std::unique_ptr<CudaPlayer>> CudaPlayer::prepare(BlankPlayer blank, const Setup& setup) {
  SharedClock clock = KW_TRY(SharedClock::create());
  std::unique_ptr<CudaPlayer> p(new CudaPlayer(std::move(blank), setup, std::move(clock)));
  KW_TRY(p->process_.greet());
  player::MapEntry page;
  page.kind = player::BufferKind::Clock;
  page.access = player::Access::ReadWrite;
  page.mapped_bytes = player::kClockPageBytes;
  std::vector<player::MapEntry> entries{page};
  std::vector<int> descriptors{p->clock_.descriptor()};
  for (std::size_t i = 0; i < setup.buffers.size(); ++i) {
    const bool writable =
        (i < setup.writable.size() && setup.writable[i]) || !is_on(Defence::InputsReadOnly);
    entries.push_back(setup.buffers[i]->map_entry(writable));
    descriptors.push_back(setup.buffers[i]->descriptor());
  }
  KW_TRY(p->process_.map(entries, descriptors));
  BareRequest equip;
  KW_TRY(p->process_.require("load trusted kernels", seal(equip, Kind::Equip),
                             std::span(&setup.trusted, 1)));
  // No limit on addresses: a context reserves more of them than any limit could allow.
  KW_TRY(p->process_.prepare(0, 1));
  return p;
}

LoadResult CudaPlayer::load(const BuiltObject& object) {
  settle();
  if (object.format == "elf-so" && runs_host_code_) {
    LoadResult result = process_.load_shared(object, kHostTimeout);
    if (result.fate == Fate::Returned && result.object != static_cast<int>(symbols_.size()))
      return misnumbered();
    if (result.fate == Fate::Returned)
      symbols_.emplace_back();  // a host launcher has no kernels that a plan could name
    return result;
  }
  if (object.format != "cubin")
    return refused("this object is no code for a GPU but of format " + object.format);
  const auto bytes = platform::read_file(object.path, kObjectCap);
  if (!bytes.has_value()) return refused(describe(bytes.error()));
  const auto image = platform::memfd_with("cubin", *bytes);
  if (!image.has_value()) return refused(describe(image.error()));
  player::LoadRequest request;
  request.format = player::ObjectFormat::Cubin;
  const int descriptor = image->get();
  const auto e = process_.exchange(seal(request, Kind::Load), std::span(&descriptor, 1),
                                   Kind::Loaded, kCubinTimeout);
  LoadResult result = loaded(e);
  if (result.fate != Fate::Returned) return result;
  if (result.object != static_cast<int>(symbols_.size())) return misnumbered();
  auto& symbols = symbols_.emplace_back();
  for (const KernelFacts& kernel : object.kernels)
    symbols[kernel.name] = kernel.symbol.empty() ? kernel.name : kernel.symbol;
  return result;
}

LoadResult CudaPlayer::bind(const Binding& binding) {
  KW_ASSERT(binding.plan != nullptr && binding.object >= 0 &&
            static_cast<std::size_t>(binding.object) < symbols_.size());
  settle();
  const auto& symbols = symbols_[static_cast<std::size_t>(binding.object)];
  PlanOperands operands;
  operands.tensors = binding.tensors;
  operands.workspaces = binding.workspaces;
  // Where the object came without a list of symbols, a plan names each kernel by its symbol.
  operands.symbol = [&symbols](std::string_view name) {
    const auto found = symbols.find(name);
    return found != symbols.end() ? found->second : std::string(name);
  };
  const auto bytes = encode_plan(*binding.plan, operands);
  if (!bytes.has_value()) return refused(bytes.error().what);
  const auto plan =
      platform::memfd_with("plan", {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!plan.has_value()) return refused(describe(plan.error()));
  player::BindRequest request;
  request.object = binding.object;
  const int descriptor = plan->get();
  const auto e = process_.exchange(seal(request, Kind::Bind), std::span(&descriptor, 1),
                                   Kind::Loaded, runs_host_code_ ? kHostTimeout : kBindTimeout);
  LoadResult result = loaded(e);
  if (result.fate == Fate::Returned && e.answer)
    result.why_not_captured = sanitise_line(e.answer->words(), player::kTextBytes);
  return result;
}

CudaPlayer::~CudaPlayer() {
  if (turn_.forgetting == this) turn_.forgetting = nullptr;
}

void CudaPlayer::settle() {
  if (!pending_) return;
  forgotten_ = process_.collect(*std::exchange(pending_, {}), Kind::Done, kBindTimeout).result;
  turn_.forgetting = nullptr;
}

void CudaPlayer::begin_forget(int plan) {
  if (turn_.forgetting != nullptr) turn_.forgetting->settle();
  player::PlanRequest request;
  request.plan = forgetting_plan_ = plan;
  forgotten_.reset();
  pending_ = process_.ask(seal(request, Kind::Forget), {});
  turn_.forgetting = this;
}

CallResult CudaPlayer::keep_only(int plan) {
  settle();
  player::PlanRequest request;
  request.plan = plan;
  return process_.exchange(seal(request, Kind::KeepOnly), {}, Kind::Done, kBindTimeout).result;
}

CallResult CudaPlayer::forget(int plan) {
  if (turn_.forgetting != nullptr && turn_.forgetting != this) turn_.forgetting->settle();
  const bool is_begun = (pending_ || forgotten_) && forgetting_plan_ == plan;
  if (!is_begun) begin_forget(plan);
  settle();
  return *forgotten_;
}

CallResult CudaPlayer::call(const Call& call) {
  KW_ASSERT(call.arguments.empty() && call.object >= 0);
  player::RunRequest request;
  request.plan = call.object;
  request.flags = call.kind == CallKind::ByStream ? player::kRunByStream : 0;
  if (call.kind == CallKind::Checked) return run(request, Kind::Run, call.timeout_ns);
  const Undisturbed undisturbed(turn_.alone);
  CallResult result = run(request, Kind::Run, call.timeout_ns);
  result.waited_ns = undisturbed.waited_ns();
  return result;
}

CallResult CudaPlayer::call_empty() {
  const Undisturbed undisturbed(turn_.alone);
  return run({}, Kind::Empty, kEmptyRunTimeout);
}

CallResult CudaPlayer::run(player::RunRequest request, Kind kind, std::int64_t timeout_ns) {
  constexpr std::uint64_t kMostLead = 320'000;
  request.nonce = fresh_sequence() | 1;  // 0 would mean no stamps
  request.lead_ns = lead_ns_;
  clock_.reset();
  if (turn_.forgetting != nullptr) turn_.forgetting->settle();
  forgotten_.reset();
  const auto now = [] { return platform::real_clock().now_ns(); };
  const std::int64_t began_ns = now();
  std::int64_t announced_ns = 0;
  AnnouncementWatch watch(clock_.page(), request.nonce, lead_ns_, began_ns);
  auto e = process_.exchange(seal(request, kind), {}, Kind::Done, timeout_ns, [&] {
    const bool is_announced = watch.look(now);
    if (is_announced) announced_ns = now() - began_ns;
    return is_announced;
  });
  e.result.announced_ns = static_cast<double>(announced_ns);
  if (e.result.fate != Fate::Returned || !e.answer) return e.result;
  e.result.stamped_ns = watch.stamped_ns();
  if (!watch.is_in_time()) lead_ns_ = std::min(2 * lead_ns_, kMostLead);
  if (e.answer->stamps > 0) e.result.event_ns = static_cast<double>(e.answer->stamp_ns[0]);
  return e.result;
}

}  // namespace kw::device
