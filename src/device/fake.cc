// The fake device: real operations on real memory, with scripted players.
// SPDX-License-Identifier: Apache-2.0
#include "device/fake.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/host_buffer.h"
#include "device/host_ops.h"
#include "device/parallel.h"
#include "record/target.h"

namespace kw::device {
namespace {

constexpr std::size_t kSlack = 256;

class FakeBuffer final : public HostBuffer {
 public:
  explicit FakeBuffer(const BufferSpec& spec)
      : alignment_(static_cast<std::size_t>(spec.alignment)),
        bytes_(static_cast<std::size_t>(spec.bytes)),
        memory_(bytes_ + 2 * kSlack + alignment_) {
    const auto first = reinterpret_cast<std::uintptr_t>(memory_.data()) + kSlack;
    offset_ = (first + alignment_ - 1) / alignment_ * alignment_ -
              reinterpret_cast<std::uintptr_t>(memory_.data());
    arm_guards();
  }

  Result<> renew() override {
    std::ranges::fill(payload(), std::byte{0});  // stays in place, since tests look at addresses
    ++renewals_;
    return {};
  }
  int renewals() const { return renewals_; }

  std::span<std::byte> payload() override { return {memory_.data() + offset_, bytes_}; }
  std::span<const std::byte> payload() const override { return {memory_.data() + offset_, bytes_}; }
  std::span<std::byte> front_slack() override { return {memory_.data(), offset_}; }
  std::span<std::byte> back_slack() override {
    return std::span(memory_).subspan(offset_ + bytes_);
  }

 private:
  std::size_t alignment_;
  std::size_t bytes_;
  std::vector<std::byte> memory_;
  std::size_t offset_ = 0;
  int renewals_ = 0;
};

std::vector<int> renewals_of(const PlayerSpec& spec) {
  std::vector<int> counts;
  for (const Buffer* buffer : spec.buffers)
    counts.push_back(dynamic_cast<const FakeBuffer&>(*buffer).renewals());
  return counts;
}

class FakePlayer final : public Player {
 public:
  FakePlayer(FakeWorld& world, const PlayerSpec& spec)
      : world_(world), spec_(spec), mapped_(renewals_of(spec)) {}

  JailLevel jail() const override { return spec_.jail; }
  int uid() const override { return 65534; }
  bool is_alive() const override { return is_alive_; }

  LoadResult load(const BuiltObject& object) override {
    world_.log.push_back("load " + spec_.name);
    const auto found = world_.objects.find(object.sha256);
    if (found == world_.objects.end())
      return {.fate = Fate::LoadRefused, .object = -1, .detail = "no such fake object"};
    LoadResult result = found->second.load;
    if (result.fate != Fate::Returned) {
      is_alive_ = result.fate == Fate::LoadRefused;
      return result;
    }
    result.object = static_cast<int>(loaded_.size());
    loaded_.push_back({.object = &found->second, .steps = {}});
    return result;
  }

  LoadResult bind(const Binding& binding) override {
    world_.log.push_back("bind " + spec_.name);
    KW_ASSERT(row_of(world_.facts.target).launches_by_plan && binding.plan != nullptr);
    const FakeObject* object = loaded_.at(static_cast<std::size_t>(binding.object)).object;
    LoadResult result = object->bind;
    if (result.fate != Fate::Returned) {
      is_alive_ = result.fate == Fate::LoadRefused;
      return result;
    }
    result.object = static_cast<int>(loaded_.size());
    Loaded& bound = loaded_.emplace_back(Loaded{.object = object, .steps = {}});
    for (const PlanStep& step : binding.plan->steps)
      for (const PlanArgument& a : step.arguments)
        bound.steps.push_back(
            a.kind == ArgumentKind::Scalar
                ? FakeArgument{.address = nullptr, .scalar = a.image}
                : resolve({.buffer =
                               a.place.memory == PlanMemory::Workspace
                                   ? binding.workspaces.at(static_cast<std::size_t>(a.place.index))
                                   : binding.tensors.at(static_cast<std::size_t>(a.place.index)),
                           .offset = a.place.offset}));
    return result;
  }

  CallResult keep_only(int) override {
    world_.log.push_back("keep_only " + spec_.name);
    return ended(&FakeObject::keep_only);
  }

  void begin_forget(int) override { world_.log.push_back("begin_forget " + spec_.name); }
  void end_forget() override { world_.log.push_back("end_forget " + spec_.name); }

  CallResult forget(int) override {
    world_.log.push_back("forget " + spec_.name);
    return ended(&FakeObject::forget);
  }

