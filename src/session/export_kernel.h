// Exports a kernel from a run or a file to a folder for another program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deliver/delivery.h"
#include "platform/files.h"
#include "session/aim.h"
#include "session/options.h"

namespace kw::session {

struct ExportRequest {
  std::string kernel;  ///< A source file, or the name of a run whose best kernel is taken.
  deliver::Form form = deliver::Form::Header;
  platform::Path out{};              ///< The folder; empty: export/FORM of the run, or ./TASK-FORM.
  std::string name{};                ///< The function's name; empty: kw_TASK.
  std::string task{};                ///< The task that a file computes; empty for a run.
  std::optional<Aim> aim{};          ///< For a file, which must have one; a run has its own.
  std::vector<std::string> archs{};  ///< cuda: what to compile for; empty: the run's or this GPU.
  std::vector<std::string> settings{};  ///< Knob values "K=V".
};

struct ExportedKernel {
  deliver::Delivery delivery;
  platform::Path folder;
  std::vector<std::string> files;
  std::string run;            ///< The run's name; empty: the kernel comes from a file.
  bool is_confirmed = false;  ///< A certificate of exactly this kernel is part of the export.
};

/// Compiles the kernel for each architecture and writes the folder. Needs no device. Errors: the
/// kernel, its task or its name cannot be used, the folder holds something else, or the kernel does
/// not compile where an export puts it.
Result<ExportedKernel> export_kernel(const Options& options, const ExportRequest& request);

}  // namespace kw::session
