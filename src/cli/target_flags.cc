// Parses --target and --arch.
// SPDX-License-Identifier: Apache-2.0
#include "cli/target_flags.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/text.h"
#include "record/candidate.h"
#include "record/target.h"

namespace kw::cli {

void TargetFlags::declare(Flags& flags, bool has_arch) {
  flags.text("--target", target,
             target_names(" or ") + "; default: by the file's suffix, else " +
                 std::string(name_of(kDefaultTarget)));
  if (has_arch)
    flags.text("--arch", arch,
               target_names(", ", &TargetRow::needs_arch) + ": one of " +
                   join(session::known_archs(), ", ") + "; default: the device's");
}

Result<Aim> TargetFlags::aim(const std::string& file) const {
  Aim aim;
  if (target.empty()) {
    aim.target = target_of_file(file).value_or(kDefaultTarget);
  } else if (const auto named = enum_from<Target>(target)) {
    aim.target = *named;
  } else {
    return fail_input(ErrorCode::BadInput, About{"--target"},
                      "--target is " + target_names(" or ") + ", not '" + target + "'");
  }
  if (arch.empty()) return aim;
  if (!row_of(aim.target).needs_arch)
    return fail_input(
        ErrorCode::Contradiction, About{"--arch"},
        fmt::format("--arch is for target {}; on {} kernels are compiled for this machine",
                    target_names(" or ", &TargetRow::needs_arch), name_of(aim.target)));
  if (!contains(session::known_archs(), arch))
    return fail_input(ErrorCode::NotFound,
                      "--arch knows no GPU architecture '" + arch + "'" +
                          suggestion(arch, session::known_archs()) +
                          "; there are: " + join(session::known_archs(), ", "));
  aim.arch = arch;
  return aim;
}

}  // namespace kw::cli
