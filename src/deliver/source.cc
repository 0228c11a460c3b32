// Writes an export as the kernel's source with a comment at its head.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "compile/device_flags.h"
#include "deliver/parts.h"
#include "record/target.h"
#include "task/units.h"

namespace kw::deliver {
namespace {

std::string cpu_build(const Delivery& d) {
  const auto libraries = link_libraries(d.kernel);
  // Compiling and linking are separate commands, because -ffast-math in a link would make the whole
  // process flush denormals (GCC < 13).
  return fmt::format("g++ {} -fPIC -c {}.cpp && g++ -shared -fopenmp {}.o -o {}.so{}",
                     join(cpu_flags(d.kernel), " "), d.name, d.name, d.name,
                     libraries.empty() ? "" : " " + join(libraries, " "));
}

std::string cuda_build(const Delivery& d) {
  const bool has_headers = !task::dialect_of(d.header).headers.empty();
  std::string text =
      fmt::format("nvcc -O3 -arch={} {} -cubin {}.cu -o {}.cubin",
                  d.built.empty() ? "native" : d.built.front().arch,
                  has_headers ? compile::kCuteStandard : compile::kDeviceStandard, d.name, d.name);
  for (const std::string& option : d.kernel.options) text += " " + compile::device_flag(option);
  if (has_headers) text += " --expt-relaxed-constexpr -I CUTLASS/include";
  return text;
}

}  // namespace

Result<Files> source_files(const Delivery& d) {
  const bool has_plan = d.launches_by_plan();
  std::string text = head_comment(d, has_plan ? "Device code and its launch plan." : "The kernel.");
  text += "//\n// Build it with\n//   " + (has_plan ? cuda_build(d) : cpu_build(d)) + "\n";
  if (has_plan)
    text +=
        "// The lines `// kw:` say what is launched on what; kw export --as header writes the "
        "host's code for them.\n";
  text +=
      "\n" + (has_plan ? task::device_interface_text(d.task()) : task::interface_text(d.task()));
  const auto once = text.find("#pragma once\n");
  if (once != std::string::npos) text.erase(once, std::string_view("#pragma once\n").size());
  text += "\n" + task::pin_knobs(d.kernel.source, d.header, d.kernel.knobs);
  if (has_plan) {
    // The address of each kernel template is taken, which instantiates the template.
    int i = 0;
    for (const Built& built : d.built)
      for (const KernelFacts& kernel : built.kernels)
        if (&built == &d.built.front() && kernel.name.find_first_of("<:") != std::string::npos)
          text +=
              fmt::format("{}static auto* kw_name_{} = &{};\n", i == 0 ? "\n" : "", i, kernel.name),
              ++i;
  }
  Files files{{d.name + std::string(source_suffix(d.kernel.target)), std::move(text)}};
  add_papers(d, files);
  return files;
}

}  // namespace kw::deliver
