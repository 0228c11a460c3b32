// The forms of C and C++ that become plain, each a function from a site to its edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "task/plain/plain.h"

namespace kw::task {

/// Rewrites one form where it occurs in the function; no edits where it does not.
using PlainForm = Result<PlainStep> (*)(const PlainSite&);

/// Parameters such as std::vector<float>&, std::span and std::array: pointers, and integers for
/// their sizes where the code asks for them.
Result<PlainStep> rewrite_containers(const PlainSite& site);

/// Structs of numbers: an array of them is one of numbers, `double b[][7]`, or an array for each
/// member where their types differ; a single one is a parameter for each member.
Result<PlainStep> rewrite_structs(const PlainSite& site);

/// Local pointers to rows of pointers to pointers, such as `double* row = a[i];`: a[i] itself.
Result<PlainStep> rewrite_row_pointers(const PlainSite& site);

/// Parameters such as `double** a`: one block with rows of one length, `double a[][m]`.
Result<PlainStep> rewrite_rows(const PlainSite& site);

}  // namespace kw::task
