// Null answers are written into the referee's own buffers and judged by the same gates as
// candidates.
// SPDX-License-Identifier: Apache-2.0
#include "referee/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "referee/bench.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr int kSet = kWarmSet + 1;       // the set whose truth is the right answer
constexpr int kOtherSet = kWarmSet + 2;  // the previous call's
constexpr double kEnoughSpare = 0.25;    // design §4: a factor 4
constexpr std::int64_t kTile = 32;
constexpr int kBlocks = 16;  // a block is this part of an input
// Answers are made in the worker's own memory, a dozen doubles for an element.
constexpr std::int64_t kBytesExamined = 12 * sizeof(double);
// Of a GPU's workloads, for which a sequential truth may take an hour.
constexpr std::int64_t kMostOnHost = 1 << 26;

using Elements = std::vector<std::vector<double>>;  // per tensor, all elements in memory order

/// Rounds to `bits` significant bits, to nearest even.
double rounded(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

/// Significant bits of the next type that is less precise: f32, f16 (and tf32), bf16, e4m3.
int bits_down(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
      return 24;
    case Dtype::F32:
      return 11;
    case Dtype::F16:
      return 8;
    default:
      return 4;
  }
}

/// One workload under examination.
class Examiner {
 public:
  Examiner(Bench& bench, const TruthMaker& maker, Admission& to)
      : bench_(bench), maker_(maker), to_(to), tensors_(bench.workload().tensors) {}

  Result<> run();

 private:
  Result<Elements> read_truth(const Buffers& values) const;
  Result<> judge(const std::string& name, const Elements& answer, std::string note = {});
  void not_applicable(const std::string& name, std::string note);
  Result<> constants();
  Result<> copies();
  Result<> missing_parts();
  Result<> changed_inputs();
  Result<> recomputed(const std::string& name, const std::function<Result<bool>(Buffers&)>& change);
  Result<Buffers> clone_inputs() const;
  Elements filled(double value) const;

  Bench& bench_;
  const TruthMaker& maker_;
  Admission& to_;
  const std::vector<Tensor>& tensors_;
  Elements right_;    ///< The truth, rounded to the tensors' types.
  Elements initial_;  ///< What the outputs hold before the call.
};

Result<Elements> Examiner::read_truth(const Buffers& values) const {
  Elements all(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!values[i]) continue;
    all[i] = KW_TRY(read_all(*values[i], widened(tensors_[i])));
    for (double& v : all[i]) v = to_type(v, tensors_[i].dtype);
  }
  return all;
}

Elements Examiner::filled(double value) const {
  Elements all(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    all[i].assign(right_[i].size(), to_type(value, tensors_[i].dtype));
  return all;
}

void Examiner::not_applicable(const std::string& name, std::string note) {
  to_.answers.push_back({.name = name,
                         .workload = bench_.workload().name,
                         .group = bench_.workload().group,
                         .is_applicable = false,
                         .passed = false,
                         .gate_fraction = 0,
                         .note = std::move(note)});
}

// An answer counts as passed when every region of every tensor passes both gates.
Result<> Examiner::judge(const std::string& name, const Elements& answer, std::string note) {
  bool differs = false;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    for (const Region& region : tensors_[i].compared)
      for_each_run(tensors_[i], region, [&](std::int64_t at, std::int64_t length) {
        const auto first = static_cast<std::ptrdiff_t>(at);
        differs =
            differs || !std::equal(answer[i].begin() + first,
                                   answer[i].begin() + first + static_cast<std::ptrdiff_t>(length),
                                   right_[i].begin() + first);
      });
  if (!differs) {
    not_applicable(name, "it is the right answer here");
    return {};
  }
  const Known& known = bench_.known(kSet);
  Accuracy accuracy;
  bool passed = true;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].compared.empty()) continue;
    device::Buffer* got = KW_TRY(bench_.scratch(i));
    KW_TRY(write_all(*got, tensors_[i], answer[i]));
    const device::Buffer* magnitude =
        known.truth.magnitudes.empty() ? nullptr : known.truth.magnitudes[i].get();
    for (std::size_t r = 0; r < tensors_[i].compared.size(); ++r) {
      const auto seen = KW_TRY(bench_.device().ops().compare(
          *got, *known.truth.values[i], magnitude, tensors_[i], tensors_[i].compared[r],
          allowance_of(bench_.task().gate, tensors_[i], bench_.workload(), known.regions[i][r]),
          {}));
      if (judge_region(bench_.task().gate, tensors_[i], known.regions[i][r], seen, true, accuracy))
        passed = false;
    }
  }
  to_.answers.push_back({.name = name,
                         .workload = bench_.workload().name,
                         .group = bench_.workload().group,
                         .is_applicable = true,
                         .passed = passed,
                         .gate_fraction = accuracy.gate_fraction,
                         .note = std::move(note)});
  return {};
}

