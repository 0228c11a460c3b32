// Assembles the cuda device from its parts: context, buffers, operations, players.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "device/cuda_age.h"
#include "device/cuda_buffer.h"
#include "device/cuda_context.h"
#include "device/cuda_nodes.h"
#include "device/cuda_ops.h"
#include "device/cuda_player.h"
#include "device/nvml.h"
#include "device/parallel.h"
#include "device/plan_encode.h"
#include "device/player_pool.h"
#include "device/probe.h"
#include "player/cuda_local_plans.h"

namespace kw::device {

std::string_view embedded_text(std::string_view name);  // generated

namespace {

constexpr const char* kOpsUnit = "device_ops";
constexpr const char* kPlayerUnit = "device_player";
/// Bytes of GPU memory left to players' contexts and to other programs.
constexpr std::int64_t kGpuMargin = std::int64_t{2} << 30;

Result<std::string> image_of(const BuildUnit& unit) {
  if (unit.object.size() != 1)
    return fail(ErrorCode::Missing, About{"object"},
                "one of the referee's own kernels was handed over without being compiled",
                unit.role);
  const BuiltObject& object = unit.object.front();
  if (object.format != "cubin")
    return fail(
        ErrorCode::Unsupported, About{object.format},
        "one of the referee's own kernels must be compiled to a cubin, not to " + object.format,
        unit.role);
  if (object.path.empty())
    return fail(ErrorCode::Missing, About{"path"},
                "one of the referee's own kernels was handed over without its file", unit.role);
  return platform::read_file(object.path, kObjectCap);
}

/// Options for players of host launchers: the primary context, readable libraries, and lazy loading
/// of the libraries' kernels, since all of cuBLAS would take gigabytes. No such player is started
/// ahead of need.
PoolOptions host_pool(const PoolOptions& base, const CudaSurroundings& surroundings,
                      const std::vector<platform::Path>& folders) {
  PoolOptions pool = base;
  pool.spare = 0;
  pool.expected.reset();
  pool.arguments.emplace_back("host");
  pool.environment = surroundings.host_environment(folders);
  pool.readable.insert(pool.readable.end(), folders.begin(), folders.end());
  return pool;
}

class CudaDevice final : public Device {
 public:
  /// `turn` holds the mutex that the options of both pools name; `host` are the options for players
  /// of host launchers.
  CudaDevice(std::unique_ptr<CudaContext> context, CudaSurroundings surroundings,
             std::unique_ptr<CudaTurn> turn, PoolOptions pool, PoolOptions host)
      : context_(std::move(context)),
        surroundings_(std::move(surroundings)),
        facts_(context_->facts()),
        parallel_(1),
        ops_(*context_, parallel_),
        turn_(std::move(turn)),
        pool_(std::move(pool)),
        host_options_(std::move(host)),
        nvml_(Nvml::open(facts_.id)),
        errors_before_(nvml_ ? nvml_->uncorrected_errors() : 0) {}

  const CudaSurroundings& surroundings() const { return surroundings_; }
  const DeviceFacts& facts() const override { return facts_; }
  BufferOps& ops() override { return ops_; }

  Result<std::unique_ptr<Buffer>> allocate(const BufferSpec& spec) override {
    auto buffer = KW_TRY(CudaBuffer::allocate(*context_, spec));
    if (spec.shared) KW_TRY(ops_.arm_guards(*buffer));
    return buffer;
  }

  Result<> flush(std::span<Buffer* const>) override { return ops_.flush(); }
  Result<std::unique_ptr<Player>> start_player(const PlayerSpec& spec) override;
  Result<bool> probe() override;
  bool has_failed() override { return nvml_ && nvml_->uncorrected_errors() > errors_before_; }
  Result<> equip(std::span<const BuildUnit> units) override;
  Result<double> run_trusted(const TrustedRun& run) override;

  std::int64_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    if (!context_->enter().has_value() || context_->api().cuMemGetInfo(&free, &total) != 0)
      return 0;
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(free) - kGpuMargin);
  }

 private:
  /// The plans that run in the referee's own context.
  Result<player::cuda::LocalPlans*> local_plans();
  Result<std::int32_t> trusted_object(const std::string& role);

