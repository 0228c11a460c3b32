// Screening of what was built for a GPU: special registers, and calls of the device's runtime.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "compile/device_code.h"
#include "referee/screen.h"

namespace kw::referee {
namespace {

std::string_view words_of_register(std::string_view name) {
  if (name == "%gridid")
    return "counts launches; a kernel's result depends on its arguments alone, so leave it out";
  if (name.starts_with("%clock") || name.starts_with("%globaltimer"))
    return "tells the time, which only the referee measures; wait with a barrier, "
           "cuda::atomic::wait or __nanosleep, and let knobs (// kw: tune) choose what is quickest";
  return "counts hardware events; leave it out; kw judge --profile tells what a kernel is bound by";
}

/// Why an import from the device's runtime is refused; empty if it is allowed.
std::string_view words_of_import(std::string_view name) {
  // The driver's own functions are allowed, and assert, which ends the kernel as a trap does.
  if (name.starts_with(".nv.") || name.starts_with("__nv_") || name == "__assertfail") return {};
  if (name == "vprintf") return "prints; leave out printf, whose output nobody sees";
  if (name == "malloc" || name == "free")
    return "takes memory from the device's heap; declare scratch memory by // kw: workspace "
           "lines";
  if (name.starts_with("cuda"))
    return "calls the CUDA runtime on the device; declare launches by // kw: launch lines";
  return "may not be called by device code; write its code into the source";
}

}  // namespace

Screening screen_device_object(std::string_view cubin, std::string_view mark) {
  const auto code = compile::read_device_code(cubin, mark);
  if (!code.has_value()) return refuse("the compiled object cannot be read: " + code.error().what);
  for (const std::string& name : code->registers)
    return refuse(fmt::format("the device code reads {}, which {}", sanitise(name, 100),
                              words_of_register(name)));
  for (const std::string& name : code->imported)
    if (const auto words = words_of_import(name); !words.empty())
      return refuse(fmt::format("the device code uses '{}', which {}", sanitise(name, 100), words));
  return {};
}

}  // namespace kw::referee