Result<> Examiner::constants() {
  KW_TRY(judge("zeros", filled(0)));
  KW_TRY(judge("ones", filled(1)));
  Elements mean = right_;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    for (std::size_t r = 0; r < tensors_[i].compared.size(); ++r) {
      const RegionTruth& truth = bench_.known(kSet).regions[i][r];
      const double value = truth.count > 0 ? truth.sum / static_cast<double>(truth.count) : 0;
      for_each_run(tensors_[i], tensors_[i].compared[r], [&](std::int64_t at, std::int64_t length) {
        std::fill_n(
            mean[i].begin() + static_cast<std::ptrdiff_t>(at), length,
            is_real(tensors_[i].dtype) ? to_type(value, tensors_[i].dtype) : std::nearbyint(value));
      });
    }
  return judge("mean", mean);
}

// Element k of the output is element k of the input, round and round where sizes differ.
Result<> Examiner::copies() {
  const Buffers* set = KW_TRY(bench_.pool().set(kSet));
  for (std::size_t s = 0; s < tensors_.size(); ++s) {
    if (!is_drawn(tensors_[s]) || tensors_[s].extent() == 0) continue;
    const auto input = KW_TRY(read_all(*(*set)[s], tensors_[s]));
    Elements copy = right_;
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      for (std::size_t k = 0; k < copy[i].size(); ++k)
        copy[i][k] = to_type(input[k % input.size()], tensors_[i].dtype);
    KW_TRY(judge(fmt::format("copy of {}", tensors_[s].name), copy));
  }
  const Elements previous = KW_TRY(read_truth(bench_.known(kOtherSet).truth.values));
  return judge("previous output", previous);
}

// The right answer, but for a part at the end that stays as it was before the call. Where the call
// leaves that part alone anyway (a halo), the part before it is taken.
Result<> Examiner::missing_parts() {
  struct Part {
    const char* name;
    bool first_dimension;
    std::int64_t width;
  };
  for (const Part& part :
       {Part{"last plane missing", true, 1}, Part{"last column missing", false, 1},
        Part{"last tile missing", false, kTile}}) {
    Elements answer = right_;
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      for (const Region& region : tensors_[i].compared) {
        if (region.ranges.empty()) continue;
        // The first dimension that is no single index is the plane's.
        std::size_t d = region.ranges.size() - 1;
        if (part.first_dimension)
          for (d = 0; d + 1 < region.ranges.size(); ++d)
            if (region.ranges[d].hi - region.ranges[d].lo > 1) break;
        Region cut = region;
        bool changed = false;
        for (std::int64_t hi = region.ranges[d].hi; hi > region.ranges[d].lo && !changed; --hi) {
          cut.ranges[d] = {std::max(region.ranges[d].lo, hi - part.width), hi};
          for_each_run(tensors_[i], cut, [&](std::int64_t at, std::int64_t length) {
            for (std::int64_t k = at; k < at + length; ++k) {
              const auto e = static_cast<std::size_t>(k);
              changed = changed || answer[i][e] != initial_[i][e];
              answer[i][e] = initial_[i][e];
            }
          });
        }
      }
    KW_TRY(judge(part.name, answer));
  }
  return {};
}

Result<Buffers> Examiner::clone_inputs() const {
  const Buffers* set = KW_TRY(bench_.pool().set(kSet));
  Buffers copy(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!(*set)[i]) continue;
    copy[i] = KW_TRY(bench_.device().allocate({.name = "changed." + tensors_[i].name,
                                               .bytes = tensors_[i].bytes(),
                                               .alignment = tensors_[i].alignment,
                                               .shared = false}));
    KW_TRY(bench_.device().ops().copy(*copy[i], *(*set)[i]));
  }
  return copy;
}

// What the reference gives for inputs that `change` has altered (false: it altered nothing).
Result<> Examiner::recomputed(const std::string& name,
                              const std::function<Result<bool>(Buffers&)>& change) {
  Buffers inputs = KW_TRY(clone_inputs());
  if (!KW_TRY(change(inputs))) {
    not_applicable(name, "the inputs are the same after it");
    return {};
  }
  const TruthMaker::Job job{&bench_.workload(), &inputs};
  const auto truth = maker_.compute(std::span(&job, 1));
  if (!truth.has_value()) {
    not_applicable(name, truth.error().what);
    return {};
  }
  return judge(name, KW_TRY(read_truth(truth->front().values)));
}