  // Members are destroyed in reverse order: players before the pool, the pool before the context.
  std::unique_ptr<CudaContext> context_;
  CudaSurroundings surroundings_;
  DeviceFacts facts_;
  Parallel parallel_;
  CudaOps ops_;
  std::unique_ptr<CudaTurn> turn_;
  PlayerPool pool_;
  PoolOptions host_options_;
  std::optional<PlayerPool> host_pool_;  ///< Created with its first player.
  /// The cubin of trusted kernels that every player gets.
  platform::Fd trusted_;
  std::map<std::string, std::string> images_;  ///< Cubins of all trusted units by role.
  std::unique_ptr<player::cuda::LocalPlans> local_plans_;
  std::map<std::string, std::int32_t> objects_;  ///< Handles in local_plans_ by role.
  /// Null: there is no library that reports the state of the GPU.
  std::unique_ptr<Nvml> nvml_;
  std::uint64_t errors_before_ = 0;
};

Result<> CudaDevice::equip(std::span<const BuildUnit> units) {
  for (const BuildUnit& unit : units) images_[unit.role] = KW_TRY(image_of(unit));
  local_plans_.reset();
  objects_.clear();
  for (const char* role : {kOpsUnit, kPlayerUnit})
    if (!images_.contains(role))
      return fail(ErrorCode::Missing, About{role}, "one of the referee's own kernels is missing",
                  role);
  if (const auto why = why_too_old(context_->api().cuda_version, cuda_of(images_[kOpsUnit]));
      !why.empty())
    return fail(ErrorCode::Unsupported, About{"driver"}, why, facts_.model, Advice::Stop);
  KW_TRY(ops_.equip(std::as_bytes(std::span(images_[kOpsUnit]))));
  trusted_ = KW_TRY(platform::memfd_with("trusted", images_[kPlayerUnit]));
  facts_.gpu.front().timer_tick_ns = KW_TRY(ops_.measure_timer_tick());
  return {};
}

Result<std::unique_ptr<Player>> CudaDevice::start_player(const PlayerSpec& spec) {
  if (!trusted_)
    return fail(ErrorCode::WrongState, About{"kernels"},
                "the referee's own kernels were not loaded onto the device before its first use",
                facts_.model);
  CudaPlayer::Setup setup;
  setup.name = spec.name;
  setup.trusted = trusted_.get();
  setup.turn = turn_.get();
  setup.writable = spec.writable;
  for (Buffer* buffer : spec.buffers) {
    setup.buffers.push_back(&as_cuda(*buffer));
    KW_ASSERT(setup.buffers.back()->is_shared());
  }
  setup.runs_host_code = spec.runs_host_code;
  if (spec.runs_host_code && !host_pool_) host_pool_.emplace(host_options_);
  auto blank =
      KW_TRY((spec.runs_host_code ? *host_pool_ : pool_).take(spec.jail, spec.is_followed));
  return KW_TRY(CudaPlayer::prepare(std::move(blank), setup));
}

Result<bool> CudaDevice::probe() { return probe_by_computing(*this); }

Result<player::cuda::LocalPlans*> CudaDevice::local_plans() {
  KW_TRY(context_->enter());
  if (local_plans_ == nullptr) {
    auto made = std::make_unique<player::cuda::LocalPlans>();
    if (const auto f = made->adopt(context_->api(), context_->device()))
      return fail(ErrorCode::DeviceFailed, About{"local plans"}, f->words, facts_.model);
    local_plans_ = std::move(made);
  }
  return local_plans_.get();
}

Result<std::int32_t> CudaDevice::trusted_object(const std::string& role) {
  if (const auto found = objects_.find(role); found != objects_.end()) return found->second;
  const auto image = images_.find(role);
  if (image == images_.end())
    return fail(ErrorCode::NotFound, About{role}, "the referee has no kernels of this name", role);
  auto* plans = KW_TRY(local_plans());
  const auto bytes = std::as_bytes(std::span(image->second));
  std::int32_t handle = 0;
  if (const auto f = plans->load({bytes.begin(), bytes.end()}, handle))
    return fail(ErrorCode::DeviceFailed, About{role}, f->words, role);
  return objects_[role] = handle;
}

