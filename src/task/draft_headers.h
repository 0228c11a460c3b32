// What a drafted file has from standard headers: the headers that the given code includes, and the
// limits of numbers. Used by the drafters only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"
#include "record/dtype.h"
#include "task/draft_reference.h"

namespace kw::task {

/// An `#include` line for each standard header that the source includes and `already` does not
/// hold, in the source's order, and then the source's `using` lines for names of std. For kernels
/// only headers that GPU compilers have without a library. Other headers are left out.
std::string standard_names(std::string_view source, std::string_view already, CodeUse use);

/// Whether the word is a macro of a standard header for a real number, such as FLT_MAX or M_PI.
bool is_real_constant(std::string_view word);

/// A call such as std::numeric_limits<float>::max().
struct LimitCall {
  Dtype dtype = Dtype::F32;
  std::string_view member;
  std::size_t end = 0;  ///< The token behind the call.
};

/// The call that begins at token `i`, at `std` or, without it, at `numeric_limits`.
std::optional<LimitCall> limit_call_at(const std::vector<lex::Token>& tokens, std::size_t i);

/// The call's value as a constant for a kernel; empty where there is none for the member.
std::string limit_constant(const LimitCall& call);

}  // namespace kw::task
