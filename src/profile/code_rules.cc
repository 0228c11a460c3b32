// The rules about machine code, one function each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/code_rules.h"

#include <algorithm>
#include <array>
#include <string>

#include "profile/kernel_rules.h"
#include "record/wording.h"

namespace kw::profile {
namespace {

using compile::CodeMix;
using compile::KernelCode;
using Findings = std::vector<Finding>;

// Shares of a loop's instructions that are FMAs. Below kSomeFma, FMAs are only a small part of the
// loop's work; above kMostlyFma nothing is left to improve. Our choice: a naive product has one in
// six (two loads, two additions of addresses, a comparison), one that is tiled in registers nine in
// ten.
constexpr double kSomeFma = 0.15;
constexpr double kMostlyFma = 0.8;
// The special function unit takes eight issue slots of its partition for a warp (16 lanes per clock
// of a multiprocessor; CUDA C++ Programming Guide, "Arithmetic Instructions"): if it gets an eighth
// of a loop's instructions or more, the loop waits for it.
constexpr double kManySpecial = 0.125;
// Instructions between two barriers below which warps mostly wait for each other. Our choice: a
// warp issues at most one instruction per clock, and the loads of the slowest warp take hundreds of
// clocks.
constexpr int kFewPerBarrier = 64;

constexpr std::array<std::string_view, 4> kMmaClasses{"HMMA", "IMMA", "DMMA", "QMMA"};
constexpr std::array<std::string_view, 3> kWgmmaClasses{"HGMMA", "IGMMA", "QGMMA"};
constexpr std::array<std::string_view, 3> kFmaClasses{"FFMA", "FFMA2", "DFMA"};

enum CodeWeight { kSpill = 1, kTensor = 2, kWidth = 3, kShare = 4, kSpecial = 5, kFigures = 9 };

/// One kernel as the rules see it.
struct Seen {
  const KernelCode& code;
  std::string name;
  std::string workload;

  bool has_loop() const { return code.loop.instructions > 0; }
  const CodeMix& hot() const { return has_loop() ? code.loop : code.all; }
  Wording where() const {
    return has_loop()
               ? worded("the hottest loop of {} ({} instructions)", name, code.loop.instructions)
               : worded("{} ({} instructions, no loop)", name, code.all.instructions);
  }
};

template <std::size_t N>
int sum(const CodeMix& mix, const std::array<std::string_view, N>& classes) {
  int n = 0;
  for (const auto& name : classes) n += mix.of(name);
  return n;
}

/// `rule` is the stable name of the rule, and of what it found.
void add(Findings& out, int weight, const Seen& seen, std::string rule, Wording words) {
  out.push_back({FindingKind::MachineCode, weight, std::move(words.text), "", seen.workload,
                 MismatchPattern::None, std::move(rule), std::move(words.numbers)});
}

void explain_local(const Seen& seen, Findings& out) {
  const int in_loop = seen.hot().of("LDL") + seen.hot().of("STL");
  const int all = seen.code.all.of("LDL") + seen.code.all.of("STL");
  if (in_loop > 0)
    add(out, kSpill, seen, "local memory in loop",
        worded("Local memory in {}: {} of its instructions load or store it. Registers spill, "
               "or an array is indexed by what is no constant: smaller tiles per thread, "
               "full unrolling, or more registers (__launch_bounds__) keep it in registers.",
               seen.where(), in_loop));
  else if (all > 0)
    add(out, kShare, seen, "local memory",
        worded("{} loads or stores local memory {} times, outside of its hottest loop.", seen.name,
               all));
}

void explain_width(const Seen& seen, Findings& out) {
  const CodeMix& hot = seen.hot();
  const auto is_narrow = [&](std::string_view name) {
    const std::string base(name);
    return hot.of(name) > 0 && hot.of(base + ".64") + hot.of(base + ".128") == 0;
  };
  // Tiles that the copy engine or cp.async brings are wide already.
  const bool copies = hot.of("UTMALDG") + hot.of("UBLKCP") + hot.of("LDGSTS") > 0;
  const bool loads = is_narrow("LDG") && !copies;
  const bool stores = is_narrow("STG");
  if (!loads && !stores) return;
  add(out, kWidth, seen,
      loads && stores ? "narrow loads and stores"
      : loads         ? "narrow loads"
                      : "narrow stores",
      worded("No wide {} in {}: {}{}{} of at most 4 bytes each. Where neighbours are wanted "
             "together, 16 bytes per access (float4, aligned) take a quarter of the "
             "instructions and keep more bytes in flight.",
             loads && stores ? "loads or stores"
             : loads         ? "loads"
                             : "stores",
             seen.where(), loads ? worded("{} global loads", hot.of("LDG")) : Wording(),
             loads && stores ? " and " : "",
             stores ? worded("{} global stores", hot.of("STG")) : Wording()));
}

bool multiplies_halves(const EvaluationRequest& request) {
  if (request.task.gate.kind != GateKind::Dot || request.workloads.empty()) return false;
  const auto& tensors = request.workloads.front().tensors;
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& t) { return t.role == TensorRole::In && is_half(t.dtype); });
}