Result<double> CudaDevice::run_trusted(const TrustedRun& run) {
  KW_ASSERT(run.plan != nullptr && run.repeats > 0);
  const std::int32_t object = KW_TRY(trusted_object(run.unit));
  auto* plans = KW_TRY(local_plans());
  PlanOperands operands;
  std::vector<player::cuda::Mapped> buffers;
  for (Buffer* buffer : run.buffers) {
    operands.tensors.push_back(static_cast<int>(buffers.size()));
    buffers.push_back({as_cuda(*buffer).payload(), static_cast<std::uint64_t>(buffer->bytes())});
  }
  const auto bytes = KW_TRY(encode_plan(*run.plan, operands));
  std::uint64_t event_ns = 0;
  if (const auto f = plans->run_once(static_cast<std::size_t>(object), bytes, std::move(buffers),
                                     run.repeats, event_ns)) {
    KW_TRY(context_->check(f->status, "run " + run.unit));
    return fail(ErrorCode::DeviceFailed, About{run.unit}, f->words, run.unit);
  }
  return static_cast<double>(event_ns);
}

}  // namespace

Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options) {
  CudaOptions resolved = options;
  if (resolved.driver.empty())
    if (const char* named = std::getenv("KW_CUDA_DRIVER")) resolved.driver = named;
  if (resolved.player.empty())
    resolved.player = KW_TRY(platform::executable_dir()) / "kw-player-cuda";
  std::error_code trouble;
  if (!std::filesystem::exists(resolved.player, trouble))
    return fail(
        ErrorCode::MissingProgram, About{"kw-player-cuda"},
        "the program kw-player-cuda, which runs candidates, is missing; it belongs into the folder "
        "of kw",
        resolved.player.string(), Advice::Stop);
  auto context = KW_TRY(CudaContext::open(resolved.ordinal, resolved.driver));
  CudaSurroundings surroundings = KW_TRY(cuda_surroundings(*context));
  PoolOptions pool;
  pool.program = resolved.player;
  pool.spare = resolved.spare_players;
  pool.expected = resolved.expected_jail;
  pool.arguments = {surroundings.uuid, surroundings.driver};
  pool.environment = surroundings.environment;
  pool.readable = surroundings.readable;
  pool.device_nodes = surroundings.nodes;
  pool.needs_driver = true;
  auto turn = std::make_unique<CudaTurn>();
  pool.exclusion = &turn->alone;
  PoolOptions host = host_pool(pool, surroundings, resolved.library_folders);
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(context), std::move(surroundings), std::move(turn),
                                   std::move(pool), std::move(host)));
}

const CudaSurroundings* surroundings_of(const Device& device) {
  const auto* gpu = dynamic_cast<const CudaDevice*>(&device);
  return gpu == nullptr ? nullptr : &gpu->surroundings();
}

std::vector<BuildUnit> trusted_units(std::string_view arch) {
  const auto file = [](const char* name) {
    return SourceFile{name, std::string(embedded_text(name))};
  };
  const auto unit = [&](const char* role, std::vector<SourceFile> files,
                        std::vector<std::string> kernels) {
    BuildUnit u;
    u.role = role;
    u.target = Target::Cuda;
    u.arch = arch;
    u.files = std::move(files);
    u.main_file = u.files.back().name;
    u.kernels = std::move(kernels);
    return u;
  };
  return {unit(kOpsUnit,
               {file("exact.cuh"), file("half.cuh"), file("structured.cuh"), file("draw.cuh"),
                file("compare.cuh"), file("ops.cu")},
               {"kw_fill", "kw_poison", "kw_widen", "kw_narrow", "kw_count_differences",
                "kw_arm_guards", "kw_check_guards", "kw_compare", "kw_flush_write", "kw_flush_read",
                "kw_timer_tick"}),
          unit(kPlayerUnit, {file("scrub.cuh"), file("player.cu")},
               {"kw_spacer", "kw_stamp", "kw_touch", "kw_plan_fill", "kw_plan_copy", "kw_scrub",
                "kw_scrub_registers", "kw_scrub_local_1", "kw_scrub_local_2", "kw_scrub_local_3",
                "kw_scrub_local_5", "kw_scrub_local_9", "kw_scrub_local_17", "kw_scrub_local_33"})};
}

}  // namespace kw::device
