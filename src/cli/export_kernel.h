// kw export KERNEL --as FORM: a kernel as source from which other programs are built.
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

/// Builds what the form needs, then writes the form's folder and says what is in it. Nothing is
/// written where the form cannot express the kernel. Costs a compilation or two; needs no GPU.
Result<int> export_kernel(const Global& global, const KernelExport& flags);

}  // namespace kw::cli
