// Matchers of findings, so that tests name the thing and its numbers and never the words of a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "record/verdict.h"

namespace kw {

/// Matches a Finding by its Finding::about, a string or a matcher of strings.
MATCHER_P(IsAbout, about, "is about " + testing::PrintToString(about)) {
  *result_listener << "which is about '" << arg.about << "': " << arg.text;
  return testing::Value(arg.about, about);
}

/// The same, for a Finding whose numbers match: a matcher of a list of numbers.
MATCHER_P2(IsAbout, about, numbers,
           "is about " + testing::PrintToString(about) + " with numbers that match") {
  *result_listener << "which is about '" << arg.about << "' with "
                   << testing::PrintToString(arg.numbers) << ": " << arg.text;
  return testing::Value(arg.about, about) && testing::Value(arg.numbers, numbers);
}

}  // namespace kw
