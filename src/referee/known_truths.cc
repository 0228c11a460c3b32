// Computes truths here, on the host or with the fast reference, and computes them again where they
// are doubted.
// SPDX-License-Identifier: Apache-2.0
#include "referee/known_truths.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::referee {
namespace {

// Number of calls after which a reference that runs in one process is believed: what it keeps from
// call to call may show late. The calls end earlier once they took kLongReferenceNs, because
// otherwise every wrong answer of a candidate would cost too much time.
constexpr int kAskedAgain = 8;
constexpr double kLongReferenceNs = 2e9;
// A fast reference whose call takes less than this costs less than a new process, which takes 150
// ms, plus loading, binding and a warm-up call.
constexpr double kQuickFastNs = 250e6;
// Limit for the time of reference plus trusted baseline on the host, each of which starts a
// process.
constexpr double kQuickHostNs = 20e6;

// Copies a truth into this device's memory.
Result<TruthMaker::Truth> lift(device::Device& device, TruthMaker::Truth truth) {
  for (Buffers* buffers : {&truth.values, &truth.magnitudes})
    for (auto& buffer : *buffers) {
      if (!buffer) continue;
      auto here = KW_TRY(device.allocate(
          {.name = "truth", .bytes = buffer->bytes(), .alignment = 64, .shared = false}));
      KW_TRY(carry(*here, *buffer));
      buffer = std::move(here);
    }
  return truth;
}

}  // namespace

std::vector<int> KnownTruths::prepared_sets() const {
  std::vector<int> sets;
  for (const auto& [set, known] : known_) sets.push_back(set);
  return sets;
}

Result<> KnownTruths::prepare(int set) {
  KnownTruths* const self = this;
  return prepare_together(std::span(&self, 1), set);
}

Result<> KnownTruths::prepare_together(std::span<KnownTruths* const> truths, int set) {
  std::vector<KnownTruths*> here;
  std::vector<KnownTruths*> on_host;
  for (KnownTruths* one : truths) {
    if (one->is_prepared(set)) continue;
    if (one->site_.is_fast)
      KW_TRY(one->prepare_fast(set));
    else
      (one->twin_ != nullptr ? on_host : here).push_back(one);
  }
  if (!on_host.empty()) KW_TRY(prepare_on_host(on_host, set));
  if (!here.empty()) KW_TRY(prepare_here(here, set));
  return {};
}

Result<> KnownTruths::prepare_here(std::span<KnownTruths* const> truths, int set) {
  std::vector<TruthMaker::Job> jobs;
  for (KnownTruths* one : truths)
    jobs.push_back({&one->site_.workload, KW_TRY(one->site_.pool.set(set))});
  const Trusted& trusted = truths.front()->site_.trusted;
  auto computed = KW_TRY(trusted.maker.compute(jobs));
  std::vector<Known> known(truths.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    known[i].truth = std::move(computed[i]);
    KW_TRY(truths[i]->learn_figures(set, known[i]));
  }
  if (trusted.native != nullptr && truths.size() == 1) {
    KW_TRY(truths.front()->baseline_.learn(known.front()));
  } else if (trusted.native != nullptr) {
    std::vector<TrustedBaseline*> baselines;
    for (KnownTruths* one : truths) baselines.push_back(&one->baseline_);
    KW_TRY(TrustedBaseline::learn_together(baselines, known));
  }
  for (std::size_t i = 0; i < truths.size(); ++i)
    truths[i]->known_.emplace(set, std::move(known[i]));
  return {};
}

// Computes the truths with one process of each reference on the host, on a bit-exact copy of the
// input set that was drawn on the device.
Result<> KnownTruths::prepare_on_host(std::span<KnownTruths* const> truths, int set) {
  std::vector<KnownTruths*> twins;
  for (KnownTruths* one : truths) {
    const Buffers* drawn = KW_TRY(one->site_.pool.set(set));
    (void)KW_TRY(one->twin_->site_.pool.adopt(set, *drawn));
    twins.push_back(one->twin_);
  }
  KW_TRY(prepare_together(twins, set));
  for (KnownTruths* one : truths) {
    KnownTruths& twin = *one->twin_;
    Known known = std::move(twin.known_.at(set));
    twin.known_.erase(set);
    twin.site_.pool.drop(set);
    known.truth = KW_TRY(lift(one->site_.device, std::move(known.truth)));
    one->baseline_.take_ns(twin.baseline_.ns());
    one->known_.emplace(set, std::move(known));
  }
  return {};
}

Result<> KnownTruths::prepare_fast(int set) {
  Known known;
  known.truth = KW_TRY(fast_.compute(set));
  KW_TRY(learn_figures(set, known));
  fast_.note_ns(known.truth.reference_ns);
  baseline_.assume(known);
  known_.emplace(set, std::move(known));
  return {};
}

