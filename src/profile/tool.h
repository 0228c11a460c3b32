// Starts a specimen, which runs one plan of a candidate, alone or under a tool, in the profile
// jail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cuda.h"
#include "platform/clock.h"
#include "platform/subprocess.h"
#include "profile/specimen.h"
#include "record/enums.h"

namespace kw::profile {

/// What every specimen on one GPU needs. Borrowed for the call.
struct SpecimenRoom {
  const device::CudaSurroundings* gpu = nullptr;
  JailLevel jail = JailLevel::Namespace;
  std::string ops_path;     ///< Becomes SpecimenJob::ops_path.
  std::string player_path;  ///< Becomes SpecimenJob::player_path.
  BuiltObject control;      ///< Built sanitizer_control(); no path: no control.
  platform::Path program;   ///< kw-specimen; empty: beside this program.
};

struct ToolRun {
  std::vector<std::string>
      words;  ///< Command line before the program; empty: the specimen runs alone.
  platform::Nanoseconds timeout{};
  bool keeps_admin = false;  ///< See JailSpec.
};

struct ToolAnswer {
  platform::Exit exit;  ///< How the process ended and what it printed, at most 8 MiB.
  std::optional<SpecimenReport> report;  ///< If the specimen came to its end.
};

/// Fills in the GPU's part of the job and runs it. The jail shows the system, the tool, the
/// specimen's files and the GPU; it may write to its own folder and start processes, and has a
/// loopback of its own; a candidate's host code never runs in it, only device code does. An error
/// says why nothing could be started. Spawns processes; takes seconds.
Result<ToolAnswer> run_tool(const SpecimenRoom& room, const ToolRun& run, SpecimenJob job);

/// Runs the command `run.words` in the profile jail, without a specimen.
Result<ToolAnswer> run_alone(const SpecimenRoom& room, const ToolRun& run);

/// Folders outside the system's own that a program of NVIDIA needs besides its file.
std::vector<platform::Path> tool_folders(const platform::Path& program);

}  // namespace kw::profile
