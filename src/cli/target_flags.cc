// Parses --target and --arch.
// SPDX-License-Identifier: Apache-2.0
#include "cli/target_flags.h"

#include "base/contains.h"
#include "base/text.h"
#include "record/candidate.h"

namespace kw::cli {

void TargetFlags::declare(Flags& flags, bool has_arch) {
  flags.text("--target", target, "cpu or cuda; default: by the file's suffix, else cpu");
  if (has_arch)
    flags.text("--arch", arch,
               "cuda: one of " + join(session::known_archs(), ", ") + "; default: the device's");
}

Result<Aim> TargetFlags::aim(const std::string& file) const {
  Aim aim;
  if (target.empty()) {
    aim.target = target_of_file(file).value_or(Target::Cpu);
  } else if (const auto named = enum_from<Target>(target)) {
    aim.target = *named;
  } else {
    return fail_input("--target is cpu or cuda, not '" + target + "'");
  }
  if (arch.empty()) return aim;
  if (aim.target == Target::Cpu)
    return fail_input("--arch is for target cuda; on cpu kernels are compiled for this machine");
  if (!contains(session::known_archs(), arch))
    return fail_input(ErrorCode::NotFound,
                      "--arch knows no GPU architecture '" + arch + "'" +
                          suggestion(arch, session::known_archs()) +
                          "; there are: " + join(session::known_archs(), ", "));
  aim.arch = arch;
  return aim;
}

}  // namespace kw::cli
