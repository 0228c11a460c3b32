// Result<T>: the only way to report trouble of the environment (disk, network, lost device, bad
// input).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expected>
#include <source_location>
#include <string>
#include <utility>

#include "base/error_code.h"

namespace kw {

/// What the caller can do about an error.
enum class Advice {
  Retry,   ///< The trouble may pass: a busy lock, a 5xx, a lost device.
  GiveUp,  ///< This piece of work cannot be done; others may go on.
  Stop,    ///< No work can go on: the disk is full, the store corrupt, the usage wrong.
};

struct Error {
  std::string what;   ///< One line, in words that a user can act on.
  std::string where;  ///< Place: "file:line:column" of foreign text, a path, or a source location.
  Advice advice = Advice::GiveUp;
  bool is_input = false;  ///< Input from a person (a task, its reference) is at fault.
  ErrorCode code = ErrorCode::Failed;
  std::string about{};  ///< What the code is about, where its comment names something.
};

/// A value or an Error. A candidate's fate is never an Error: it is a Verdict.
template <class T = void>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

/// What an error is about: the name, flag, value or foreign words that Error::about holds.
struct About {
  std::string value;
};

/// Makes a failed Result: `return fail(ErrorCode::NotFound, "no such task", path);`.
inline std::unexpected<Error> fail(ErrorCode code, std::string what, std::string where = {},
                                   Advice advice = Advice::GiveUp) {
  return std::unexpected<Error>(Error{std::move(what), std::move(where), advice, false, code});
}
/// The same about something: `return fail(ErrorCode::Busy, About{holder}, "in use", path);`.
inline std::unexpected<Error> fail(ErrorCode code, About about, std::string what,
                                   std::string where = {}, Advice advice = Advice::GiveUp) {
  return std::unexpected<Error>(
      Error{std::move(what), std::move(where), advice, false, code, std::move(about.value)});
}
/// The same for trouble without a code of its own.
inline std::unexpected<Error> fail(std::string what, std::string where = {},
                                   Advice advice = Advice::GiveUp) {
  return fail(ErrorCode::Failed, std::move(what), std::move(where), advice);
}

/// Makes a failed Result for input from a person: nothing can go on until the input is corrected.
inline std::unexpected<Error> fail_input(ErrorCode code, std::string what, std::string where = {}) {
  return std::unexpected<Error>(Error{std::move(what), std::move(where), Advice::Stop, true, code});
}
inline std::unexpected<Error> fail_input(ErrorCode code, About about, std::string what,
                                         std::string where = {}) {
  return std::unexpected<Error>(
      Error{std::move(what), std::move(where), Advice::Stop, true, code, std::move(about.value)});
}
inline std::unexpected<Error> fail_input(std::string what, std::string where = {}) {
  return fail_input(ErrorCode::BadInput, std::move(what), std::move(where));
}

/// Marks an error as trouble with the user's input, because the user named what cannot be used.
template <class T>
Result<T> as_input(Result<T> result) {
  if (!result) {
    result.error().is_input = true;
    if (result.error().code == ErrorCode::Failed) result.error().code = ErrorCode::BadInput;
  }
  return result;
}

/// Equal for errors that are the same trouble, whatever their words: made of the code, the place
/// and what the code is about. Records may keep it.
std::string trouble_key(const Error& e);

/// An error as a user sees it: `place: what`.
inline std::string describe(const Error& e) {
  return e.where.empty() ? e.what : e.where + ": " + e.what;
}

/// Ends the process with a message: for broken invariants only, never reachable from input.
[[noreturn]] void panic(const char* condition,
                        std::source_location place = std::source_location::current());

}  // namespace kw

#define KW_CONCAT_IMPL(a, b) a##b
#define KW_CONCAT(a, b) KW_CONCAT_IMPL(a, b)

/// Unwraps a Result or returns its error from the enclosing function:
/// `auto text = KW_TRY(read_file(path));` or `KW_TRY(sync(fd));`. Calls may be nested.
#define KW_TRY(...) KW_TRY_IMPL(KW_CONCAT(kw_try_, __COUNTER__), __VA_ARGS__)
#define KW_TRY_IMPL(name, ...)                                              \
  __extension__({                                                           \
    auto name = (__VA_ARGS__);                                              \
    if (!name.has_value()) return std::unexpected(std::move(name).error()); \
    *std::move(name);                                                       \
  })

/// Asserts an invariant in every build type.
#define KW_ASSERT(condition)                   \
  do {                                         \
    if (!(condition)) ::kw::panic(#condition); \
  } while (false)
