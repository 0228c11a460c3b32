// Measures what a kernel leaves on a GPU, and how much of it another kernel finds before and after
// a player forgets. Prints a table such as that of docs/contributing/gpu-lessons.md.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <string>

#include "gpu.h"

namespace kw::testing_gpu {
namespace {

using device::CallResult;
using device::Fate;

constexpr std::uint64_t kPattern = 0xc0ffee11;

struct Place {
  const char* name;
  PlanStep leave, look;
  bool has_table = false;
  bool is_closed = true;  ///< Whether nothing may be left after a player forgot.
};

PlanStep full(const char* kernel, std::int64_t blocks, std::int64_t threads = 1024) {
  return launch(kernel, blocks, threads, {tensor(0, 1)});
}

class Remnants : public WithPlayer {
 protected:
  void SetUp() override {
    WithPlayer::SetUp();
    if (gpu() == nullptr) return;
    if (is_emulated()) GTEST_SKIP() << "the stand-in for a GPU has no such places";
    load(remnants());
    sms_ = gpu()->facts().gpu.front().multiprocessors;
  }
  Plan plan(const Place& place, PlanStep step) const {
    Plan plan = plan_of({std::move(step)});
    if (!place.has_table) return plan;
    plan.tables.push_back({.name = "t", .dtype = Dtype::I32, .integers = {1, 2}, .reals = {}});
    PlanArgument table = tensor(1, 0);
    table.place = {PlanMemory::Table, 0, 0};
    plan.steps[0].arguments.push_back(table);
    return plan;
  }
  /// Bytes of the pattern that the plan `look` finds; -1 if the plan faulted.
  std::int64_t found(int look) {
    put(*y_, std::vector<float>(kElements, 0));
    if (run(look).fate != Fate::Returned) return -1;
    std::uint64_t bytes = 0;
    const auto told = get(*y_, 2);
    std::memcpy(&bytes, told.data(), sizeof bytes);
    return static_cast<std::int64_t>(bytes);
  }
  /// Leaves the pattern in one kind of memory and looks for it. Uses a new player, since looking
  /// may fault.
  void probe(const Place& place) {
    player_.reset();
    player_ = start({x_.get(), y_.get()}, {false, true});
    load(remnants());
    // A table belongs to one plan, so the same plan first looks and then leaves the pattern.
    Plan both = plan(place, place.look);
    if (place.has_table) both.steps.push_back(plan(place, place.leave).steps[0]);
    const int look = bound(both), leave = place.has_table ? look : bound(plan(place, place.leave));
    std::int64_t at_once = -1, forgotten = -1;
    if (run(leave).fate == Fate::Returned) at_once = found(look);
    if (player_->is_alive() && run(leave).fate == Fate::Returned &&
        player_->forget(look).fate == Fate::Returned)
      forgotten = found(look);
    const auto words = [](std::int64_t bytes) {
      return bytes < 0 ? std::string("a fault") : std::to_string(bytes);
    };
    std::printf("remnants | %-22s | %12s | %12s\n", place.name, words(at_once).c_str(),
                words(forgotten).c_str());
    if (place.is_closed) {
      EXPECT_LE(forgotten, 0) << place.name;
    }
  }
  int sms_ = 1;
};

TEST_F(Remnants, AreGoneWhereAPlayerForgets) {
  PlanStep leave_shared = full("leave_shared", sms_), look_shared = full("look_shared", sms_);
  leave_shared.shared_bytes = look_shared.shared_bytes = 226 << 10;
  PlanStep leave_parameters = full("leave_parameters", 1, 64);
  for (int i = 0; i < 32; ++i) {
    PlanArgument words = wide(1, static_cast<std::int64_t>(kPattern << 32 | kPattern));
    words.at = 8 * i;
    leave_parameters.arguments.push_back(words);
  }
  PlanStep look_parameters = full("look_behind_parameters", 1, 64);
  look_parameters.arguments.push_back(wide(1, 0));
  std::printf("remnants | place                  | bytes at once | after forget\n");
  for (const Place& place : {
           Place{"local memory", full("leave_local", 2 * sms_), full("look_local", 2 * sms_)},
           Place{"stack of functions", full("leave_stack", 2 * sms_), full("look_stack", 2 * sms_)},
           Place{"shared memory", leave_shared, look_shared},
           Place{"registers", full("leave_registers", sms_, 256),
                 full("look_registers", sms_, 256)},
           Place{"variables", full("leave_globals", sms_), full("look_globals", sms_)},
           Place{.name = "4 KiB behind variables",
                 .leave = full("leave_behind_globals", 1),
                 .look = full("look_behind_globals", 1),
                 .is_closed = false},
           Place{.name = "behind constants",
                 .leave = full("leave_globals", sms_),
                 .look = full("look_behind_constants", 1)},
           Place{.name = "behind parameters",
                 .leave = leave_parameters,
                 .look = look_parameters,
                 .is_closed = false},
           Place{.name = "behind a table",
                 .leave = full("leave_table", sms_),
                 .look = full("look_table", sms_),
                 .has_table = true},
           Place{.name = "heap",
                 .leave = full("leave_heap", 1, 32),
                 .look = full("look_heap", 1, 32),
                 .is_closed = false},
       })
    probe(place);
}

}  // namespace
}  // namespace kw::testing_gpu
