// Reads, makes and chooses cards of knowledge.
// SPDX-License-Identifier: Apache-2.0
#include "memory/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "memory/kin.h"
#include "memory/shipped_task.h"
#include "record/target.h"
#include "task/device_names.h"
#include "task/fields.h"
#include "task/header.h"
#include "task/source_parts.h"

namespace kw::memory {
namespace {

// most bytes of a shipped card's text, since a prompt shows three cards
constexpr std::size_t kMostTextBytes = 2000;
constexpr std::string_view kNote = "// The rest of the file is left out.\n";

// Factors on the score of a card whose bottleneck or family is the kernel's, or is another one.
constexpr double kRightBound = 1.5, kWrongBound = 0.3;
constexpr double kRightFamily = 1.2, kWrongFamily = 0.4;
constexpr double kLeastScore = 0.25;
/// The relevance of a card for the task's family, or for the very architecture, whatever words led
/// to it.
constexpr double kOwnRelevance = 0.7, kHardwareRelevance = 0.4;
/// What a card for one family or architecture alone gains; one for n of them gains the nth part.
constexpr double kOneFamily = 0.5, kOneArch = 0.4;
/// Fewer words that a card about any task shares with the task are shared by chance.
constexpr std::size_t kFewestWords = 3;

template <class E>
std::vector<E> read_enums(task::FileReport& report, const task::Section& card,
                          std::string_view key) {
  std::vector<E> all;
  const task::Yaml* list = card.find(key);
  if (list == nullptr) return all;
  for (const task::Yaml& item : task::read_list(report, *list, key))
    if (const auto value = task::read_enum<E>(report, item, key)) all.push_back(*value);
  return all;
}

std::vector<std::string> read_names(task::FileReport& report, const task::Section& card,
                                    std::string_view key) {
  std::vector<std::string> all;
  const task::Yaml* list = card.find(key);
  if (list == nullptr) return all;
  for (const task::Yaml& item : task::read_list(report, *list, key))
    if (auto text = task::read_text(report, item, key)) all.push_back(std::move(*text));
  return all;
}

Card read_card(task::FileReport& report, const task::Yaml& node) {
  const task::Section section(report, node, "card",
                              {"name", "kind", "targets", "families", "bounds", "archs", "dtypes",
                               "roles", "mentions", "text"});
  Card card;
  card.origin = "knowledge";
  if (const task::Yaml* name = section.require("name"))
    card.name = task::read_text(report, *name, "name").value_or("");
  if (const task::Yaml* kind = section.find("kind"))
    card.kind = task::read_enum<CardKind>(report, *kind, "kind").value_or(CardKind::Technique);
  card.targets = read_enums<Target>(report, section, "targets");
  card.bounds = read_enums<Bound>(report, section, "bounds");
  card.families = read_names(report, section, "families");
  card.archs = read_names(report, section, "archs");
  card.dtypes = read_enums<Dtype>(report, section, "dtypes");
  card.roles = read_enums<TensorRole>(report, section, "roles");
  card.mentions = read_names(report, section, "mentions");
  if (const task::Yaml* text = section.require("text"))
    card.text = trim(task::read_text(report, *text, "text").value_or(""));
  if (card.text.size() > kMostTextBytes)
    report.add(node.place, About{fmt::format("text: {} bytes", kMostTextBytes)},
               fmt::format("the text of a card has at most {} bytes", kMostTextBytes));
  return card;
}

/// Whether two tasks compute the same, as "softmax", "softmax_padded", "softmax_bf16" and
/// "softmax_f16_padded" do.
bool is_same_subject(const std::string& a, const std::string& b) {
  const auto stem = [](std::string_view name) {
    for (const std::string_view ending : {"_padded", "_bf16", "_f16"})
      if (name.ends_with(ending)) name.remove_suffix(ending.size());
    return name;
  };
  return stem(a) == stem(b) || a.starts_with(b + "_") || b.starts_with(a + "_");
}

/// The architectures on which a source's `require` lines allow it to run; empty where they allow
/// all.
std::vector<std::string> archs_of(task::CandidateHeader header, Target target) {
  std::vector<std::string> fit;
  if (!row_of(target).needs_arch) return fit;
  std::size_t all = 0;
  for (const std::string_view arch : task::device_names()) {
    if (!arch.starts_with("sm_")) continue;
    ++all;
    header.limits = task::arch_names(arch);
    // Requirements on the size of a device are assumed to hold, since some device meets them.
    for (const std::string_view size : {"sms", "shared_max", "l2_bytes"})
      header.limits[std::string(size)] = std::int64_t{1} << 40;
    if (!header.points(1).empty()) fit.emplace_back(arch);
  }
  return fit.size() == all ? std::vector<std::string>() : fit;
}

/// The text of a kernel's first comment, up to the licence.
std::string first_comment(std::string_view source) {
  std::string text;
  for (const std::string_view line : split_lines(source)) {
    if (!line.starts_with("// ") || line.starts_with("// SPDX") || line.starts_with("// kw:"))
      break;
    text += (text.empty() ? "" : " ") + std::string(trim(line.substr(3)));
  }
  return text;
}

/// The family of a shipped task; empty where there is no such task or it cannot be read.
std::string family_of(const DataFiles& data, const std::string& name) {
  const auto files = shipped_task(data, name);
  if (!files || files->texts.empty()) return {};
  const auto definition = task::parse_task(*files);
  return definition ? definition->task.family : std::string();
}

/// Whether a card's code is useful for tasks of the family: the card has the same family, one whose
/// kernels serve it, or none.
bool is_near(const Card& card, const std::string& family) {
  return card.families.empty() || contains(card.families, family) ||
         std::ranges::any_of(card.families,
                             [&](const std::string& own) { return serves(own, family); });
}

bool uses_one(std::string_view reference, const std::vector<std::string>& names) {
  const std::set<std::string> used = task::identifiers_of(reference);
  return std::ranges::any_of(names, [&](const std::string& name) { return used.contains(name); });
}

double score_of(const FoundCard& found, const AdviceScope& scope) {
  const Card& card = found.card;
  const double own = card.kind == CardKind::Hardware ? kHardwareRelevance : kOwnRelevance;
  const double relevance = is_for_this(card, scope.family) ? own : found.relevance;
  double score = found.likeness < 0 ? relevance : (relevance + found.likeness) / 2;
  score *= std::min(1.0, 2 * (card.helped + 1.0) / (card.uses + 2.0));
  if (!card.bounds.empty() && scope.bound != Bound::Unknown)
    score *= contains(card.bounds, scope.bound) ? kRightBound : kWrongBound;
  if (!card.families.empty())
    score *= contains(card.families, scope.family)
                 ? kRightFamily + kOneFamily / static_cast<double>(card.families.size())
                 : kWrongFamily;
  // Cards for other architectures do not fit and are not here.
  if (!card.archs.empty()) score *= 1 + kOneArch / static_cast<double>(card.archs.size());
  return score;
}

/// Whether a card has something to say about the task: it is for its family, for the very
/// architecture, or about any task and shares more words with this one than chance does.
bool bears_on(const FoundCard& found, const AdviceScope& scope) {
  if (found.card.kind == CardKind::Snippet) {
    // Prompts show kernels of the playbook whole, as examples; beside these a second, plainer
    // kernel of the playbook teaches nothing.
    if (found.card.origin == "playbook" || !is_near(found.card, scope.family)) return false;
    if (!found.card.families.empty()) return true;
  }
  if (is_for_this(found.card, scope.family)) return true;
  if (!found.card.families.empty()) return false;
  return found.likeness >= 0 || found.words.size() >= kFewestWords;
}

std::string why_of(const FoundCard& found, const AdviceScope& scope) {
  std::vector<std::string> reasons;
  if (contains(found.card.families, scope.family)) reasons.push_back("for " + scope.family);
  if (scope.bound != Bound::Unknown && contains(found.card.bounds, scope.bound))
    reasons.push_back(fmt::format("for {}-bound kernels", name_of(scope.bound)));
  if (!found.card.archs.empty()) reasons.push_back("for " + join(found.card.archs, ", "));
  if (found.likeness >= 0) reasons.push_back(fmt::format("likeness {:.2f}", found.likeness));
  return reasons.empty() ? "for any task" : join(reasons, "; ");
}

}  // namespace

std::string excerpt(const std::string& source) {
  if (source.size() <= kSnippetBytes) return source;
  const std::size_t most = kSnippetBytes - kNote.size();
  // The excerpt ends between two functions, unless it would be less than half as long as allowed.
  std::size_t end = source.rfind("\n\n", most - 1);
  if (end == std::string::npos || end < most / 2) end = source.rfind('\n', most - 1);
  return source.substr(0, end == std::string::npos ? most : end + 1) + std::string(kNote);
}

Result<std::vector<Card>> parse_cards(std::string_view text, const std::string& file) {
  const task::Yaml root = KW_TRY(task::parse_yaml(text, file));
  task::Complaints complaints;
  task::FileReport report(file, complaints);
  std::vector<Card> cards;
  const task::Section section(report, root, "the file", {"cards"});
  if (const task::Yaml* list = section.require("cards"))
    for (const task::Yaml& node : task::read_list(report, *list, "cards")) {
      cards.push_back(read_card(report, node));
      const auto same = std::ranges::count(cards, cards.back().name, &Card::name);
      if (same > 1)
        report.add(node.place, About{"twice " + cards.back().name},
                   "another card has the name '" + cards.back().name + "'");
    }
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  return cards;
}

Result<std::vector<Card>> shipped_cards(const DataFiles& data) {
  std::vector<Card> all;
  for (const auto& [file, text] : data.under("knowledge")) {
    if (!file.ends_with(".yaml")) continue;
    for (Card& card : KW_TRY(parse_cards(text, "knowledge/" + file))) {
      card.name = file.substr(0, file.size() - 5) + ": " + card.name;
      all.push_back(std::move(card));
    }
  }
  return all;
}

std::vector<Card> playbook_cards(const DataFiles& data) {
  std::vector<Card> all;
  std::map<std::string, std::string> families;  // by task
  for (const auto& [path, source] : data.under("playbook")) {
    const auto target = target_of_file(path);
    const auto slash = path.find('/');
    if (!target || slash == std::string::npos) continue;
    const auto header = task::parse_header(source, path, *target);
    if (!header) continue;
    Card card;
    card.origin = "playbook";
    card.name = path;
    card.kind = CardKind::Snippet;
    card.targets = {*target};
    card.archs = archs_of(*header, *target);
    card.task = path.substr(0, slash);
    if (!families.contains(card.task)) families[card.task] = family_of(data, card.task);
    if (const std::string& family = families[card.task]; !family.empty()) card.families = {family};
    card.text = fmt::format("Verified kernel `{}`, which shows {}. {}", path,
                            join(header->techniques, ", "), first_comment(source));
    card.code = excerpt(source);
    all.push_back(std::move(card));
  }
  return all;
}

std::vector<Card> graph_cards(const TechniqueGraph& graph, Target target) {
  std::vector<Card> all;
  for (const TechniqueEdge& edge : graph.edges()) {
    if (edge.examples.empty()) continue;
    const StepExample& example = edge.examples.back();
    Card card;
    card.origin = "graph";
    card.name = fmt::format("{}: {} → {}", name_of(target), edge.from, edge.to);
    card.kind = CardKind::Snippet;
    card.targets = {target};
    card.task = example.name.substr(0, example.name.find('/'));
    card.text = fmt::format("`{}` after `{}`, as in `{}`{}{}.", edge.to, edge.from, example.name,
                            example.detail.empty() ? "" : ": ", example.detail);
    card.code = excerpt(example.after);
    all.push_back(std::move(card));
  }
  return all;
}

bool fits(const Card& card, Target target, const std::string& arch, bool has_dialect_headers) {
  if (!has_dialect_headers && task::asks_for_headers(card.code)) return false;
  if (!card.targets.empty() && !contains(card.targets, target)) return false;
  return card.archs.empty() || std::ranges::any_of(card.archs, [&](const std::string& a) {
           return arch.starts_with(a);  // "sm_90a" also counts as "sm_90"
         });
}

bool is_about(const Card& card, const Task& task, std::string_view reference) {
  const auto has = [&](auto fits) {
    return std::ranges::any_of(task.signature,
                               [&](const Parameter& p) { return p.is_tensor && fits(p); });
  };
  return (card.dtypes.empty() || has([&](const Parameter& p) {
            return p.role != TensorRole::Out && contains(card.dtypes, p.dtype);
          })) &&
         (card.roles.empty() ||
          has([&](const Parameter& p) { return contains(card.roles, p.role); })) &&
         (card.mentions.empty() || uses_one(reference, card.mentions));
}

bool is_for_this(const Card& card, const std::string& family) {
  if (card.kind == CardKind::Snippet) return false;
  return card.kind == CardKind::Hardware ? !card.archs.empty() : contains(card.families, family);
}

std::vector<const FoundCard*> choose_cards(const std::vector<FoundCard>& found,
                                           const AdviceScope& scope) {
  std::vector<std::pair<double, const FoundCard*>> ranked;
  for (const FoundCard& one : found) {
    const bool is_answer = is_same_subject(one.card.task, scope.task);
    const double score = score_of(one, scope);
    if (!is_answer && bears_on(one, scope) && score >= kLeastScore)
      ranked.emplace_back(score, &one);
  }
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const FoundCard*> chosen;
  std::size_t cards = 0, snippets = 0;
  for (const auto& [score, one] : ranked) {
    const bool is_snippet = one->card.kind == CardKind::Snippet;
    const bool is_for_arch = !one->card.archs.empty() && one->card.kind == CardKind::Technique;
    const std::size_t most = is_for_arch ? kMostCardsOfArch : kMostCards;
    if (is_snippet ? snippets >= kMostSnippets : cards >= most) continue;
    ++(is_snippet ? snippets : cards);
    chosen.push_back(one);
  }
  return chosen;
}

std::vector<Remembered> remembered_of(const LessonSnapshot& known, const AdviceScope& scope) {
  std::vector<Remembered> all = words_of(advise(known.experience, scope), known.experience, scope);
  for (const FoundCard* found : choose_cards(known.cards, scope)) {
    const Card& card = found->card;
    all.push_back({card.text, why_of(*found, scope), card.code, card.id});
  }
  return all;
}

}  // namespace kw::memory
