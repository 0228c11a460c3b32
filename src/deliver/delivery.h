// A judged kernel that is exported into a person's program: the parts of an export, and its forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "record/enums.h"
#include "record/target.h"
#include "record/task.h"
#include "task/definition.h"
#include "task/header.h"

namespace kw::deliver {

/// The forms of an export; docs/export.md says what each contains.
enum class Form { Header, CMake, Torch, Source };

}  // namespace kw::deliver

namespace kw {
template <>
struct EnumNames<deliver::Form> {
  static constexpr std::array<std::string_view, 4> names{"header", "cmake", "torch", "source"};
};
}  // namespace kw

namespace kw::deliver {

/// Where the kernel comes from and how fast it was measured to be, as text for comments in the
/// export. Empty fields are unknown.
struct Story {
  std::string kernel;   ///< Its origin: "attempt 3 (30_skewed) of run fctd3d-1", or a file name.
  std::string speed;    ///< The measured speedup: "2.54x omp (2.33–2.71 at 99.5 %), confirmed".
  std::string device;   ///< The device on which `speed` was measured.
  std::string date;     ///< Date of the export, YYYY-MM-DD.
  std::string licence;  ///< SPDX identifier that the source gives.
  std::string certificate;  ///< Text of certificate.json; empty: the kernel has no certificate.
};

/// Device code for one architecture.
struct Built {
  std::string arch;  ///< The architecture, such as sm_90a.
  std::string cubin;
  std::vector<KernelFacts> kernels;
};

/// Everything from which an export is written.
struct Delivery {
  task::Definition definition;
  Candidate kernel;              ///< The kernel at the knobs that the export pins.
  task::CandidateHeader header;  ///< The parsed directives of `kernel`.
  std::string name;              ///< The function's name in the user's program: kw_softmax.
  Story story;
  std::vector<Built> built;         ///< Compiled device code; at least one for a cuda kernel.
  std::vector<Workload> workloads;  ///< The shapes that the exported tests run.

  bool launches_by_plan() const { return row_of(kernel.target).launches_by_plan; }
  const Task& task() const { return definition.task; }
};

/// The text of exported files, by path below the export's folder.
using Files = std::map<std::string, std::string>;

/// The files of an export in this form. Errors (of the input) name the part of the kernel that the
/// form cannot express. No side effects; linear in the source and its cubins.
Result<Files> deliver(Form form, const Delivery& delivery);

/// The identifier behind SPDX-License-Identifier in a source; empty where it has none.
std::string licence_of(std::string_view source);

}  // namespace kw::deliver
