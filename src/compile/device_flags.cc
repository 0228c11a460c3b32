// Options and checks of device code, and collecting the facts about a cubin.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "compile/cubin.h"
#include "compile/diagnostics.h"
#include "record/target.h"
#include "record/wording.h"

namespace kw::compile {
namespace {

constexpr std::size_t kNameBytes = 512;
constexpr std::array kRegisterCounts = {32, 40, 48, 64, 80, 96, 128, 168, 255};

}  // namespace

std::string device_flag(std::string_view option) {
  if (option == "fast_math") return "--use_fast_math";
  constexpr std::string_view kRegisters = "maxrregcount_";
  for (const int count : kRegisterCounts)
    if (option == std::string(kRegisters) + std::to_string(count))
      return "-maxrregcount=" + std::to_string(count);
  return {};
}

/// The number of an architecture: 90 for "sm_90a", 0 if the text is no architecture.
int architecture_number(std::string_view arch) {
  if (!arch.starts_with("sm_") || arch.size() > 8) return 0;
  int number = 0;
  const auto read = std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  const std::string_view rest = arch.substr(static_cast<std::size_t>(read.ptr - arch.data()));
  return rest.empty() || rest == "a" || rest == "f" ? number : 0;
}

std::span<const std::string> cuda_option_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"fast_math"};
    for (const int count : kRegisterCounts) all.push_back(fmt::format("maxrregcount_{}", count));
    return all;
  }();
  return names;
}

Result<std::optional<CompileResult>> check_device_unit(const BuildUnit& unit) {
  for (const std::string& option : unit.options)
    if (device_flag(option).empty()) return unknown_option(option, cuda_option_names());
  for (const std::string& name : unit.kernels)
    if (name.empty() || name.size() > kNameBytes || name.find('\n') != std::string::npos)
      return refused(Outcome::CompileFailed, BuildTrouble::BadKernelName, one_line(name, 80),
                     "'" + one_line(name, 80) + "' cannot be the name of a kernel");
  if (architecture_number(unit.arch) == 0)
    return fail(ErrorCode::Unsupported, About{"arch " + one_line(unit.arch, 40)},
                "the build unit names an unknown GPU architecture: " + one_line(unit.arch, 40));
  if (find_dialect(unit.target, unit.dialect) == nullptr)
    return fail(ErrorCode::Unsupported, About{"dialect " + one_line(unit.dialect, 40)},
                "the build unit names an unknown dialect of CUDA: " + one_line(unit.dialect, 40));
  return std::nullopt;
}

std::unexpected<Error> no_cutlass() {
  return fail(ErrorCode::MissingProgram, About{"CUTLASS"},
              "'// kw: dialect cute' needs CUTLASS, which was not found; set CUTLASS_PATH or run "
              "scripts/install-cutlass",
              "", Advice::Stop);
}

Result<CompileResult> keep_cubin(const platform::Path& objects, std::string_view bytes,
                                 std::span<const std::string> symbols, const NvrtcLog& log,
                                 const BuildUnit& unit) {
  Result<std::vector<KernelFacts>> kernels = read_cubin(bytes);
  if (!kernels)
    return refused(Outcome::CompileFailed, BuildTrouble::UnreadableObject, kernels.error().about,
                   "the cubin cannot be read: " + kernels.error().what);
  for (KernelFacts& kernel : *kernels) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == kernel.symbol) kernel.name = unit.kernels[i];
    for (const PtxasUsage& usage : log.usage) {
      if (usage.symbol != kernel.symbol) continue;
      kernel.spill_bytes = usage.spill_bytes;
      if (usage.registers >= 0) kernel.static_shared = usage.shared_bytes;
    }
  }
  CompileResult result = KW_TRY(keep_object(objects, bytes, "cubin"));
  // Two spellings of one template instance (f<4> and f<2 * 2>) have the same symbol, and a launch
  // by either name must find the kernel.
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto found = std::find_if(kernels->begin(), kernels->end(),
                                    [&](const KernelFacts& k) { return k.symbol == symbols[i]; });
    if (found == kernels->end())
      return refused(Outcome::CompileFailed, BuildTrouble::UnknownKernel,
                     one_line(unit.kernels[i], 80),
                     "the plan launches '" + one_line(unit.kernels[i], 80) +
                         "', which is no __global__ function");
    if (found->name == unit.kernels[i]) continue;
    KernelFacts alias = *found;
    alias.name = unit.kernels[i];
    kernels->push_back(std::move(alias));
  }
  result.findings = diagnostic_findings(log.diagnostics, unit);
  for (Finding& finding : resource_findings(*kernels)) {
    finding.rank = static_cast<int>(result.findings.size()) + 1;
    result.findings.push_back(std::move(finding));
  }
  result.object.front().kernels = std::move(*kernels);
  return result;
}

namespace {

/// End of the sentence about a kernel's local memory: how to reduce it.
std::string_view cure_for_local_memory(const KernelFacts& kernel) {
  if (kernel.spill_bytes > 0)
    return ". Registers run out, and values spill to local memory, which is DRAM behind caches: "
           "use fewer values at a time, smaller register tiles or smaller blocks in "
           "__launch_bounds__.";
  if (kernel.stack_bytes > 0)
    return ". Unroll the loops that index arrays of a thread, so that every index is a constant "
           "and the "
           "arrays become registers.";
  return ".";
}

}  // namespace

std::vector<Finding> resource_findings(std::span<const KernelFacts> kernels) {
  std::vector<const KernelFacts*> order;
  for (const KernelFacts& kernel : kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(), [](const KernelFacts* a, const KernelFacts* b) {
    return a->spill_bytes > b->spill_bytes;
  });
  std::vector<Finding> findings;
  for (const KernelFacts* kernel : order) {
    Finding& finding = findings.emplace_back();
    finding.kind = FindingKind::Resource;
    finding.place = kernel->name;
    finding.about = kernel->spill_bytes > 0 ? "spill" : kernel->stack_bytes > 0 ? "stack" : "fits";
    Wording words = worded("{}: {} registers per thread, {} of static shared memory", kernel->name,
                           kernel->registers, InBytes{kernel->static_shared});
    if (kernel->spill_bytes > 0)
      words += worded(", {} of spill traffic per thread", InBytes{kernel->spill_bytes});
    if (kernel->stack_bytes > 0)
      words += worded(", {} of stack in local memory", InBytes{kernel->stack_bytes});
    if (kernel->max_threads > 0)
      words += worded(", compiled for at most {} threads a block", kernel->max_threads);
    finding.text = words.text + std::string(cure_for_local_memory(*kernel));
    finding.numbers = std::move(words.numbers);
  }
  return findings;
}

}  // namespace kw::compile