  CallResult call(const Call& call) override {
    world_.log.push_back("call " + spec_.name +
                         (call.kind == CallKind::ByStream ? " by stream" : ""));
    if (!is_alive_) return {.fate = Fate::Exited, .detail = "the player has ended before"};
    KW_ASSERT(mapped_ == renewals_of(spec_));  // else its memory is no longer that of the buffers
    KW_ASSERT(call.object >= 0 && static_cast<std::size_t>(call.object) < loaded_.size());
    const Loaded& loaded = loaded_[static_cast<std::size_t>(call.object)];
    const FakeObject& object = *loaded.object;
    std::vector<std::vector<FakeArgument>> sets;
    if (row_of(world_.facts.target).launches_by_plan) {
      sets.push_back(loaded.steps);
    } else {
      sets.emplace_back();
      for (const Argument& a : call.arguments) sets.back().push_back(resolve(a));
    }
    CallResult result = object.kernel ? object.kernel(sets) : returned_after(1e6);
    if (result.fate == Fate::Returned && result.elapsed_ns > static_cast<double>(call.timeout_ns))
      result.fate = Fate::TimedOut;
    is_alive_ = result.fate == Fate::Returned || result.fate == Fate::LaunchFailed;
    last_ = &object;
    return result;
  }

  CallResult call_empty() override {
    if (!is_alive_) return {.fate = Fate::Exited, .detail = "the player has ended before"};
    if (CallResult scripted = ended(&FakeObject::empty); scripted.fate != Fate::Returned)
      return scripted;
    CallResult result = returned_after(world_.empty_call_ns);
    if (row_of(world_.facts.target).launches_by_plan) {
      result.stamped_ns = world_.empty_stamped_ns;
      result.event_ns = 2000;
    }
    return result;
  }

  Result<AfterReturn> watch_after_return(std::int64_t) override {
    if (!is_alive_) return fail(ErrorCode::Ended, "the player has ended", spec_.name);
    if (last_ != nullptr && last_->late) last_->late();
    return last_ != nullptr ? last_->after : AfterReturn{};
  }

 private:
  CallResult ended(CallResult FakeObject::* how) {
    if (!is_alive_) return {.fate = Fate::Exited};
    CallResult result = loaded_.empty() ? CallResult{} : loaded_.front().object->*how;
    is_alive_ = result.fate == Fate::Returned || result.fate == Fate::LaunchFailed;
    return result;
  }

  FakeArgument resolve(const Argument& a) const {
    if (a.buffer < 0) return {.address = nullptr, .scalar = a.scalar};
    KW_ASSERT(static_cast<std::size_t>(a.buffer) < spec_.buffers.size());
    auto* host = dynamic_cast<HostBuffer*>(spec_.buffers[static_cast<std::size_t>(a.buffer)]);
    KW_ASSERT(host != nullptr && a.offset >= 0 && a.offset <= host->bytes());
    return {.address = host->payload().data() + a.offset, .scalar = 0};
  }

  /// What a handle refers to: an object, or its plan with every address resolved.
  struct Loaded {
    const FakeObject* object = nullptr;
    std::vector<FakeArgument> steps;
  };

  FakeWorld& world_;
  PlayerSpec spec_;
  /// For each buffer, how often it had been renewed when this player started.
  std::vector<int> mapped_;
  std::vector<Loaded> loaded_;
  const FakeObject* last_ = nullptr;
  bool is_alive_ = true;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(FakeWorld& world) : world_(world), parallel_(1), ops_(parallel_) {}

  const DeviceFacts& facts() const override { return world_.facts; }
  BufferOps& ops() override { return ops_; }
  std::int64_t free_bytes() const override { return world_.free_bytes; }
  Result<bool> probe() override {
    if (!world_.lost.empty())
      return fail(ErrorCode::DeviceFailed, About{world_.lost}, world_.lost, world_.facts.model,
                  Advice::Retry);
    return world_.is_sane;
  }
  bool has_failed() override { return world_.has_failed; }

  Result<std::unique_ptr<Buffer>> allocate(const BufferSpec& spec) override {
    if (spec.bytes > std::min(world_.free_bytes, world_.most_bytes))
      return fail(ErrorCode::NoMemory, "out of memory", spec.name);
    return std::unique_ptr<Buffer>(std::make_unique<FakeBuffer>(spec));
  }

  Result<> flush(std::span<Buffer* const>) override {
    ++world_.flushes;
    world_.log.emplace_back("flush");
    return {};
  }

  Result<std::unique_ptr<Player>> start_player(const PlayerSpec& spec) override {
    world_.log.push_back("start " + spec.name);
    if (!spec.is_followed) ++world_.last_players;
    if (world_.fail_starts > 0) {
      --world_.fail_starts;
      return fail(ErrorCode::Ended, About{"start"}, "no player can be started", spec.name,
                  Advice::Retry);
    }
    ++world_.players_started;
    return std::unique_ptr<Player>(std::make_unique<FakePlayer>(world_, spec));
  }

  Result<double> run_trusted(const TrustedRun& run) override {
    return world_.trusted ? world_.trusted(run) : Device::run_trusted(run);
  }

 private:
  FakeWorld& world_;
  Parallel parallel_;
  HostOps ops_;
};

}  // namespace

FakeWorld::FakeWorld() {
  facts.id = "fake-0";
  facts.target = kHostTarget;
  facts.model = "Fake processor";
  facts.cores = 2;
  facts.isa = {"sse2", "avx2", "fma"};
  facts.caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}, {3, 16 << 20, 2}};
  facts.memory_bytes = std::int64_t{16} << 30;
  facts.kernel = "Linux 6.1";
}

std::unique_ptr<Device> make_fake_device(FakeWorld& world) {
  return std::make_unique<FakeDevice>(world);
}

}  // namespace kw::device