void explain_tensor(const Seen& seen, const std::string& arch, bool has_halves, Findings& out) {
  const int wgmma = sum(seen.code.all, kWgmmaClasses);
  const int mma = sum(seen.code.all, kMmaClasses);
  const bool multiplies = sum(seen.hot(), kFmaClasses) + seen.hot().of("HFMA2") > 0;
  if (wgmma + mma == 0) {
    if (has_halves && multiplies)
      add(out, kTensor, seen, "no tensor instruction",
          worded("No tensor instruction in {}: its products run on the FMA units, which are "
                 "more than ten times slower than the matrix units at this type.",
                 seen.name));
    return;
  }
  if (wgmma == 0 && arch == "sm_90a" && sum(seen.hot(), kMmaClasses) > 0)
    add(out, kTensor, seen, "no wgmma",
        worded("{} feeds the matrix units by mma.sync ({} in {}); on sm_90a wgmma, which reads "
               "shared memory itself, is the way to their full rate.",
               seen.name, sum(seen.hot(), kMmaClasses), seen.where()));
}

void explain_share(const Seen& seen, Findings& out) {
  const CodeMix& hot = seen.hot();
  if (hot.instructions == 0 || sum(hot, kMmaClasses) + sum(hot, kWgmmaClasses) > 0) return;
  const int fma = sum(hot, kFmaClasses);
  const double share = static_cast<double>(fma) / hot.instructions;
  if (share < kSomeFma || share > kMostlyFma) return;
  add(out, kShare, seen, "share of FMAs",
      worded("{:.2f} of {} are fused multiply-adds: the others take their issue slots "
             "(shared memory {}, global memory {}, integer {}). More results per thread, "
             "wider accesses and addresses that are counted up raise the share.",
             share, seen.where(), hot.of("LDS") + hot.of("STS") + hot.of("LDSM"),
             hot.of("LDG") + hot.of("STG"),
             hot.of("IMAD") + hot.of("IADD3") + hot.of("LEA") + hot.of("LOP3") + hot.of("ISETP")));
}

void explain_waits(const Seen& seen, Findings& out) {
  if (!seen.has_loop()) return;
  const CodeMix& hot = seen.hot();
  if (const int special = hot.of("MUFU"); special > kManySpecial * hot.instructions)
    add(out, kSpecial, seen, "special functions",
        worded("{} special functions (exp2, reciprocal, square root) in {}: they run at an "
               "eighth of the rate of FMAs.",
               special, seen.where()));
  if (const int barriers = hot.of("BAR");
      barriers > 0 && hot.instructions / barriers < kFewPerBarrier)
    add(out, kSpecial, seen, "barriers",
        worded("{} barrier{} in {}: more work between barriers, or several stages of buffers, "
               "would let warps run apart.",
               barriers, barriers == 1 ? "" : "s", seen.where()));
}

void add_figures(const Seen& seen, Findings& out) {
  std::vector<std::pair<int, std::string>> counts;
  for (const auto& [name, n] : seen.hot().by_class)
    if (name != "other") counts.emplace_back(-n, name);
  std::sort(counts.begin(), counts.end());
  if (counts.size() > 8) counts.resize(8);
  if (counts.empty()) return;
  Wording words;
  for (const auto& [n, name] : counts)
    words += worded("{}{} {}", words.text.empty() ? "" : ", ", -n, name);
  add(out, kFigures, seen, "instructions", worded("In {}: {}.", seen.where(), words));
}

}  // namespace

std::vector<Finding> code_findings(std::span<const KernelCode> kernels,
                                   const EvaluationRequest& request) {
  Findings out;
  const BuildUnit* unit = request.unit("candidate");
  if (unit == nullptr || unit->object.empty()) return out;
  const bool has_halves = multiplies_halves(request);
  for (const LaunchedKernel& launch : launched_kernels(request.plans)) {
    const KernelFacts* facts = unit->object.front().kernel(launch.name);
    const std::string& symbol = facts == nullptr ? launch.name : facts->symbol;
    const auto code = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const KernelCode& k) { return k.symbol == symbol; });
    if (code == kernels.end()) continue;
    const Seen seen{*code, launch.name, launch.workload};
    explain_local(seen, out);
    explain_tensor(seen, unit->arch, has_halves, out);
    explain_width(seen, out);
    explain_share(seen, out);
    explain_waits(seen, out);
    add_figures(seen, out);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = static_cast<int>(i) + 1;
  return out;
}

}  // namespace kw::profile
