// Examines a device through a worker.
// SPDX-License-Identifier: Apache-2.0
#include "session/device.h"

#include "session/judging/local_judge.h"

namespace kw::session {

Result<ExaminedDevice> examine_device(const Options& options, const Aim& aim, bool must_measure) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const bool is_known = KW_TRY(remembered_device(store, aim.target)).has_value();
  const auto judge = KW_TRY(LocalJudge::open(options, &store, aim));
  ExaminedDevice device;
  device.facts = must_measure || !is_known ? KW_TRY(judge->measure(true)) : judge->facts();
  device.notes = judge->carrier().notes();
  return device;
}

}  // namespace kw::session
