// Problems and remarks of an admission, from what was seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "referee/admission.h"

namespace kw::referee {

/// Adds to the problems and remarks whatever the figures say, and decides.
void conclude(Admission& admission);

}  // namespace kw::referee
