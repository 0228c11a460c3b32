// Matchers of errors, so that tests name the kind of trouble and never the words of a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <type_traits>

#include "base/result.h"

namespace kw {

/// How a failed test prints an error.
inline void PrintTo(const Error& error, std::ostream* out) {
  *out << name_of(error.code) << " about '" << error.about << "': " << describe(error);
}

/// "PLACE ABOUT" of an error. An error of many complaints has no place of its own, but such a line
/// for each of them.
inline std::string place_and_about(const Error& error) {
  return error.where.empty() ? error.about : error.where + " " + error.about;
}

namespace for_test {

/// The error of a Result, or the Error itself; null where the Result has a value.
template <class T>
const Error* error_in(const T& seen) {
  if constexpr (std::is_same_v<T, Error>)
    return &seen;
  else
    return seen.has_value() ? nullptr : &seen.error();
}

}  // namespace for_test

/// Matches an Error, or a Result that failed, by its code: `EXPECT_THAT(read(), IsError(Io))`.
MATCHER_P(IsError, code, std::string("is an error of code ") + std::string(name_of(code))) {
  const Error* error = for_test::error_in(arg);
  if (error == nullptr) {
    *result_listener << "which has a value";
    return false;
  }
  *result_listener << "which is " << name_of(error->code) << " about '" << error->about
                   << "': " << describe(*error);
  return error->code == code;
}

/// The same, for an error whose Error::about matches: a string, or a matcher of strings.
MATCHER_P2(IsErrorAbout, code, about,
           std::string("is an error of code ") + std::string(name_of(code)) + " about " +
               testing::PrintToString(about)) {
  const Error* error = for_test::error_in(arg);
  if (error == nullptr) {
    *result_listener << "which has a value";
    return false;
  }
  *result_listener << "which is " << name_of(error->code) << " about '" << error->about
                   << "': " << describe(*error);
  return error->code == code && testing::Value(error->about, about);
}

/// Matches an Error, or a Result that failed, by its place: a string, or a matcher of strings.
MATCHER_P(IsErrorAt, where, "is an error at " + testing::PrintToString(where)) {
  const Error* error = for_test::error_in(arg);
  *result_listener << (error == nullptr ? "which has a value" : "which is at " + error->where);
  return error != nullptr && testing::Value(error->where, where);
}

/// Matches an Error, or a Result that failed, by its code and by the line that a user sees. Only
/// the files named error_snapshot_test.cc may use it, for one example of a code in the whole
/// project.
MATCHER_P2(IsErrorShownAs, code, line,
           std::string("is an error of code ") + std::string(name_of(code)) + " shown as '" +
               std::string(line) + "'") {
  const Error* error = for_test::error_in(arg);
  if (error == nullptr) {
    *result_listener << "which has a value";
    return false;
  }
  *result_listener << "which is " << name_of(error->code) << " shown as '" << describe(*error)
                   << "'";
  return error->code == code && describe(*error) == line;
}

/// Matches an Error, or a Result that failed, whose texts nowhere contain `text`: a secret, or what
/// would break the line.
MATCHER_P(IsErrorWithout, text, "is an error that nowhere holds " + testing::PrintToString(text)) {
  const Error* error = for_test::error_in(arg);
  if (error == nullptr) {
    *result_listener << "which has a value";
    return false;
  }
  *result_listener << "which is about '" << error->about << "': " << describe(*error);
  return (describe(*error) + error->about).find(text) == std::string::npos;
}

}  // namespace kw
