// Which functions the compiler built with options of their own, by its own record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"

namespace kw::compile {

/// Reads GCC's dump of what it made of each function before optimising (-fdump-tree-gimple), where
/// the attributes of a function stand above it: written as __attribute__ or [[gnu::…]], by a macro,
/// or by a pragma that was in force there, all alike and with literals joined. Gives one mark
/// "arithmetic" for each function whose optimize attribute names anything but options that are
/// known to change no value; the first few.
std::vector<CodeMark> arithmetic_marks(std::string_view dump);

/// Whether GCC's option, without its -f, is known to change no value of a program.
bool changes_no_value(std::string_view option);

}  // namespace kw::compile
