// The parts of a task's own files that a prompt shows: its specification and its reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "record/enums.h"

namespace kw::propose {

/// The text of spec.md without its title, without the paragraphs that begin with "**Gate.**", since
/// a prompt tells the gates in a section of their own, and without those for another target. The
/// latter begin with "**On a processor.**" or "**On a GPU.**", which the text that is left lacks.
std::string shown_spec(std::string_view spec, Target target);

/// The text of reference.cpp without the comment that holds its licence and without its function
/// `magnitude`, which serves the gate alone. A variant's fixed dims stand as numbers where they are
/// used.
std::string shown_reference(std::string_view reference);

}  // namespace kw::propose
