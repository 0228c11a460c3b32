// Builds the situations that prompts describe from the store, and turns proposals into sources to
// judge.
// SPDX-License-Identifier: Apache-2.0
#include "engine/writer.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/contains.h"
#include "base/text.h"
#include "engine/orders.h"
#include "engine/readings.h"
#include "engine/written.h"
#include "llm/retry.h"
#include "memory/lesson_rules.h"
#include "propose/evidence.h"
#include "record/codec_impl.h"
#include "task/header.h"

namespace kw::engine {
namespace {

/// Name of the event that holds a run's brief: what its prompts contain besides its attempts.
constexpr const char* kBriefEvent = "brief";

Evaluation no_candidate(Evidence seen, std::vector<Finding> findings = {},
                        Reason reason = Reason::None, std::string about = {}) {
  Evaluation evaluation;
  evaluation.verdict =
      make_verdict(Stage::Propose, Outcome::NoCandidate, std::move(seen), reason, std::move(about));
  evaluation.findings = std::move(findings);
  return evaluation;
}

/// The order that forbids a technique which the candidate says that it shows.
const Order* broken_order(const std::vector<Order>& orders, const Candidate& candidate) {
  for (const Order& order : orders)
    if (order.kind == OrderKind::Forbid && contains(candidate.techniques, order.text))
      return &order;
  return nullptr;
}

/// Adds the cost of a judge's reading to the proposal that it led to.
void charge(Proposal& proposal, const Reading& reading) {
  if (!reading.exchange.empty())
    proposal.exchanges.insert(proposal.exchanges.begin(), reading.exchange);
  proposal.usage.prompt_tokens += reading.usage.prompt_tokens;
  proposal.usage.cached_tokens += reading.usage.cached_tokens;
  proposal.usage.cache_write_tokens += reading.usage.cache_write_tokens;
  proposal.usage.completion_tokens += reading.usage.completion_tokens;
  proposal.usage.is_estimated = proposal.usage.is_estimated || reading.usage.is_estimated;
  proposal.cost_usd += reading.cost_usd;
}

/// Rejects a candidate of a dialect whose headers are not installed.
Evaluation rejected(const DialectRow& dialect) {
  Evaluation evaluation;
  evaluation.verdict = make_verdict(Stage::Screen, Outcome::Rejected,
                                    {.kind = EvidenceKind::DialectHeadersMissing,
                                     .subject = std::string(dialect.headers),
                                     .names = {std::string(dialect.name)}});
  return evaluation;
}

Evaluation rejected(const Order& order) {
  Evaluation evaluation;
  evaluation.verdict = make_verdict(Stage::Screen, Outcome::Rejected,
                                    {.kind = EvidenceKind::ForbiddenTechnique,
                                     .subject = order.text,
                                     .numbers = {static_cast<double>(order.number)}},
                                    Reason::ForbiddenTechnique, order.text);
  return evaluation;
}

std::vector<std::string> instructions_of(const RunConfig& config) {
  std::vector<std::string> instructions;
  for (const std::string& text : config.constraints)
    instructions.push_back("This must hold: " + text);
  for (const std::string& text : config.hints) instructions.push_back("Worth trying: " + text);
  return instructions;
}

}  // namespace

Result<std::optional<Exchange>> StoredExchanges::find(const std::string& key) {
  const std::lock_guard guard(mutex_);
  return store_.exchanges().find(run_, key);
}

Result<> StoredExchanges::keep(const Exchange& exchange) {
  const std::lock_guard guard(mutex_);
  return store_.exchanges().keep(run_, exchange);
}

Result<Writer::Brief> Writer::brief_of(const Writing& writing, store::RunStore& store,
                                       const RunSummary& run, double baseline_ns) {
  const auto known = KW_TRY(store.events().of(run.id, kBriefEvent));
  if (!known.empty()) return decode<Brief>(known.front().body);
  Brief brief{writing.device,
              baseline_ns,
              {},
              {},
              writing.cautions,
              writing.size_classes,
              writing.gpus,
              writing.rivals,
              writing.has_dialect_headers};
  for (const propose::Example& example : writing.examples) {
    brief.titles.push_back(example.title);
    brief.sources.push_back(example.source);
  }
  KW_TRY(store.events().append(run.id, {0, kBriefEvent, 0, encode(brief)}));
  return brief;
}

Result<Writer> Writer::open(const Writing& writing, store::RunStore& store,
                            const platform::Clock& clock, const RunSummary& run,
                            double baseline_ns) {
  Writer writer(writing, store, clock, run);
  writer.brief_ = KW_TRY(brief_of(writing, store, run, baseline_ns));
  writer.desk_ = KW_TRY(writing.open(run));
  KW_ASSERT(writer.desk_.proposer != nullptr);
  if (const auto last = static_cast<int>(run.attempts); last > 0) {
    const Attempt attempt = KW_TRY(store.attempts().get(run.id, last));
    const Verdict& verdict = attempt.evaluation.verdict;
    if (verdict.is_unanswered()) writer.refused_before_ = verdict.about;
  }
  return writer;
}

void Writer::set_constants(propose::Situation& situation) const {
  situation.task = writing_->task;
  situation.target = run_.config.target;
  situation.feedback = run_.config.feedback;
  // A rehearsal may know nothing of the device, or only the architecture of a GPU that is not at
  // hand.
  const bool is_known = !brief_.device.id.empty() || !brief_.device.gpu.empty();
  situation.device = is_known ? &brief_.device : nullptr;
  situation.has_shape_builds = run_.config.specialises;
  situation.goals = run_.config.goals;
  situation.baseline = run_.config.baseline;
  situation.baseline_ns = brief_.baseline_ns;
  for (std::size_t i = 0; i < brief_.titles.size(); ++i)
    situation.examples.push_back({brief_.titles[i], brief_.sources[i]});
  situation.cautions = brief_.cautions;
  situation.size_classes = brief_.size_classes;
  situation.gpus = brief_.gpus;
  situation.rivals = brief_.rivals;
  situation.has_dialect_headers = brief_.has_dialect_headers;
  situation.instructions = instructions_of(run_.config);
}

Result<> Writer::add_lines(propose::History& history, int after, int last, const View* view) const {
  if (view != nullptr && view->lines.empty()) return {};
  const propose::Veil veil(*writing_->task);
  return store_->attempts().for_each_line(
      run_.id,
      [&](const AttemptLine& line) {
        if (line.number > last || line.is_unanswered) return;
        if (view != nullptr && !contains(view->lines, line.number)) return;
        history.add(propose::seen_at(run_.config.feedback, line), veil);
      },
      after);
}

Result<Attempt> Writer::attempt_seen(int number) const {
  return propose::seen_at(run_.config.feedback, KW_TRY(store_->attempts().get(run_.id, number)));
}

Result<Attempt> Writer::parent_of(int number) const {
  Attempt parent = KW_TRY(store_->attempts().get(run_.id, number));
  // A reply without a candidate was meant to change the source before it, so that source is
  // repaired now.
  for (int up = parent.parent; parent.candidate.source.empty() && up != 0;) {
    Attempt older = KW_TRY(store_->attempts().get(run_.id, up));
    up = older.parent;
    parent.candidate = std::move(older.candidate);
  }
  return propose::seen_at(run_.config.feedback, std::move(parent));
}

Result<std::optional<Reading>> Writer::read_parent(const propose::Situation& situation) {
  if (!desk_.judge || situation.parent == nullptr) return std::optional<Reading>();
  if (auto known = KW_TRY(reading_of(*store_, run_.id, situation.parent->number))) return known;
  Reading reading = KW_TRY(desk_.judge->read(situation));
  // A failed reading is kept too, because a resumed run must send the same prompt.
  KW_TRY(keep_reading(*store_, run_.id, reading));
  return std::optional(std::move(reading));
}

Result<WrittenSource> Writer::write(const InFlight& flight, const Loop& loop,
                                    const Lessons* lessons) {
  propose::Situation situation;
  situation.number = flight.number;
  situation.errand = flight.ask.errand;
  situation.writer = flight.ask.writer;
  set_constants(situation);
  const std::vector<Order> orders = in_force(loop.orders(), flight.number);
  for (std::string& words : instructions_of(orders))
    situation.instructions.push_back(std::move(words));
  // After a resume the store holds attempts that were not complete when this ask was first made.
  KW_TRY(add_lines(history_, in_history_, loop.told(), nullptr));
  if (!history_.lines().empty()) in_history_ = history_.lines().back().last;
  situation.history = &history_;
  Attempt parent;
  Attempt grandparent;
  if (flight.ask.parent != 0) {
    parent = KW_TRY(parent_of(flight.ask.parent));
    situation.parent = &parent;
  }
  if (parent.parent != 0) {
    grandparent = KW_TRY(attempt_seen(parent.parent));
    situation.grandparent = &grandparent;
  }
  if (lessons != nullptr) lessons->tell(situation);
  // A confirmed win that needs CUTLASS does not compile where CUTLASS is missing.
  if (!brief_.has_dialect_headers) {
    std::erase_if(situation.examples,
                  [](const propose::Example& e) { return task::asks_for_headers(e.source); });
  }
  Attempt best;
  if (const int number = loop.standing().best_attempt(); number != 0) {
    best = KW_TRY(attempt_seen(number));
    situation.best = &best;
  }
  propose::limit(situation);
  const std::int64_t asked_ns = clock_->now_ns();
  const auto reading = KW_TRY(read_parent(situation));
  if (reading) situation.reading = reading->words;
  WrittenSource source = KW_TRY(compose(situation, flight.ask.manner));
  source.wait_ns = static_cast<double>(clock_->now_ns() - asked_ns);
  if (reading && reading->asked_for == flight.number) charge(source.proposal, *reading);
  Candidate& candidate = source.proposal.candidate;
  if (source.ended) return source;
  if (!source.proposal.has_candidate()) {
    source.ended =
        no_candidate({.kind = EvidenceKind::NotACandidate, .detail = source.proposal.evidence},
                     source.proposal.findings, source.proposal.reason);
  } else if (auto read = read_written(candidate); !read) {
    source.ended =
        no_candidate({.kind = EvidenceKind::DirectivesUnusable}, std::move(read.error()));
  } else {
    candidate = std::move(*read);
    const DialectRow* dialect = task::dialect_with_headers(candidate.source);
    if (dialect != nullptr && !brief_.has_dialect_headers)
      source.ended = rejected(*dialect);
    else if (const Order* order = broken_order(orders, candidate); order != nullptr)
      source.ended = rejected(*order);
  }
  if (!source.ended) KW_TRY(review(situation, flight.ask.manner, source));
  return source;
}

Result<propose::Situation> Writer::as_seen(const propose::Situation& whole, const View& view,
                                           Shown& shown) const {
  propose::Situation seen = whole;
  seen.view = &view;
  if (view.about != 0 && (whole.parent == nullptr || view.about != whole.parent->number)) {
    shown.parent = KW_TRY(parent_of(view.about));
    seen.parent = &shown.parent;
    seen.grandparent = nullptr;
  }
  if (view.is_bounded) {
    seen.best = nullptr;
    if (whole.history != nullptr) {
      KW_TRY(add_lines(shown.history, 0, in_history_, &view));
      seen.history = &shown.history;
    }
  }
  for (const int number : view.sources) shown.sources.push_back(KW_TRY(attempt_seen(number)));
  std::erase_if(shown.sources, [](const Attempt& a) { return a.candidate.source.empty(); });
  for (const Attempt& attempt : shown.sources) seen.shown.push_back(&attempt);
  return seen;
}

Result<Reading> Writer::consult(const propose::Situation& whole, const View& view) {
  Shown shown;
  auto reading = desk_.counsel->consult(KW_TRY(as_seen(whole, view, shown)));
  if (reading || reading.error().advice != Advice::GiveUp) return reading;
  Reading none;
  none.asked_for = whole.number;
  none.role = view.role;
  none.trouble = describe(reading.error());
  return none;
}

Result<Proposal> Writer::propose(const propose::Situation& seen) {
  Proposal best = KW_TRY(desk_.proposer->propose(seen));
  const auto promise = [&](const Proposal& one) {
    if (!one.has_candidate()) return -std::numeric_limits<double>::infinity();
    return desk_.expected ? desk_.expected(seen.parent, one.candidate) : 0.0;
  };
  for (int written = 1; written < run_.config.shortlist; ++written) {
    auto next = desk_.proposer->propose(seen);
    // The proposals that there are can be judged; why there are no more is reported when the next
    // kernel is asked for.
    if (!next) break;
    Reading cost;
    const bool is_better = promise(*next) > promise(best);
    if (is_better) std::swap(best, *next);
    for (const std::string& key : next->exchanges) best.exchanges.push_back(key);
    cost.usage = next->usage;
    cost.cost_usd = next->cost_usd;
    charge(best, cost);
  }
  return best;
}

Result<WrittenSource> Writer::compose(propose::Situation& whole, const Manner& manner) {
  WrittenSource source;
  whole.manner = &manner;
  if (desk_.counsel)
    for (const View& view : manner.counsel) whole.counsel.push_back(KW_TRY(consult(whole, view)));
  Shown shown;
  auto proposal = propose(KW_TRY(as_seen(whole, manner.writer, shown)));
  const std::string refused_before = std::exchange(refused_before_, {});
  // A request that was turned down says nothing about other requests, which may pass:
  // docs/models.md.
  if (!proposal && proposal.error().advice != Advice::GiveUp)
    return std::unexpected(proposal.error());
  if (proposal) {
    source.proposal = std::move(*proposal);
  } else {
    Error error = proposal.error();
    std::string key = trouble_key(error);
    if (key == refused_before) {
      error.what += llm::kRefusedTwice;
      error.advice = Advice::Stop;
      return std::unexpected(std::move(error));
    }
    source.ended = no_candidate({.kind = EvidenceKind::NoAnswer, .detail = describe(error)}, {},
                                Reason::NoAnswer, std::move(key));
  }
  // The origin is set even without a source, because only a model was asked for one.
  source.proposal.candidate.origin = Origin::Model;
  for (const Reading& said : whole.counsel) {
    charge(source.proposal, said);
    if (!said.technique.empty()) source.proposal.chosen = said.technique;
  }
  return source;
}

Result<> Writer::review(propose::Situation& whole, const Manner& manner, WrittenSource& source) {
  if (!desk_.counsel) return {};
  whole.written = &source.proposal.candidate;
  for (const View& view : manner.review) {
    const Reading said = KW_TRY(consult(whole, view));
    charge(source.proposal, said);
    if (!said.is_turned_down) continue;
    Evaluation evaluation;
    evaluation.verdict =
        make_verdict(Stage::Propose, Outcome::Rejected, {.kind = EvidenceKind::TurnedDown});
    evaluation.findings.push_back({.kind = FindingKind::Note,
                                   .rank = 1,
                                   .text = "The critic says:\n" + said.words,
                                   .frame = "",
                                   .place = "",
                                   .about = "critic"});
    source.ended = std::move(evaluation);
    break;
  }
  return {};
}

void Writer::set_latest(std::int64_t at_ns) {
  if (desk_.ledger) desk_.ledger->set_latest(at_ns);
}

void Writer::raise(const SpendLimits& limits) {
  if (desk_.ledger) desk_.ledger->raise(limits);
}

Spending Writer::spent() const { return desk_.ledger ? desk_.ledger->spent() : run_.spent; }

std::string Writer::refusal() const { return desk_.ledger ? desk_.ledger->refusal() : ""; }

}  // namespace kw::engine
