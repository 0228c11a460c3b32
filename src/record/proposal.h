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

/// Why a source is wanted. Every value but Write names an earlier attempt, the parent, to start
/// from.
enum class Errand {
  Write,    ///< A first kernel, from the task alone.
  Repair,   ///< The parent failed: correct it.
  Rethink,  ///< The parent failed in the same way as its own parent: try another approach.
  Improve,  ///< The parent is correct: make it faster.
};
template <>
struct EnumNames<Errand> {
  static constexpr std::array<std::string_view, 4> names{"write", "repair", "rethink", "improve"};
};

/// What an adviser or the writer is shown of a run, and the prompt that it gets.
struct View {
  /// Role whose model is asked: "planner", "judge"; empty: the writer. "rules" and "learned" ask no
  /// model.
  std::string role;
  /// Prompt to use, as a file in prompts/ without its suffix; empty: the default prompt of the
  /// errand.
  std::string prompt;
  int about = 0;            ///< Attempt shown as the parent; 0: the parent of the ask.
  bool is_bounded = false;  ///< The history shows only the attempts of `lines`, and no best.
  std::vector<int> lines;   ///< Attempts shown in the history, oldest first.
  /// Attempts whose code is shown beside the parent's, most useful first.
  std::vector<int> sources;
  bool hides_profile = false;  ///< Hides what limits the parent's speed.
  /// Temperature that the strategy wants; one that the user set takes precedence.
  std::optional<double> temperature{};

  bool operator==(const View&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("prompt", s.prompt), v("about", s.about), v("is_bounded", s.is_bounded),
        v("lines", s.lines), v("sources", s.sources), v("hides_profile", s.hides_profile),
        v("temperature", s.temperature);
  }
};

/// An example of a technique: code of a kernel before and after the technique was applied to it.
struct StepExample {
  std::string name;    ///< Name of the kernel.
  std::string detail;  ///< How the technique was applied.
  std::string before;  ///< Source before the technique.
  std::string after;

  bool operator==(const StepExample&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("detail", s.detail), v("before", s.before), v("after", s.after);
  }
};

/// A technique that the writer may or shall use.
struct MenuItem {
  std::string name;
  /// How the technique is applied and what is known about it, in a sentence; may be empty.
  std::string what;

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

/// How a source is to be written where a strategy differs from the default. An empty field means
/// the default.
struct Manner {
  View writer;
  /// Advisers (a model or rules each) to ask before the source is written, in this order; each is
  /// shown what the earlier ones said.
  std::vector<View> counsel;
  /// Advisers to ask about the written source before it is judged; at most one.
  std::vector<View> review;
  std::string technique;  ///< Technique to apply.
  std::string method;     ///< What `technique` does, in a sentence.
  /// Techniques of which an adviser, or else the writer, is to choose one.
  std::vector<MenuItem> menu;
  bool takes_all = false;             ///< All techniques of `menu` are to be applied, in its order.
  std::vector<StepExample> examples;  ///< Examples of `technique`.
  ReplyForm form = ReplyForm::Any;
  /// Whether a source that drops features of its parent's kernel is refused.
  bool keeps_kernel = false;

  bool operator==(const Manner&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("writer", s.writer), v("counsel", s.counsel), v("review", s.review),
        v("technique", s.technique), v("method", s.method), v("menu", s.menu),
        v("takes_all", s.takes_all), v("examples", s.examples), v("form", s.form),
        v("keeps_kernel", s.keeps_kernel);
  }
};

/// What a proposer answered. Without a kernel to judge, `candidate` has an empty source and
/// `evidence` says why: the verdict is (propose, no_candidate).
struct Proposal {
  Candidate candidate;  ///< The written source, at the first value of each knob.
  std::string evidence;
  /// Reason of the verdict that `evidence` belongs to.
  Reason reason = Reason::None;
  /// Diagnostics of the source's header; which part of a reply was taken.
  std::vector<Finding> findings;
  /// What the proposer said that it would do, for people and for the history.
  std::string plan;
  std::vector<std::string> exchanges;  ///< Keys of the exchanges with models, in order.
  Usage usage;                         ///< Tokens of all `exchanges`.
  double cost_usd = 0;                 ///< Cost of those `exchanges` whose price is known.
  std::string chosen{};                ///< Technique that an adviser picked.
  std::string writer{};                ///< Model that wrote the reply.

  bool has_candidate() const { return !candidate.source.empty(); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("candidate", s.candidate), v("evidence", s.evidence), v("reason", s.reason),
        v("findings", s.findings), v("plan", s.plan), v("exchanges", s.exchanges),
        v("usage", s.usage), v("cost_usd", s.cost_usd), v("chosen", s.chosen),
        v("writer", s.writer);
  }
};

/// What a model in a role (judge, planner, critic …) or a rule said about a situation: words for
/// the next prompt. No verdict of the referee, rank or reward depends on them.
struct Reading {
  int attempt = 0;  ///< Attempt that the reading is about; 0: none.
  /// Attempt whose prompt needed this reading; the cost of the exchange is counted there.
  int asked_for = 0;
  std::string words;     ///< What was said; empty: nothing, and `trouble` says why.
  std::string trouble;   ///< Why there are no words, in one line.
  std::string exchange;  ///< Key of the exchange; empty: no reply came.
  Usage usage;
  double cost_usd = 0;         ///< Cost, where the price is known.
  std::string role = "judge";  ///< Role of the reader.
  std::string technique{};     ///< Technique that a planner chose.
  /// First line of the parent's source that a planner points to; 0: none.
  int first_line = 0;
  int last_line = 0;
  bool is_turned_down = false;  ///< A critic advises against judging the source as it is.

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
