// Problems and remarks of an admission, derived from its figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "referee/admission.h"

namespace kw::referee {

/// Adds the problems and remarks that the figures imply, and sets `is_admitted`.
void conclude(Admission& admission);

}  // namespace kw::referee
