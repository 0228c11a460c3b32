// Prepares candidate and opponent at each workload, then times pairs until the plan wants no more.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/defence.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "measure/warm_up.h"
#include "referee/check.h"
#include "referee/fate.h"
#include "referee/plausible.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr int kEmptyCalls = 25;
constexpr double kSampleMargin = 1.2;  // batches aim this much above the shortest sample
// A process times one pair for each input set. With too few sets the noise floor, which many
// judgements share, comes out too high and hides real gains. The first kProbePairs pairs, which may
// show a comparison to be hopeless, use one set: a second costs more than the process starts that
// it saves.
constexpr int kFirstSets = 2;
constexpr std::size_t kProbePairs = 3;  // as in measure::PairPlan
constexpr int kMostSets = 64;
// An input set costs about as much as this number of process starts. A further set saves as many if
// that many pairs are to come.
constexpr int kLivesPerSet = 12;
// Most calls per workload that are watched after their return, and most that are checked in full.
constexpr int kMostExtras = 6;
constexpr double kCheckedPerNs = 0.5;     // half of the elements that two cores compare in 1 ns
constexpr double kGpuCheckedPerNs = 100;  // a third of those that 4 TB/s compare, at 12 bytes each
constexpr std::uint64_t kOneIn = 6;       // one later call in six is watched, or checked in full
constexpr measure::WarmUpLimits kSettle{.window_ns = 10e6, .most_ns = 200e6, .tolerance = 0.03};
// Limits of the warm-up on a GPU: the referee's work between the calls keeps the GPU busy, and
// takes ten times as long as a short call.
constexpr measure::WarmUpLimits kGpuSettle{.window_ns = 2e6, .most_ns = 20e6, .tolerance = 0.03};

std::int64_t compared_elements(const Workload& workload) {
  std::int64_t count = 0;
  for (const Tensor& tensor : workload.tensors)
    for (const Region& region : tensor.compared) count += elements_of(region);
  return count;
}

// Number of input sets, by the time that computing one truth takes; more sets mean fewer process
// starts and more variety.
int sets_for(double truth_ns) {
  if (truth_ns < 20e6) return 8;
  if (truth_ns < 100e6) return 4;
  return truth_ns < 500e6 ? 3 : 2;
}

}  // namespace

Timing::Timing(device::Device& device, const DeviceFacts& facts, const Options& options,
               platform::Clock& clock, const EvaluationRequest& request, const Program& candidate,
               const Program* opponent, Seed seed, const Haste& haste)
    : device_(device),
      facts_(facts),
      options_(options),
      clock_(clock),
      request_(request),
      candidate_(candidate),
      opponent_(opponent),
      seed_(seed),
      rng_(seed.child("choices")),
      haste_(haste),
      account_(clock) {}

std::int64_t Timing::timeout_of(const Bench& bench) const { return call_timeout(options_, bench); }

// Measures the time of an empty call, which is subtracted from timed calls, in a process that has
// loaded nothing, so that no candidate can enlarge it. The calls are warm where timed ones are
// cold, and the shortest of them counts: so too little is subtracted, never too much.
Result<> Timing::measure_empty(Bench& bench) {
  // On a GPU each leg measures instead by how much the stamps of an empty call exceed its events.
  if (bench.runs_plans() || bench.empty_ns) return {};
  const auto player =
      KW_TRY(device_.start_player(bench.player_spec("empty call", request_.jail, true)));
  double least_ns = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kEmptyCalls; ++i) {
    const auto call = player->call_empty();
    if (call.fate != device::Fate::Returned)
      return fail("a new process that has loaded no candidate does not answer an empty call", {},
                  Advice::Retry);
    least_ns = std::min(least_ns, call.elapsed_ns);
  }
  bench.empty_ns = least_ns;
  return {};
}

