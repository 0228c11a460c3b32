// A stored run with its page, for tests that choose the untrusted text in the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <set>

#include "base/text.h"
#include "memory/data_files.h"
#include "platform/files.h"
#include "platform/memory_disk_for_test.h"
#include "report/markup_for_test.h"
#include "report/page.h"

namespace kw::report {

/// The texts that a test puts into every field of a run that others may have written.
struct Foreign {
  std::string text = "harmless";
  std::string source = "// harmless\nvoid f() {\n  g(1);\n}\n";
};

inline Attempt attempt(int number, OutcomeClass outcome_class, const Foreign& foreign) {
  Attempt a;
  a.number = number;
  a.parent = number > 1 ? number - 1 : 0;
  a.candidate.name = foreign.text;
  a.candidate.source = foreign.source + "// " + std::to_string(number) + "\n";
  a.candidate.origin = Origin::Model;
  a.candidate.techniques = {foreign.text};
  a.candidate.knobs = {{foreign.text, number}};
  a.why = foreign.text;
  a.words = foreign.text;
  a.plan = foreign.text;
  a.exchanges = {"key"};
  a.outcome_class = outcome_class;
  a.at_ns = number * 1'000'000;
  a.evaluation.device = "cpu-1";
  a.evaluation.machine = foreign.text;
  a.evaluation.stage_ns = {{"compile", 1e6}};
  a.evaluation.findings = {
      {FindingKind::Diagnostic, 1, foreign.text, foreign.source, foreign.text}};
  if (outcome_class == OutcomeClass::Failed) {
    a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, foreign.text};
    return a;
  }
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  const double value = 1 + number * 0.01;
  a.evaluation.speedup = {value, value * 0.9, value * 1.1, 0.995, foreign.text, 0.002, true};
  a.against_baseline = a.evaluation.speedup;
  WorkloadResult check;
  check.name = foreign.text;
  check.note = foreign.text;
  WorkloadResult timed = check;
  timed.group = Group::Time;
  timed.median_ns = 1000;
  timed.opponent_ns = 2000;
  timed.speedup = a.evaluation.speedup;
  timed.samples.resize(5);
  timed.flops_per_s = 2e9;
  timed.arithmetic_intensity = 0.25;
  timed.roofline = {0.5, Bound::Memory, 1e10, foreign.text, foreign.text};
  a.evaluation.workloads = {check, timed};
  a.evaluation.skipped = {{foreign.text, Group::Time, foreign.text}};
  return a;
}

class PageOfARun : public testing::Test {
 protected:
  /// Creates a run of `count` attempts: an attempt is a new best if its number is a square, and
  /// fails if the number is a multiple of 3.
  void fill(int count, const Foreign& foreign) {
    data_.run.config.task = foreign.text;
    data_.run.config.models = {foreign.text};
    data_.run.config.hints = {foreign.text};
    data_.run.config.constraints = {foreign.text};
    data_.run.config.baseline = foreign.text;
    data_.run.stopped_by = foreign.text;
    // The store makes a folder name of the task's name, so it gets a harmless one, and only the
    // page the chosen text.
    RunConfig stored = data_.run.config;
    stored.task = "task";
    data_.run.id = store_.create(stored, "2026-01-02T03:04:05Z").value().id;
    data_.run.name = foreign.text;
    std::set<int> squares;
    for (int i = 1; i * i <= count; ++i) squares.insert(i * i);
    for (int n = 1; n <= count; ++n) {
      const auto outcome = squares.contains(n) ? OutcomeClass::NewBest
                           : n % 3 == 0        ? OutcomeClass::Failed
                                               : OutcomeClass::NoGain;
      const Attempt a = attempt(n, outcome, foreign);
      ASSERT_TRUE(store_.append(data_.run, a));
      if (outcome == OutcomeClass::NewBest) data_.best = a;
    }
    data_.run.attempts = count;
    data_.baseline = foreign.text;
    data_.best_source = foreign.source;
    data_.baseline_source = "// the baseline\n" + foreign.source;
    data_.confirmation = data_.best->evaluation;
    data_.device.id = "cpu-1";
    data_.device.model = foreign.text;
    data_.device.compiler = foreign.text;
    Exchange exchange;
    exchange.key = "key";
    exchange.model = foreign.text;
    exchange.reply.text = foreign.text;
    exchange.reply.usage.prompt_tokens = 1000;
    exchange.reply.cost_usd = 0.25;
    ASSERT_TRUE(store_.exchanges().keep(data_.run.id, exchange));
  }

  static std::map<std::string, std::string> files() {
    return memory::DataFiles::open(std::nullopt).value().under("web");
  }

  Page page(PageLimits limits = {}) {
    auto made = make_page(store_, data_, files(), limits);
    EXPECT_TRUE(made.has_value()) << describe(made.error());
    return made ? std::move(*made) : Page();
  }

  static Markup read(const Page& page) { return MarkupReader(page.html).read(); }

  /// The HTML of the section with this id, without its end tag; empty if the page has no such
  /// section.
  std::string section(const std::string& id) {
    const std::string html = page().html;
    const auto from = html.find("<section id=\"" + id + "\">");
    return from == std::string::npos ? "" : html.substr(from, html.find("</section>", from) - from);
  }
  /// The text of a section of the page, without tags.
  std::string text_of(const std::string& id) {
    return MarkupReader("<!doctype html>" + section(id) + "</section>").read().text;
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-page").value());
  platform::MemoryDisk disk_;
  store::RunStore store_ = store::RunStore::open(dir_.path(), disk_).value();
  RunData data_;
};

}  // namespace kw::report
