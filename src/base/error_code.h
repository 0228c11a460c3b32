// ErrorCode: the kinds of trouble that a Result can report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/enum_names.h"

namespace kw {

/// What kind of trouble an error is. Decisions depend on the code, never on the words of a message.
/// The names stand in `--json` and in records, so they keep their meaning; docs/formats.md lists
/// them.
enum class ErrorCode {
  Failed,       ///< Trouble without a code of its own.
  BadInput,     ///< Flags, or a file that a person wrote, cannot be used.
  NotFound,     ///< A file, task, run or attempt of the given name does not exist; Error::about may
                ///< hold it.
  TooLarge,     ///< A file or a message is larger than its limit.
  Malformed,    ///< A record or file of this program is damaged, or not in its format.
  NewerFormat,  ///< A newer version of this program wrote the file.
  NotPermitted,     ///< The system denies the access.
  NoSpace,          ///< The disk or the quota is full.
  Io,               ///< Another failure of the file system.
  Busy,             ///< Another process holds it; Error::about names that process.
  TimedOut,         ///< No answer came in time.
  Cancelled,        ///< The user cancelled the request.
  Ended,            ///< The process at the other end of a pipe ended.
  MissingProgram,   ///< A program or a library is not installed.
  NoJail,           ///< The jail cannot be set up.
  NoDevice,         ///< There is no such device, or it cannot be used.
  DeviceFailed,     ///< A call of a device's driver failed.
  NoConnection,     ///< A request never left, because no connection was made.
  BrokenReply,      ///< An answer over the network broke off, or is not in its format.
  BadKey,           ///< The provider does not accept the key.
  NoModel,          ///< The provider does not know the model or the address.
  NoCredit,         ///< The account with the provider is empty.
  TooManyRequests,  ///< The provider asks for fewer requests.
  ServerFailed,     ///< The provider's server failed or is overloaded.
  Refused,          ///< The provider turned the request down; Error::about holds its words.
  OverBudget,       ///< The budget of calls, tokens or money does not allow the request.
  OutOfTokens,      ///< A model reached its limit of tokens before it answered.
  Exists,           ///< A file or folder that would be made is there already.
  Missing,          ///< A flag, a file or a part of one is needed and not given; Error::about names
                    ///< it.
  OutOfRange,       ///< A value lies outside what is allowed; Error::about names the value.
  Contradiction,    ///< Two things that were asked for exclude each other; Error::about names one.
  Unsupported,      ///< What was asked for is beyond what this program can do; Error::about names
                    ///< it.
  WrongState,       ///< A run, an order or a request is in a state that does not allow this.
  Changed,          ///< What a record was made from, or a file that two sides share, has changed.
  NoMemory,         ///< There is too little memory, on this machine or on the device.
  DoesNotCompile,   ///< Code other than a candidate's does not compile.
  TaskAtFault,      ///< The task's own code or values fail, so that no candidate can be judged.
  OtherBuild,       ///< Two programs of Kernelwright do not come from the same build.
};
template <>
struct EnumNames<ErrorCode> {
  static constexpr std::array<std::string_view, 38> names{
      "failed",        "bad_input",         "not_found",
      "too_large",     "malformed",         "newer_format",
      "not_permitted", "no_space",          "io",
      "busy",          "timed_out",         "cancelled",
      "ended",         "missing_program",   "no_jail",
      "no_device",     "device_failed",     "no_connection",
      "broken_reply",  "bad_key",           "no_model",
      "no_credit",     "too_many_requests", "server_failed",
      "refused",       "over_budget",       "out_of_tokens",
      "exists",        "missing",           "out_of_range",
      "contradiction", "unsupported",       "wrong_state",
      "changed",       "no_memory",         "does_not_compile",
      "task_at_fault", "other_build"};
};

}  // namespace kw
