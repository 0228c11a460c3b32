// Screening of what was built for a GPU: special registers, and calls of the device's runtime.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "compile/device_code.h"
#include "referee/screen.h"

namespace kw::referee {
namespace {

EvidenceKind kind_of_register(std::string_view name) {
  if (name == "%gridid") return EvidenceKind::GridIdRegister;
  if (name.starts_with("%clock") || name.starts_with("%globaltimer"))
    return EvidenceKind::ClockRegister;
  return EvidenceKind::CounterRegister;
}

/// Why an import from the device's runtime is refused; None if it is allowed.
EvidenceKind kind_of_import(std::string_view name) {
  // The driver's own functions are allowed, and assert, which ends the kernel as a trap does.
  if (name.starts_with(".nv.") || name.starts_with("__nv_") || name == "__assertfail")
    return EvidenceKind::None;
  if (name == "vprintf") return EvidenceKind::DevicePrints;
  if (name == "malloc" || name == "free") return EvidenceKind::DeviceHeap;
  return name.starts_with("cuda") ? EvidenceKind::DeviceRuntime : EvidenceKind::DeviceImport;
}

/// Words of the source that may stand for a register: a half of a clock is read as a part of it.
std::vector<std::string> words_of_register(const std::string& name) {
  std::vector<std::string> words{name};
  for (const char* const clock : {"%globaltimer", "%clock64", "%clock"})
    if (name.starts_with(clock)) words.emplace_back(clock);
  return words;
}

}  // namespace

Screening screen_device_object(std::string_view cubin, std::string_view mark) {
  const auto code = compile::read_device_code(cubin, mark);
  if (!code.has_value())
    return refuse({.kind = EvidenceKind::ObjectUnreadable, .detail = code.error().what});
  for (const std::string& name : code->registers)
    return refuse_object({.kind = kind_of_register(name), .subject = sanitise(name, 100)},
                         words_of_register(name));
  for (const std::string& name : code->imported)
    if (const EvidenceKind kind = kind_of_import(name); kind != EvidenceKind::None)
      return refuse_object({.kind = kind, .subject = sanitise(name, 100)},
                           {kind == EvidenceKind::DevicePrints ? "printf" : name});
  return {};
}

}  // namespace kw::referee
