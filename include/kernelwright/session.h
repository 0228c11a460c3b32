// The public face of Kernelwright as a library: kw::session::Session judges, compares and searches
// on this machine. Link with the CMake target kw_session; kw-worker, kw-jail and the players must
// lie beside the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/session.h"  // IWYU pragma: export