// Prepares the input sets that a sample needs to begin with; run_pairs() adds more if the pairs go
// on.
Result<> Timing::prepare_sets(Entry& entry) {
  Bench& bench = *entry.bench;
  const auto lap = account_.lap("sets");
  KW_TRY(bench.prepare(kWarmSet));
  KW_TRY(choose_sets(entry));
  if (entry.is_fresh) return {};
  const double truth_ns = bench.known(kWarmSet).truth.reference_ns;
  const auto affordable = static_cast<int>(std::min<std::int64_t>(
      entry.memory_bytes / std::max<std::int64_t>(bench.bytes_per_set(), 1), kMostSets));
  const int wanted = options_.pool_sets > 0 ? options_.pool_sets : sets_for(truth_ns);
  entry.most_sets = std::max({2, entry.calls, std::min(wanted * entry.calls, affordable)});
  const int known = static_cast<int>(bench.prepared_sets().size());
  entry.sets = std::clamp(std::max(known - 1, entry.calls), entry.calls, entry.most_sets);
  for (int set = kWarmSet + 1; set <= entry.sets; ++set) KW_TRY(bench.prepare(set));
  bench.rest();
  return {};
}

Result<> Timing::add_set(Entry& entry) {
  if (entry.is_fresh) return {};
  const bool is_first = entry.sets < kFirstSets * entry.calls;
  const bool pays = is_first ? entry.result->samples.size() >= kProbePairs
                             : entry.candidate->needs_life() &&
                                   entry.candidate->lives() >= kLivesPerSet * entry.sets;
  const int wanted =
      std::min(is_first ? kFirstSets * entry.calls : entry.sets + 1, entry.most_sets);
  if (!pays || entry.sets >= wanted) return {};
  const auto lap = account_.lap("sets");
  for (; entry.sets < wanted; ++entry.sets) KW_TRY(entry.bench->prepare(entry.sets + 1));
  entry.candidate->offer(entry.sets);
  if (entry.opponent) entry.opponent->offer(entry.sets);
  return {};
}

// The opponent was judged before: its outputs get one full check here, and afterwards only the
// checks that make its samples like the candidate's (time_opponent()).
Result<double> Timing::seat_opponent(Entry& entry) {
  Bench& bench = *entry.bench;
  const auto lap = account_.lap("opponent");
  const bool is_known =
      bench.opponent && bench.opponent->program().identity() == opponent_->identity();
  if (!is_known) {
    bench.opponent = bench.make_leg("opponent", request_.jail, true, *opponent_, !entry.is_last);
    bench.noise_floor.reset();
  }
  entry.opponent =
      std::make_unique<Seat>(bench, *bench.opponent, entry.calls, entry.sets, true,
                             options_.reference_timeout_ns, seed_.child("opponent"), account_);
  if (const auto verdict = KW_TRY(entry.opponent->ready()))
    return opponent_fails(verdict->evidence);
  const TimedCall seen = KW_TRY(entry.opponent->estimate());
  if (seen.verdict) return opponent_fails(seen.verdict->evidence);
  if (!is_known) {
    const Checked checked =
        KW_TRY(check_call(bench, *bench.opponent, 0, kWarmSet, {}, Stage::Measure));
    if (checked.verdict)
      return opponent_fails("the opponent does not solve the task: " + checked.verdict->evidence);
  }
  if (is_poison_spared(entry)) entry.opponent->spare_poison();
  return seen.ns;
}

