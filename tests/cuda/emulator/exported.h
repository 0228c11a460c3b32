// How the stand-in libraries export a function to the programs that load them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "player/cuda_api.h"

#define KW_EMULATED extern "C" __attribute__((visibility("default"))) kw::player::cuda::Status