// Leaves the input set in slot 0, where the trusted baseline then finds it. A tensor of a slot
// holds finite values only before a call.
Result<> KnownTruths::learn_figures(int set, Known& known) {
  KW_TRY(slots_.ensure(1));
  KW_TRY(slots_.place(0, set));
  for (std::size_t i = 0; i < site_.workload.tensors.size(); ++i)
    known.regions.push_back(KW_TRY(region_truths(site_, i, known.truth, *slots_[0].buffers[i])));
  return {};
}

Result<> KnownTruths::verify_fast(std::span<KnownTruths* const> truths, int set) {
  std::vector<TruthMaker::Job> jobs;
  for (KnownTruths* one : truths) {
    KW_ASSERT(!one->site_.is_fast);
    jobs.push_back({&one->site_.workload, KW_TRY(one->site_.pool.set(set))});
  }
  const auto computed = KW_TRY(truths.front()->site_.trusted.fast.compute(jobs));
  for (std::size_t i = 0; i < truths.size(); ++i)
    KW_TRY(hold_fast_to(truths[i]->site_, computed[i], truths[i]->known(set)));
  return {};
}

Result<std::optional<Doubt>> KnownTruths::doubt(int set) {
  if (is_believed_) return std::nullopt;
  const Known& first = known(set);
  const Buffers* inputs = KW_TRY(site_.pool.set(set));
  if (twin_ != nullptr) inputs = KW_TRY(twin_->site_.pool.adopt(set, *inputs));
  TruthMaker maker = site_.is_fast ? site_.trusted.fast : site_.trusted.maker;
  maker.poison = site_.seed.child("doubt");
  TruthSeries series(maker, site_.workload);
  // The first call can give another truth because of what its outputs held before; a later call can
  // do so only because of what earlier calls left behind.
  std::vector<std::optional<std::string>> apart;
  double spent_ns = 0;
  do {
    auto truth = KW_TRY(series.compute(*inputs));
    spent_ns += truth.reference_ns;
    if (twin_ != nullptr) truth = KW_TRY(lift(site_.device, std::move(truth)));
    apart.push_back(KW_TRY(find_difference(site_, truth, first)));
  } while (apart.size() < kAskedAgain && spent_ns < kLongReferenceNs);
  if (twin_ != nullptr) twin_->site_.pool.drop(set);
  const auto seen =
      std::ranges::find_if(apart, [](const auto& words) { return words.has_value(); });
  is_believed_ = seen == apart.end();
  if (is_believed_) return std::nullopt;
  const bool is_steady = std::ranges::count(apart, apart.front()) == std::ssize(apart);
  return Doubt{
      is_steady ? "unwritten" : "kept from call to call",
      fmt::format(
          "the reference of task '{}' gives different answers for equal inputs: {}; it {}; the "
          "task is "
          "at fault",
          site_.task.name, **seen,
          is_steady
              ? "leaves elements of an output unwritten, or reads an output before it writes it"
              : "keeps something from call to call (static or global variables), or is random")};
}

bool KnownTruths::answers_quickly() const {
  if (fast_.is_trusted()) return fast_.ns() <= kQuickFastNs;
  return known(kWarmSet).truth.reference_ns + baseline_.ns() <= kQuickHostNs;
}

Result<> KnownTruths::answer(int set) {
  if (is_prepared(set)) return {};
  return fast_.is_trusted() ? answer_fast(set) : prepare(set);
}

Result<> KnownTruths::answer_fast(int set) {
  if (!fast_.is_proven()) {
    const Known& proven = known(kWarmSet);
    KW_TRY(fast_.prove(proven));
    baseline_.expect(relative_errors(site_.workload, proven));
  }
  Known fresh;
  fresh.truth = KW_TRY(fast_.compute(set, fast_.take_spare()));
  fast_.note_ns(fresh.truth.reference_ns);
  for (std::size_t i = 0; i < site_.workload.tensors.size(); ++i) {
    fresh.regions.emplace_back();
    if (site_.workload.tensors[i].compared.empty()) continue;
    device::Buffer& finite = *KW_TRY(site_.scratch.buffer(i));
    KW_TRY(site_.device.ops().poison(finite, site_.seed.child("facts").child(i).low));
    fresh.regions.back() = KW_TRY(region_truths(site_, i, fresh.truth, finite));
  }
  baseline_.assume(fresh);
  known_.emplace(set, std::move(fresh));
  return {};
}

void KnownTruths::drop(int set) {
  site_.pool.recycle(set);
  auto node = known_.extract(set);
  if (node.empty()) return;
  if (fast_.is_trusted()) fast_.keep_spare(std::move(node.mapped().truth));
}

}  // namespace kw::referee