// Prepares candidate and opponent for samples of one call. If either one's call is too short for
// the clock, prepares both again for as many calls as a sample needs.
Result<std::optional<Verdict>> Timing::seat_legs(Entry& entry) {
  Bench& bench = *entry.bench;
  while (true) {
    KW_TRY(bench.ensure_slots(1));
    KW_TRY(measure_empty(bench));
    KW_TRY(prepare_sets(entry));
    entry.candidate.reset();
    if (!bench.runs_plans() || entry.leg == nullptr || !entry.lives_on) {
      entry.own_leg = bench.make_leg("candidate", request_.jail, true, candidate_);
      entry.leg = entry.own_leg.get();
    }
    entry.candidate =
        std::make_unique<Seat>(bench, *entry.leg, entry.calls, entry.sets, entry.lives_on,
                               timeout_of(bench), seed_.child("candidate"), account_);
    // The opponent is not prepared yet, so only the candidate's process is started.
    if (auto verdict = KW_TRY(begin_lives(entry, *entry.candidate))) return at_measure(*verdict);
    const TimedCall own = KW_TRY(entry.candidate->estimate());
    if (own.verdict) return at_measure(*own.verdict);
    entry.call_ns = own.ns;
    double shortest = own.ns;
    if (opponent_ != nullptr) shortest = std::min(shortest, KW_TRY(seat_opponent(entry)));
    if (bench.runs_plans()) return too_short(entry, shortest);
    if (shortest * entry.calls >= options_.short_sample_ns) return std::nullopt;
    const double needed = calls_needed(shortest);
    const auto per_set = std::max<std::int64_t>(bench.bytes_per_set(), 1);
    if (needed > options_.most_calls_per_sample ||
        static_cast<std::int64_t>(needed) * per_set > entry.memory_bytes) {
      entry.result->outcome = Outcome::Unmeasurable;
      return Verdict{
          Stage::Measure, Outcome::Unmeasurable,
          fmt::format("workload '{}': a call takes {}; a timing sample of {} would need {:.0f} "
                      "calls on distinct inputs, and at most {} of them fit into memory",
                      bench.workload().name, format_ns(std::max(shortest, 0.0)),
                      format_ns(options_.short_sample_ns), needed,
                      std::min<std::int64_t>(options_.most_calls_per_sample,
                                             entry.memory_bytes / per_set))};
    }
    entry.calls = std::max(entry.calls + 1, static_cast<int>(needed));
  }
}

double Timing::calls_needed(double call_ns) const {
  return std::ceil(kSampleMargin * options_.short_sample_ns / std::max(call_ns, 1.0));
}

// Makes the opponent's samples shorter, to last about as long as the candidate's: what a sample
// costs beside its calls (threads that wake, a cold start) then weighs the same on both sides. Not
// done near a tie, where both legs must be alike. Uses pairs that were timed and checked, because a
// candidate could fake the time of its first calls.
void Timing::shorten_opponent(Entry& entry) const {
  constexpr double kLeastRatio = 2;
  std::vector<double> own, other;
  for (const Sample& s : entry.result->samples) {
    own.push_back(s.candidate_ns);
    other.push_back(s.opponent_ns);
  }
  const double ratio = measure::median(other) / measure::median(own);
  if (!entry.opponent || !(ratio >= kLeastRatio)) return;
  const double calls =
      std::max(std::ceil(entry.calls / ratio), calls_needed(measure::median(other)));
  if (calls >= entry.calls) return;
  entry.opponent->shorten(static_cast<int>(calls));
  entry.result->opponent_calls_per_sample = entry.opponent->calls();
}

// Lets clocks and governors settle, once for the whole evaluation. A judgement on cpu needs no
// warm-up: its checks have just kept every core busy, and paired samples bear a drift. A GPU needs
// one, because it was waiting for the host.
Result<std::optional<Verdict>> Timing::settle(Entry& entry) {
  const bool is_busy = request_.measure.purpose == Purpose::Judge && !entry.bench->runs_plans();
  if (std::exchange(settled_, true) || is_busy) return std::nullopt;
  measure::WarmUp warm(entry.bench->runs_plans() ? kGpuSettle : kSettle);
  while (warm.wants_more()) {
    const TimedCall call = KW_TRY(entry.candidate->warm_up());
    if (call.verdict) return at_measure(*call.verdict);
    warm.add(std::max(call.ns, 1.0));
  }
  return std::nullopt;
}

Result<std::optional<Verdict>> Timing::time_candidate(Entry& entry, const std::vector<int>& sets,
                                                      Time& ns) {
  Bench& bench = *entry.bench;
  Suspicion suspicion;
  const TimedCall timed = KW_TRY(
      entry.candidate->time(sets, [&](int set) { return look_after(entry, set, suspicion); }));
  if (timed.verdict && timed.may_be_input_write)
    return at_measure(KW_TRY(refine_crash(bench, candidate_, request_.jail, sets.front(),
                                          timeout_of(bench), *timed.verdict)));
  if (timed.verdict) return at_measure(*timed.verdict);
  if (timed.afterwards) return timed.afterwards;
  ns = timed.is_void ? Time() : Time(timed.ns);
  if (!timed.is_void && timed.ns <= 0)
    return Verdict{
        Stage::Measure, Outcome::Unmeasurable,
        fmt::format("workload '{}': the call takes no longer than a call of an empty function",
                    bench.workload().name)};
  if (auto verdict = KW_TRY(clocks_part(entry))) return verdict;
  return resolve(entry, suspicion);
}

