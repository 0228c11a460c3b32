// The referee's defences by name: a test build can switch one off, so that its attack is seen to
// succeed without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kw {

/// One defence that an attack of tests/exploits is held against; the comment says what is lost
/// without it. docs/threat-model.md has a row for each.
enum class Defence : std::uint8_t {
  EveryThreadStopped,  ///< Without: a stop is a signal to the process, taken by its first thread.
  MemoryOfALife,       ///< Without: processes that follow one another map the same memory.
  WorkOutsideCalls,    ///< Without: nobody looks for work after an answer or before a request.
};

struct DefenceName {
  Defence defence;
  std::string_view name;
};

/// The names by which files of tests/exploits call them (`// control: NAME`).
inline constexpr DefenceName kDefenceNames[] = {
    {Defence::EveryThreadStopped, "every-thread-stopped"},
    {Defence::MemoryOfALife, "memory-of-a-life"},
    {Defence::WorkOutsideCalls, "work-outside-calls"},
};

/// False only in builds with KW_DEFENCES_MAY_BE_OFF, which no released program is, and there only
/// where the environment's KW_DEFENCES_OFF lists the defence's name (several with commas between
/// them). A name in that list that is none ends the process, since a control that switches nothing
/// off would prove nothing. Cost: none in a release, else one look at the environment.
#ifdef KW_DEFENCES_MAY_BE_OFF
bool is_on(Defence defence);
#else
constexpr bool is_on(Defence) { return true; }
#endif

/// The variable that a process with defences switched off hands on to the processes it starts,
/// "KW_DEFENCES_OFF=…"; empty where all are on.
#ifdef KW_DEFENCES_MAY_BE_OFF
std::string_view defences_variable();
#else
constexpr std::string_view defences_variable() { return {}; }
#endif

}  // namespace kw
