// Runs admission on a room of tests, and finds one result in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/text.h"
#include "referee/admission.h"
#include "referee/testing.h"

namespace kw::referee::testing {

/// The examination of the room's task; a reference may take a second. Panics on an error, which no
/// caller expects.
inline Admission examine(Room& room, std::int64_t budget_ns = 0) {
  auto admission = admit(*room.device, nullptr, room.request,
                         {.timeout_ns = 1'000'000'000, .budget_ns = budget_ns});
  if (!admission.has_value()) panic(describe(admission.error()).c_str());
  return *std::move(admission);
}

inline const MutantResult& mutant_of(const Admission& admission, const std::string& name) {
  for (const MutantResult& mutant : admission.mutants)
    if (mutant.name == name) return mutant;
  panic(("no mutant is named " + name).c_str());
}

inline std::string problems(const Admission& admission) { return join(admission.problems, "\n"); }

/// Lets the room's references, in double and at the task's type, compute `body`.
template <class Body>
void set_reference(Room& room, Body body) {
  room.world.objects["f64"].kernel = kernel<double>(1e6, body);
  room.world.objects["native"].kernel = kernel<float>(1e6, body);
}

}  // namespace kw::referee::testing