// Whether this call is watched and whether it is checked in full is decided only now, after the
// call has returned.
Result<std::optional<Verdict>> Timing::look_after(Entry& entry, int set, Suspicion& suspicion) {
  const auto chosen = [&](int& so_far) {
    const bool now = so_far == 0 || (so_far < kMostExtras && rng_.below(kOneIn) == 0);
    so_far += now;
    return now;
  };
  // Device code leaves nothing running: the time stamp that ends a call comes after all its work.
  if (may_linger(request_.candidate) && chosen(entry.watched)) {
    const AfterCheck after = KW_TRY(watch(entry));
    if (after.verdict) return after.verdict;
    suspicion.tell(!after.late.empty());
  }
  return check_timed(entry, set, chosen(entry.fully_checked));
}

Result<std::optional<Verdict>> Timing::check_timed(Entry& entry, int set, bool is_full) {
  if (!is_on(Defence::EveryCallChecked)) return std::nullopt;
  WorkloadResult& result = *entry.result;
  const auto lap = account_.lap("check");
  const Depth depth{.seed = rng_(), .share = is_full ? 1.0 : result.checked_share};
  Checked checked = KW_TRY(check_call(*entry.bench, *entry.leg, 0, set, depth, Stage::Measure));
  if (checked.verdict) {
    findings_ = std::move(checked.findings);
    return checked.verdict;
  }
  if (!is_full && result.checked_share < 1) {
    double& miss = result.miss_probability;
    miss = (miss == 0 ? 1 : miss) * (1 - result.checked_share);
  }
  return std::nullopt;
}

// A reduced check may cost about what the call cost, and always looks at a fixed minimum of
// elements.
double Timing::share_to_check(const Entry& entry) const {
  if (request_.measure.checked_share > 0) return std::min(1.0, request_.measure.checked_share);
  const double per_ns = entry.bench->runs_plans() ? kGpuCheckedPerNs : kCheckedPerNs;
  const double elements =
      std::max(static_cast<double>(options_.checked_elements), per_ns * entry.call_ns);
  return std::min(1.0, elements / static_cast<double>(std::max<std::int64_t>(
                                      compared_elements(entry.bench->workload()), 1)));
}

Result<AfterCheck> Timing::watch(Entry& entry) {
  return check_after_return(*entry.bench, 0, entry.leg->player(),
                            watch_for(request_, options_, facts_), Stage::Measure);
}

// Makes calls like the timed ones, without using their times, until the suspicion of late work is
// settled.
Result<std::optional<Verdict>> Timing::resolve(Entry& entry, Suspicion suspicion) {
  while (suspicion.is_open()) {
    if (auto verdict = KW_TRY(sit_down(entry))) return at_measure(*verdict);
    const TimedCall timed =
        KW_TRY(entry.candidate->time(KW_TRY(draw_sets(entry, *entry.candidate))));
    if (timed.verdict) return at_measure(*timed.verdict);
    const AfterCheck after = KW_TRY(watch(entry));
    if (after.verdict) return after.verdict;
    suspicion.tell(!after.late.empty());
    if (suspicion.is_proven()) return Verdict{Stage::Measure, Outcome::Cheated, after.late};
  }
  return std::nullopt;
}

Result<std::optional<Verdict>> Timing::add(Bench& bench, WorkloadResult& result,
                                           std::int64_t memory_bytes, Leg* leg, bool is_last) {
  Entry& entry = entries_.emplace_back();
  entry.bench = &bench;
  entry.result = &result;
  entry.memory_bytes = memory_bytes;
  entry.leg = leg;
  entry.is_last = is_last;
  result.seed = bench.seed().low;
  return excuse(set_up(entry));
}