Result<> Examiner::changed_inputs() {
  KW_TRY(recomputed("inputs rounded one precision down", [&](Buffers& inputs) -> Result<bool> {
    bool changed = false;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!inputs[i] || !is_real(tensors_[i].dtype)) continue;
      auto values = KW_TRY(read_all(*inputs[i], tensors_[i]));
      for (double& v : values) {
        const double down = rounded(v, bits_down(tensors_[i].dtype));
        changed = changed || down != v;
        v = down;
      }
      KW_TRY(write_all(*inputs[i], tensors_[i], values));
    }
    return changed;
  }));
  const Buffers* other = KW_TRY(bench_.pool().set(kOtherSet));
  for (std::size_t s = 0; s < tensors_.size(); ++s) {
    if (!is_drawn(tensors_[s])) continue;
    // Values of another draw, so that they are as valid as the right ones (positions, indices).
    const auto replace = [&](std::int64_t parts) {
      return [&, parts](Buffers& inputs) -> Result<bool> {
        auto values = KW_TRY(read_all(*inputs[s], tensors_[s]));
        const auto drawn = KW_TRY(read_all(*(*other)[s], tensors_[s]));
        const auto count = static_cast<std::int64_t>(values.size());
        const std::int64_t from = count - std::max<std::int64_t>(count / parts, 1);
        bool changed = false;
        for (std::int64_t k = from; k < count; ++k) {
          const auto e = static_cast<std::size_t>(k);
          changed = changed || values[e] != drawn[e];
          values[e] = drawn[e];
        }
        KW_TRY(write_all(*inputs[s], tensors_[s], values));
        return changed;
      };
    };
    KW_TRY(recomputed(fmt::format("{} ignored", tensors_[s].name), replace(1)));
    KW_TRY(recomputed(fmt::format("last block of {} ignored", tensors_[s].name), replace(kBlocks)));
  }
  return {};
}

