// A matcher of replies, so that tests name what is wrong and never the words of evidence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "propose/reply.h"

namespace kw::propose {

/// Matches a ParsedReply that holds no source, by its trouble and what that is about: a string, or
/// a matcher of strings.
MATCHER_P2(IsUnusable, trouble, about,
           std::string("is unusable for ") + std::string(name_of(trouble)) + " about " +
               testing::PrintToString(about)) {
  *result_listener << "which is " << name_of(arg.trouble) << " about '" << arg.about
                   << "': " << arg.evidence;
  return arg.source.empty() && !arg.evidence.empty() && arg.trouble == trouble &&
         testing::Value(arg.about, about);
}

}  // namespace kw::propose
