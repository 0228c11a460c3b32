// What trouble.cc can be told to do; shared with the tests that tell it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

enum Mode : int {
  kReturn,
  kSegfault,
  kAbort,
  kDivide,
  kHang,
  kExitZero,
  kByteBefore,
  kByteAfter,
  kFarBefore,
  kFarAfter,
  kFork,
  kWork,
  kSpinAfterReturn,
  kRound,
  kFlood,
  kCloseAll,
  kForge,
  kForgeAhead,
  kKillParent,
  kEnvironment,
  kThrow,
  kAllocate,
  kWriteInput,
  kSocket,
  kExec,
  kWriteFile,
  kOverflowStack,
  kDieSoon,
};
