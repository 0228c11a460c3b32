// What a proposer is asked to write, and what it wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/exchange.h"
#include "record/verdict.h"

namespace kw {

/// Why a source is wanted. All but Write have a parent.
enum class Errand {
  Write,    ///< A first kernel, from the task alone.
  Repair,   ///< The parent failed: mend it.
  Rethink,  ///< The parent failed as its own parent did: another approach, not another line.
  Improve,  ///< The parent is correct: make it faster.
};
template <>
struct EnumNames<Errand> {
  static constexpr std::array<std::string_view, 4> names{"write", "repair", "rethink", "improve"};
};

/// What one reader or writer is shown of a run, and the words that it is asked with.
struct View {
  std::string role;         ///< Whose model: "planner", "judge"; empty: whoever writes. "rules",
                            ///< "learned": nobody's.
  std::string prompt;       ///< File of prompts/ without its suffix; empty: the errand's.
  int about = 0;            ///< Attempt shown as the parent; 0: the ask's own.
  bool is_bounded = false;  ///< Of the history only `lines` are shown, and no best.
  std::vector<int> lines;   ///< Attempts, oldest first.
  std::vector<int>
      sources;  ///< Attempts whose code is shown beside the parent's, most useful first.
  bool hides_profile = false;           ///< Nothing of what limits the parent's speed.
  std::optional<double> temperature{};  ///< Of the method; a person's goes before it.

  bool operator==(const View&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("prompt", s.prompt), v("about", s.about), v("is_bounded", s.is_bounded),
        v("lines", s.lines), v("sources", s.sources), v("hides_profile", s.hides_profile),
        v("temperature", s.temperature);
  }
};

/// Code before and after a technique was applied elsewhere.
struct StepExample {
  std::string name;    ///< Of the kernel.
  std::string detail;  ///< How it was applied.
  std::string before;  ///< Source.
  std::string after;

  bool operator==(const StepExample&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("detail", s.detail), v("before", s.before), v("after", s.after);
  }
};

/// A technique that is offered or wanted.
struct MenuItem {
  std::string name;
  std::string what;  ///< How it is applied and what is known of it, in a sentence; may be empty.

  bool operator==(const MenuItem&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("what", s.what);
  }
};

/// What form a reply must have.
enum class ReplyForm {
  Any,    ///< A whole file or edits of the parent.
  Edits,  ///< Edits alone.
  Whole,  ///< A whole file alone: the source is to be written anew.
};
template <>
struct EnumNames<ReplyForm> {
  static constexpr std::array<std::string_view, 3> names{"any", "edits", "whole"};
};

/// How a source is to be written where a method has its own way. What is empty is as usual.
struct Manner {
  View writer;
  std::vector<View> counsel;   ///< Asked first, in this order; each hears those before it.
  std::vector<View> review;    ///< Asked about what was written, before it is judged; at most one.
  std::string technique;       ///< The one to apply.
  std::string method;          ///< What it is, in a sentence.
  std::vector<MenuItem> menu;  ///< Of which one is to be chosen, by counsel or else by the writer.
  bool takes_all = false;      ///< All of the menu, in its order, instead.
  std::vector<StepExample> examples;  ///< Of the technique.
  ReplyForm form = ReplyForm::Any;
  bool keeps_kernel = false;  ///< A source that gives up what the parent does is turned down.

  bool operator==(const Manner&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("writer", s.writer), v("counsel", s.counsel), v("review", s.review),
        v("technique", s.technique), v("method", s.method), v("menu", s.menu),
        v("takes_all", s.takes_all), v("examples", s.examples), v("form", s.form),
        v("keeps_kernel", s.keeps_kernel);
  }
};

/// What came back from a proposer. `candidate` has an empty source where there is none to judge,
/// and `evidence` then says why: the verdict is (propose, no_candidate).
struct Proposal {
  Candidate candidate;  ///< At its knobs' first values.
  std::string evidence;
  std::vector<Finding> findings;       ///< Diagnostics of a header that cannot be read.
  std::string plan;                    ///< What it said it would do; for people and for history.
  std::vector<std::string> exchanges;  ///< Keys of the exchanges with models, in order.
  Usage usage;                         ///< Of all of them.
  double cost_usd = 0;                 ///< Known prices only.
  std::string chosen{};                ///< Technique that counsel picked.
  std::string writer{};                ///< Model that replied.

  bool has_candidate() const { return !candidate.source.empty(); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("candidate", s.candidate), v("evidence", s.evidence), v("findings", s.findings),
        v("plan", s.plan), v("exchanges", s.exchanges), v("usage", s.usage),
        v("cost_usd", s.cost_usd), v("chosen", s.chosen), v("writer", s.writer);
  }
};

/// What a model in a role (judge, planner, critic …) or a rule read in a situation: words for the
/// next prompt. No verdict of the referee, rank or reward depends on them.
struct Reading {
  int attempt = 0;       ///< That it is about; 0: none.
  int asked_for = 0;     ///< Attempt whose prompt wanted it; the exchange counts there.
  std::string words;     ///< Empty: there are none, and `trouble` says why.
  std::string trouble;   ///< One line.
  std::string exchange;  ///< Key; empty: no reply came.
  Usage usage;
  double cost_usd = 0;         ///< Where the price is known.
  std::string role = "judge";  ///< Who said it.
  std::string technique{};     ///< That a planner chose.
  int first_line = 0;          ///< Of the parent's source, where a planner points; 0: nowhere.
  int last_line = 0;
  bool is_turned_down = false;  ///< A critic does not want it judged as it is.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("attempt", s.attempt), v("asked_for", s.asked_for), v("words", s.words),
        v("trouble", s.trouble), v("exchange", s.exchange), v("usage", s.usage),
        v("cost_usd", s.cost_usd), v("role", s.role), v("technique", s.technique),
        v("first_line", s.first_line), v("last_line", s.last_line),
        v("is_turned_down", s.is_turned_down);
  }
};

}  // namespace kw