Result<> Examiner::run() {
  KW_TRY(bench_.prepare(kSet));
  KW_TRY(bench_.prepare(kOtherSet));
  if (auto doubt = KW_TRY(bench_.doubt(kSet))) {
    // Nothing can be held against such a truth.
    doubt->front() = 'T';
    to_.problems.push_back(*std::move(doubt) + ".");
    return {};
  }
  const Known& known = bench_.known(kSet);
  right_ = KW_TRY(read_truth(known.truth.values));
  KW_TRY(bench_.place(0, kSet));
  initial_.resize(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    if (!tensors_[i].compared.empty())
      initial_[i] = KW_TRY(read_all(*bench_.slot(0).buffers[i], tensors_[i]));
  to_.baseline.push_back({.workload = bench_.workload().name,
                          .passed = !known.baseline_failure,
                          .gate_fraction = known.baseline.gate_fraction,
                          .failure = known.baseline_failure.value_or("")});
  KW_TRY(constants());
  KW_TRY(copies());
  KW_TRY(missing_parts());
  return changed_inputs();
}

/// Which key lets such an answer pass.
std::string hint_for(const std::string& answer) {
  if (answer.starts_with("inputs rounded"))
    return "tighten 'gate' or add 'rms' in task.yaml; in sums of one sign such errors average out, "
           "so give the inputs 'values' of mean zero";
  if (answer.ends_with("ignored")) {
    constexpr std::string_view kBlock = "last block of ";
    std::string_view input = std::string_view(answer).substr(0, answer.rfind(' '));
    if (input.starts_with(kBlock)) input.remove_prefix(kBlock.size());
    return fmt::format(
        "tighten 'gate' in task.yaml, or change 'values' of '{}' there so that it matters", input);
  }
  if (answer.ends_with("missing"))
    return "tighten 'gate' in task.yaml: 'relative' and 'dot' look at each element";
  return "tighten 'gate' in task.yaml, or give the inputs 'values' that vary more";
}

// Turns figures into sentences.
void conclude(Admission& admission) {
  std::vector<std::string> names;
  for (const NullAnswer& answer : admission.answers)
    if (std::find(names.begin(), names.end(), answer.name) == names.end())
      names.push_back(answer.name);
  for (const std::string& name : names) {
    bool fails_a_check = false;
    bool has_check = false;
    bool applies = false;
    for (const NullAnswer& answer : admission.answers) {
      if (answer.name != name) continue;
      has_check = has_check || (answer.group == Group::Check && answer.is_applicable);
      applies = applies || answer.is_applicable;
      fails_a_check =
          fails_a_check || (answer.group == Group::Check && answer.is_applicable && !answer.passed);
      if (answer.group == Group::Time && answer.passed)
        admission.problems.push_back(
            fmt::format("The null answer '{}' passes the timed workload '{}': {}.", name,
                        answer.workload, hint_for(name)));
    }
    if (has_check && !fails_a_check)
      admission.problems.push_back(fmt::format(
          "The null answer '{}' passes every check workload: {}.", name, hint_for(name)));
    if (!applies && name.ends_with(" ignored") && !name.starts_with("last block"))
      admission.problems.push_back(fmt::format(
          "No workload shows that the input matters: '{0}': if nothing of '{1}' is read, "
          "give it 'role: out' in task.yaml (or leave it out), else other 'values'.",
          name, name.substr(0, name.rfind(' '))));
  }
  for (const BaselineFigure& figure : admission.baseline) {
    if (!figure.passed)
      admission.problems.push_back(
          fmt::format("The reference at the task's type fails its own gates on workload '{}': {}: "
                      "loosen 'gate' in task.yaml, or shorten the workload's sums in shapes.yaml.",
                      figure.workload, figure.failure));
    else if (figure.gate_fraction > kEnoughSpare)
      admission.remarks.push_back(fmt::format(
          "The reference at the task's type uses {:.2f} of what the gate allows on workload '{}'; "
          "at most {:.2f} leaves a factor 4 to spare.",
          figure.gate_fraction, figure.workload, kEnoughSpare));
  }
  admission.is_admitted = admission.problems.empty();
}

/// Why this workload is left out; empty: it is not.
std::string why_unexamined(const Workload& workload, const device::Device& examined, bool is_host) {
  std::int64_t elements = 0;
  for (const Tensor& tensor : workload.tensors) elements += tensor.extent();
  if (is_host && elements > kMostOnHost)
    return fmt::format("not examined: {} elements, on the host at most {} are", elements,
                       kMostOnHost);
  const std::int64_t bytes = kBytesExamined * elements;
  const std::int64_t free = examined.free_bytes();
  if (bytes <= free) return {};
  return fmt::format("not examined: its answers need {}; {} are free",
                     format_bytes(static_cast<std::uint64_t>(bytes)),
                     format_bytes(static_cast<std::uint64_t>(free)));
}

// The fast reference on every workload on which the host can tell.
Result<> admit_fast(device::Device& device, const EvaluationRequest& request,
                    const TruthMaker& maker, Admission& to) {
  const auto fast = program_of(request, "reference_fast");
  if (!fast) return {};
  const auto magnitude = program_of(request, "magnitude_fast");
  Trusted trusted{.maker = maker, .fast = maker};
  trusted.fast.device = &device;
  trusted.fast.reference = &*fast;
  trusted.fast.magnitude = magnitude ? &*magnitude : nullptr;
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<Bench*> small;
  for (const Workload& workload : request.workloads) {
    if (workload.group == Group::Time) continue;
    benches.push_back(std::make_unique<Bench>(
        device, request.task, workload,
        Seed::from_number(request.seed).child("fast").child(workload.name), trusted));
    if (!benches.back()->is_fast()) small.push_back(benches.back().get());
  }
  if (small.empty()) {
    to.problems.push_back(
        "No check workload is small enough for the host to prove the fast reference on: add one "
        "under 'check' in shapes.yaml.");
    return {};
  }
  KW_TRY(Bench::prepare_together(small, kSet));
  if (const auto agreed = Bench::verify_fast(small, kSet); !agreed)
    to.problems.push_back(agreed.error().what + ".");
  return {};
}

}  // namespace

Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, std::int64_t timeout_ns,
                        Patience patience) {
  // What is examined are gates and truths, which are of no device.
  device::Device& examined = host != nullptr ? *host : device;
  const auto reference = program_of(request, "reference_f64");
  const auto magnitude = program_of(request, "magnitude_f64");
  const auto native = program_of(request, "reference_native");
  const TruthMaker maker{.device = &examined,
                         .task = &request.task,
                         .reference = reference ? &*reference : nullptr,
                         .magnitude = magnitude ? &*magnitude : nullptr,
                         .jail = request.jail,
                         .timeout_ns = timeout_ns,
                         .patience = std::move(patience)};
  Admission admission;
  if (host != nullptr) KW_TRY(admit_fast(device, request, maker, admission));
  for (const Workload& workload : request.workloads) {
    if (workload.group == Group::Show) continue;
    if (std::string why = why_unexamined(workload, examined, host != nullptr); !why.empty()) {
      admission.unexamined.push_back({workload.name, workload.group, std::move(why)});
      continue;
    }
    // One workload at a time: its buffers go before the next one's come.
    Bench bench(examined, request.task, workload,
                Seed::from_number(request.seed).child("admission").child(workload.name),
                {.maker = maker, .native = native ? &*native : nullptr});
    KW_TRY(Examiner(bench, maker, admission).run());
  }
  conclude(admission);
  return admission;
}

}  // namespace kw::referee
