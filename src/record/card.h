// Card: a piece of knowledge that prompts may tell, and the result of searching for cards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/dtype.h"
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
  std::int64_t id = 0;  ///< Row of the store; 0: not stored yet.
  /// Name of the set that the card belongs to: "knowledge", "playbook", "graph", "wins".
  std::string origin;
  std::string name;  ///< Unique among the cards of one origin.
  CardKind kind = CardKind::Technique;
  std::vector<Target> targets;        ///< Targets that the card applies to; empty: all.
  std::vector<std::string> families;  ///< Families of tasks that the card applies to; empty: all.
  std::vector<Bound> bounds;          ///< Bottlenecks that the card is about; empty: any.
  /// GPU architectures that the card applies to, "sm_90", or on cpu "avx512f"; empty: any.
  std::vector<std::string> archs;
  std::vector<Dtype> dtypes;  ///< Types of a task's inputs that the card is about; empty: any.
  /// Roles of tensors of which the task must have one; empty: any task. What takes several steps
  /// has a tensor that goes in and out.
  std::vector<TensorRole> roles;
  std::vector<std::string> mentions;  ///< Names of which the reference must use one; empty: any.
  std::string task;                   ///< Task that a snippet solves.
  std::string text;
  std::string code;  ///< Code of a snippet.
  int uses = 0;      ///< Runs whose first prompt showed the card.
  int helped = 0;    ///< Runs among `uses` that ended with a confirmed win.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("id", s.id), v("origin", s.origin), v("name", s.name), v("kind", s.kind),
        v("targets", s.targets), v("families", s.families), v("bounds", s.bounds),
        v("archs", s.archs), v("dtypes", s.dtypes), v("roles", s.roles), v("mentions", s.mentions),
        v("task", s.task), v("text", s.text), v("code", s.code), v("uses", s.uses),
        v("helped", s.helped);
  }
};

/// A card that a search found, with how well it matches the query.
struct FoundCard {
  Card card;
  double relevance = 0;            ///< Score as a share of the best match's, 0–1.
  std::vector<std::string> words;  ///< Words of the query that the card holds; the rarest first.
  double likeness = -1;            ///< Cosine of the embeddings; -1: not compared.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("card", s.card), v("relevance", s.relevance), v("words", s.words), v("likeness", s.likeness);
  }
};

}  // namespace kw
