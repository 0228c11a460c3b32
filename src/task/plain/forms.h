// The forms of C and C++ that become plain, each a function from a site to its edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "task/plain/plain.h"

namespace kw::task {

/// Rewrites one form where it occurs in the function; no edits where it does not.
using PlainForm = Result<PlainStep> (*)(const PlainSite&);

/// Rewrites nothing. Error: a macro is defined below code that has its name and is needed.
Result<PlainStep> refuse_late_macros(const PlainSite& site);
/// Macros that index arrays are written out.
Result<PlainStep> plain_index_macros(const PlainSite& site);
/// Takes out the file's other functions that the function does not call, because what they use may
/// not be there once the function is plain.
Result<PlainStep> leave_out_unused(const PlainSite& site);
/// A template becomes the function for one type, and its integer parameters become arguments.
Result<PlainStep> plain_templates(const PlainSite& site);
/// `int n = 10` becomes `int n`.
Result<PlainStep> plain_defaults(const PlainSite& site);
/// References to numbers become numbers or pointers, and references to arrays become arrays.
Result<PlainStep> plain_references(const PlainSite& site);
/// A returned number is written through a pointer instead.
Result<PlainStep> plain_results(const PlainSite& site);
/// Variables and constants of the file become parameters or local variables.
Result<PlainStep> plain_globals(const PlainSite& site);
/// Parameters such as std::vector<float>&, std::span and std::array: pointers, and integers for
/// their sizes where the code asks for them.
Result<PlainStep> plain_containers(const PlainSite& site);
/// Structs of numbers: an array of them is one of numbers, `double b[][7]`, or an array for each
/// member where their types differ; a single one is a parameter for each member.
Result<PlainStep> plain_structs(const PlainSite& site);
/// Local pointers to rows of pointers to pointers, such as `double* row = a[i];`: a[i] itself.
Result<PlainStep> plain_row_pointers(const PlainSite& site);
/// Parameters such as `double** a`: one block with rows of one length, `double a[][m]`.
Result<PlainStep> plain_rows(const PlainSite& site);

}  // namespace kw::task