Result<std::optional<Verdict>> Timing::set_up(Entry& entry) {
  WorkloadResult& result = *entry.result;
  if (auto verdict = KW_TRY(seat_legs(entry))) return verdict;
  result.checked_share = share_to_check(entry);
  if (auto verdict = KW_TRY(settle(entry))) return verdict;
  result.calls_per_sample = entry.calls;
  result.opponent_calls_per_sample = entry.opponent ? entry.calls : 0;
  return std::nullopt;
}

Result<std::optional<Verdict>> Timing::run() {
  auto ended = KW_TRY(excuse(time_all()));
  if (ended) speedup_.is_faster = false;
  return ended;
}

Result<std::optional<Verdict>> Timing::time_all() {
  const auto verdict = KW_TRY(opponent_ != nullptr ? run_pairs() : run_alone());
  for (Entry& entry : entries_) finish(entry);
  if (verdict) return verdict;
  for (Entry& entry : entries_) KW_TRY(time_by_stream(entry));
  for (Entry& entry : entries_)
    if (entry.bench->runs_plans() && speedup_.is_faster)
      if (auto differs = KW_TRY(retime(entry))) return differs;
  if (auto wrong = KW_TRY(live_long())) return wrong;
  for (Entry& entry : entries_)
    if (auto impossible = KW_TRY(hold_to_physics(entry))) return impossible;
  for (Entry& entry : entries_)
    if (auto wrong = KW_TRY(sustain(entry))) return at_measure(*wrong);
  return std::nullopt;
}

// Ceilings that were measured on a busy machine are too low, so a candidate is accused only after
// they were measured again.
Result<std::optional<Verdict>> Timing::hold_to_physics(Entry& entry) {
  if (is_trusted(request_.candidate.origin) || !is_on(Defence::PhysicsFloor)) return std::nullopt;
  const double trusted_ns = is_trusted(request_.opponent.origin) ? entry.result->opponent_ns : 0;
  const auto complaint = [&] {
    return find_implausible(entry.bench->workload(), entry.result->median_ns, facts_, trusted_ns);
  };
  auto words = complaint();
  if (words && facts_.gpu.empty() && options_.raise_ceilings) {
    KW_TRY(options_.raise_ceilings());
    words = complaint();
  }
  if (!words) return std::nullopt;
  entry.result->outcome = Outcome::Implausible;
  return Verdict{Stage::Measure, Outcome::Implausible, *words};
}

