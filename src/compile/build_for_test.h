// A matcher of results of compilers, so that tests name the trouble and never the words of
// evidence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "compile/compiler.h"

namespace kw::compile {

/// Matches a CompileResult without an object by its trouble and what that is about: a string, or a
/// matcher of strings.
MATCHER_P2(IsRefused, trouble, about,
           std::string("is refused for ") + std::string(name_of(trouble)) + " about " +
               testing::PrintToString(about)) {
  *result_listener << "which is " << name_of(arg.outcome) << ", " << name_of(arg.trouble)
                   << " about '" << arg.about << "': " << arg.evidence;
  return !arg.ok() && arg.object.empty() && arg.trouble == trouble &&
         testing::Value(arg.about, about);
}

}  // namespace kw::compile
