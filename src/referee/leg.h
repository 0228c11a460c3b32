// Runs one program in a player, through any number of processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/target.h"
#include "record/verdict.h"
#include "referee/arguments.h"
#include "referee/inputs.h"
#include "referee/program.h"

namespace kw::referee {

/// Where a player finds the tensors of one workload: tensor i of slot s is the mapped buffer
/// `first_buffer + s * (number of tensors) + i`.
struct Stand {
  const Workload* workload = nullptr;  ///< Borrowed while the leg lives.
  int first_buffer = 0;
  Precision precision = Precision::Native;
  int slots = 1;  ///< cuda: number of slots whose tensors the plan names, slot after slot.
};

class Leg;
/// The legs whose players map the same buffers: all of their processes end before the buffers get
/// other memory.
using Tenants = std::vector<Leg*>;

/// Runs one program in one process after another. A *life* is one process: it starts, loads the
/// object, binds the plans (cuda), answers calls and is killed. So code can keep something in
/// memory for one life at most. (Devices keep blank processes ready, so that the next life begins
/// at once.)
///
/// A leg owns the workspaces of its plans: buffers like those of the tensors, with guards, which
/// make_ready() fills anew. On cpu there are no workspaces and make_ready() does nothing.
class Leg {
 public:
  /// `spec` names the buffers of the stands; `seed` is the seed of the workspaces' poison. `task`
  /// must outlive the leg.
  Leg(device::Device& device, const Task& task, device::PlayerSpec spec, Program program,
      const std::vector<Stand>& stands, Seed seed);
  Leg(const Leg&) = delete;
  Leg& operator=(const Leg&) = delete;
  ~Leg();
  /// Enters this leg, until it is destroyed, into the list of legs whose players map the same
  /// buffers.
  void join(std::shared_ptr<Tenants> tenants);

  /// Ends the current process and starts the next one. A verdict if the object would not load, a
  /// plan did not fit its kernels, or its workspaces do not fit; an error if no player can be
  /// started at the requested jail level. Starting takes milliseconds, on cuda some 150 ms.
  Result<std::optional<Verdict>> renew();
  /// Fills the workspaces of this workload's plan as it declares them, with zeros or fresh poison.
  /// To be called before every call, and before caches are made cold.
  Result<> make_ready(const Workload& workload);
  /// cuda: loads the modules again, so that at the next call, which must be at this workload,
  /// device globals are as the object has them. To be called outside any timed span. Does nothing
  /// on cpu, where the process itself is replaced.
  device::CallResult forget(const Workload& workload);
  /// Starts forget() in the background while the referee works: device::Player::begin_forget().
  void begin_forget(const Workload& workload);
  /// Waits until the modules are loaded again, which begin_forget() began.
  void end_forget();
  /// cuda: takes what belongs to other workloads out of the process's reach; calls at those
  /// workloads are no longer allowed.
  device::CallResult keep_only(const Workload& workload);
  /// Makes one call, on cpu on the tensors of slot 0. Preconditions: renew() gave no verdict, and
  /// make_ready() was called. Error (retry): the GPU itself failed under device code.
  Result<device::CallResult> call(const Workload& workload, std::int64_t timeout_ns,
                                  device::CallKind kind = device::CallKind::Checked);
  /// Says why a host launcher could not be captured as a graph; otherwise empty.
  const std::string& why_not_captured(const Workload& workload) {
    return post_of(workload).why_not_captured;
  }
  /// Says which workspace's guards were written to; nothing if all guards are whole.
  Result<std::optional<Evidence>> check_workspaces(const Workload& workload);

  /// cuda: by how much a call's stamps exceed its events, because the stamps stand around the
  /// events. The least of a few empty calls, made in each process before it loads anything, so that
  /// loaded code cannot enlarge the figure. Ns, at most 10 µs; 0 on cpu.
  double stamps_apart_ns() const { return stamps_apart_ns_; }

  /// Ends the current process; renew() starts another.
  void end() { player_.reset(); }
  bool is_alive() const { return player_ && player_->is_alive(); }
  bool runs_plans() const { return row_of(program_.target).launches_by_plan; }
  /// True for a host launcher, which is a shared object on cuda.
  bool runs_host_code() const {
    return runs_plans() && program_.object.format == row_of(kHostTarget).object_format;
  }
  /// False where renew() gave its verdict before it started a player.
  bool has_player() const { return player_ != nullptr; }
  device::Player& player() { return *player_; }
  const Program& program() const { return program_; }

 private:
  /// The mapped tensors of one workload with the launch plan that uses them and the workspaces of
  /// the plan.
  struct Post {
    Stand stand;
    const Plan* plan = nullptr;  ///< The launch plan; null on cpu.
    Buffers workspaces;
    int handle = 0;  ///< The number by which a call names this plan.
    std::string why_not_captured = {};
  };

  Post& post_of(const Workload& workload);
  Result<std::optional<Verdict>> allocate_workspaces();
  device::LoadResult bind(Post& post, int object);
  /// An error (retry) if the call ended because the device itself failed.
  Result<> look_at_device(const device::CallResult& ended, const Workload& workload);
  Result<double> measure_stamps_apart();

  device::Device& device_;
  const Task& task_;
  device::PlayerSpec spec_;
  Program program_;
  std::vector<Post> posts_;
  Seed seed_;
  std::uint64_t calls_ = 0;
  bool has_workspaces_ = false;
  double stamps_apart_ns_ = 0;
  std::unique_ptr<device::Player> player_;
  std::shared_ptr<Tenants> tenants_;  ///< Null: nobody renews the memory that the player maps.
};

}  // namespace kw::referee
