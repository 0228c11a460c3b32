// Parses the flags of kw export --as, and tells what was written.
// SPDX-License-Identifier: Apache-2.0
#include "cli/export_kernel.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/json.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "cli/target_flags.h"
#include "session/export_kernel.h"

namespace kw::cli {
namespace {

using deliver::Form;

Result<Form> form_of(const std::string& text) {
  if (const auto form = enum_from<Form>(text)) return *form;
  std::vector<std::string> known;
  for (const auto name : EnumNames<Form>::names) known.emplace_back(name);
  return fail_input(ErrorCode::BadInput, About{with_nearest(sanitise(text, 40), known)},
                    "--as is header, cmake, torch or source, not '" + sanitise(text, 40) + "'" +
                        suggestion(text, known));
}

/// The architectures of --arch. kw export takes a comma-separated list, so that one export serves
/// several kinds of GPU.
Result<std::vector<std::string>> archs_of(const KernelExport& flags) {
  std::vector<std::string> archs;
  if (flags.arch.empty()) return archs;
  for (const auto part : split(flags.arch, ',')) {
    const std::string arch(trim(part));
    if (!contains(session::known_archs(), arch))
      return fail_input(ErrorCode::NotFound,
                        "--arch knows no GPU architecture '" + sanitise(arch, 40) + "'" +
                            suggestion(arch, session::known_archs()) +
                            "; there are: " + join(session::known_archs(), ", "));
    if (!contains(archs, arch)) archs.push_back(arch);
  }
  return archs;
}

Result<session::ExportRequest> request_of(const KernelExport& flags) {
  session::ExportRequest request;
  request.form = KW_TRY(form_of(flags.form));
  request.kernel = flags.kernel;
  request.out = flags.out;
  request.name = flags.name;
  request.task = flags.task;
  request.settings = flags.settings;
  const TargetFlags target{flags.target, ""};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(flags.kernel, ignored) || !flags.target.empty())
    request.aim = KW_TRY(target.aim(flags.kernel));
  request.archs = KW_TRY(archs_of(flags));
  return request;
}

std::string what_next(Form form, const deliver::Delivery& d, const platform::Path& folder) {
  const std::string at = folder.string();
  switch (form) {
    case Form::Header:
      return fmt::format(
          "use: #include \"{}.h\"; the first lines of the header say how to build it\n", d.name);
    case Form::CMake:
      return fmt::format(
          "try: cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest "
          "--test-dir {0}/build\n",
          at);
    case Form::Torch:
      return fmt::format(
          "try: pip install --no-build-isolation {0} && python {0}/tests/test_{1}.py\n", at,
          d.name);
    case Form::Source:
      return "the first lines of the source say how to build it\n";
  }
  return {};
}

}  // namespace

Result<int> export_kernel(const Global& global, const KernelExport& flags) {
  const auto request = KW_TRY(request_of(flags));
  const auto exported = KW_TRY(session::export_kernel(global, request));
  const deliver::Delivery& d = exported.delivery;
  if (global.json) {
    std::vector<std::string> archs;
    for (const deliver::Built& built : d.built) archs.push_back(built.arch);
    Json object{{"form", flags.form},
                {"task", d.task().name},
                {"target", name_of(d.kernel.target)},
                {"name", d.name},
                {"kernel", d.kernel.name},
                {"knobs", d.kernel.knobs},
                {"folder", exported.folder.string()},
                {"files", exported.files},
                {"confirmed", exported.is_confirmed},
                {"archs", archs}};
    object["run"] = exported.run.empty() ? Json() : Json(exported.run);
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  std::printf("%s\n%s\n", d.story.kernel.c_str(), d.story.speed.c_str());
  for (const std::string& name : exported.files)
    if (name != ".kw-export") std::printf("  %s\n", (exported.folder / name).string().c_str());
  std::printf("%s", what_next(request.form, d, exported.folder).c_str());
  return kDone;
}

}  // namespace kw::cli
