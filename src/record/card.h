// Card: a piece of knowledge that prompts may be told, and what a search found of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw {

enum class CardKind {
  Technique,  ///< How something is done, when it helps and when it does not.
  Hardware,   ///< What a device does, and what that means for kernels.
  Snippet,    ///< Verified code.
};
template <>
struct EnumNames<CardKind> {
  static constexpr std::array<std::string_view, 3> names{"technique", "hardware", "snippet"};
};

struct Card {
  std::int64_t id = 0;  ///< Of the store; 0: not stored yet.
  std::string origin;   ///< Which set it belongs to: "knowledge", "playbook", "graph", "wins".
  std::string name;     ///< Unique in its set.
  CardKind kind = CardKind::Technique;
  std::vector<Target> targets;        ///< Empty: every one.
  std::vector<std::string> families;  ///< Of tasks; empty: every one.
  std::vector<Bound> bounds;          ///< Bottlenecks that it is about; empty: any.
  std::vector<std::string> archs;     ///< Of GPUs, "sm_90"; empty: any.
  std::string task;                   ///< Of a snippet: what it solves.
  std::string text;
  std::string code;  ///< Of a snippet.
  int uses = 0;      ///< Runs whose first prompt showed it.
  int helped = 0;    ///< Those of them that ended with a confirmed win.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("origin", s.origin), v("name", s.name), v("kind", s.kind),
        v("targets", s.targets), v("families", s.families), v("bounds", s.bounds),
        v("archs", s.archs), v("task", s.task), v("text", s.text), v("code", s.code),
        v("uses", s.uses), v("helped", s.helped);
  }
};

/// A card that a search found.
struct FoundCard {
  Card card;
  double relevance = 0;            ///< 0–1: over that of the best match.
  std::vector<std::string> words;  ///< Of the query, that it holds; the rarest first.
  double likeness = -1;            ///< Cosine of the embeddings; -1: not compared.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("card", s.card), v("relevance", s.relevance), v("words", s.words), v("likeness", s.likeness);
  }
};

}  // namespace kw
