// kw export KERNEL --as FORM: writes a kernel as source from which other programs can be built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace kw::cli {

struct KernelExport {
  std::string kernel;  ///< A file, or a run, whose best kernel is used.
  std::string form;
  std::string task;
  std::string target;
  std::string arch;  ///< cuda: one or several architectures, separated by commas.
  std::string name;
  std::string out;
  std::vector<std::string> settings;
};

/// Builds what the form needs, writes the form's folder, and prints what the folder holds. Writes
/// nothing if the form cannot express the kernel. Costs one or two compilations; needs no GPU.
Result<int> export_kernel(const Global& global, const KernelExport& flags);

}  // namespace kw::cli
