// The forms of C and C++ that become plain, each a function from a site to its edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "task/plain/plain.h"

namespace kw::task {

/// Rewrites one form where it occurs in the function; no edits where it does not.
using PlainForm = Result<PlainStep> (*)(const PlainSite&);

}  // namespace kw::task