Result<std::optional<Verdict>> Timing::run_pairs() {
  const measure::Limits limits = this->limits();
  measure::PairPlan plan(limits, seed_.child("coin"), entries_.size());
  const std::int64_t started = now_ns();
  while (plan.wants_more()) {
    if (haste_.is_hurried()) return interrupted_at(plan);
    const measure::Turn turn = plan.next();
    Entry& entry = entries_[turn.workload];
    if (auto verdict = KW_TRY(sit_down(entry))) return at_measure(*verdict);
    const std::vector<int> sets = KW_TRY(draw_sets(entry, *entry.candidate));
    Time own, other;
    if (!turn.candidate_first) other = KW_TRY(time_opponent(entry, sets));
    if (auto verdict = KW_TRY(time_candidate(entry, sets, own))) return verdict;
    if (turn.candidate_first) other = KW_TRY(time_opponent(entry, sets));
    // A void sample is replaced by another pair with a new random order.
    if (own && other) {
      const measure::PairedSample pair{*own, *other};
      if (pair.opponent_ns <= 0)
        return opponent_fails("a call of the opponent takes no longer than an empty call");
      entry.result->samples.push_back(
          {pair.candidate_ns, pair.opponent_ns, sets.front(), !turn.candidate_first});
      plan.add(pair);
      if (entry.result->samples.size() == kProbePairs) shorten_opponent(entry);
    }
    const auto elapsed_ns = static_cast<double>(now_ns() - started);
    if (plan.wants_more() && !plan.wants_noise_floor())
      if (const char* why = why_cut(plan, limits, elapsed_ns)) plan.cut_short(why);
    if (plan.wants_noise_floor()) plan.give_noise_floor(KW_TRY(learn_floors(plan)));
  }
  if (haste_.is_hurried()) return interrupted_at(plan);
  const auto to_record = [&](const measure::Estimate& estimate, std::optional<NoiseFloor> floor) {
    const NoiseFloor known = floor.value_or(NoiseFloor());
    return Speedup{.value = estimate.speedup,
                   .low = estimate.low,
                   .high = std::isfinite(estimate.high) ? estimate.high : 0,
                   .confidence = estimate.confidence,
                   .baseline = request_.opponent.name,
                   .noise_floor = floor ? std::optional(known.ratio) : std::nullopt,
                   .is_faster = measure::decide(estimate, known.ratio, limits.confidence,
                                                limits.too_wide) == measure::Decision::Faster,
                   .floor_series = known.series};
  };
  for (std::size_t w = 0; w < entries_.size(); ++w)
    entries_[w].result->speedup = to_record(plan.estimate(w), entries_[w].bench->noise_floor);
  speedup_ = to_record(plan.estimate(), worst_floor());
  speedup_.is_faster = plan.decision() == measure::Decision::Faster;
  // A search asks whether the incumbent is beaten: "not shown" is an answer, and a rough figure
  // still ranks the points of a tuner.
  const bool must_be_known = request_.measure.purpose != Purpose::Search;
  if (plan.decision() == measure::Decision::Unmeasurable && must_be_known)
    return Verdict{Stage::Measure, Outcome::Unmeasurable,
                   speedup_.low > 0 && speedup_.high > 0
                       ? fmt::format("the speedup lies between {:.3g} and {:.3g}: {}", speedup_.low,
                                     speedup_.high, plan.ending())
                       : "the speedup has no confidence interval: " + plan.ending()};
  return std::nullopt;
}

Result<std::optional<Verdict>> Timing::run_alone() {
  measure::Limits each = limits();
  each.budget_ns /= static_cast<double>(entries_.size());
  const std::int64_t started = now_ns();
  for (Entry& entry : entries_) {
    measure::SoloPlan plan(each);
    while (plan.wants_more() &&
           static_cast<double>(now_ns() - started) <= options_.measure_wall_ns &&
           !haste_.is_too_late()) {
      if (haste_.is_hurried()) return interrupted("while the kernel was timed alone");
      KW_TRY(add_set(entry));
      if (auto verdict = KW_TRY(begin_lives(entry, *entry.candidate))) return at_measure(*verdict);
      const std::vector<int> sets = KW_TRY(draw_sets(entry, *entry.candidate));
      Time ns;
      if (auto verdict = KW_TRY(time_candidate(entry, sets, ns))) return verdict;
      if (!ns) continue;
      entry.result->samples.push_back({*ns, 0, sets.front(), false});
      plan.add(*ns);
    }
  }
  return std::nullopt;
}

void Timing::finish(Entry& entry) {
  WorkloadResult& result = *entry.result;
  if (result.samples.empty()) return;
  result.empty_call_ns = entry.bench->empty_ns.value_or(0);
  std::vector<double> own, other;
  for (const Sample& sample : result.samples) {
    own.push_back(sample.candidate_ns);
    if (sample.opponent_ns > 0) other.push_back(sample.opponent_ns);
  }
  result.median_ns = measure::median(own);
  if (!other.empty()) result.opponent_ns = measure::median(other);
  const Work& work = entry.bench->workload().work;
  const double per_second = 1e9 / result.median_ns;
  const auto bytes = static_cast<double>(work.read_bytes + work.write_bytes);
  result.items_per_s = static_cast<double>(work.items) * per_second;
  result.flops_per_s = static_cast<double>(work.flops) * per_second;
  result.bytes_per_s = bytes * per_second;
  result.arithmetic_intensity = bytes > 0 ? static_cast<double>(work.flops) / bytes : 0;
}

}  // namespace kw::referee
