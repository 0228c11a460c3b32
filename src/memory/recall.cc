// Ranks lessons by their relevance.
// SPDX-License-Identifier: Apache-2.0
#include "memory/recall.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <tuple>

#include "base/contains.h"

namespace kw::memory {

bool shows_source(const Lesson& win, const RecallScope& scope) {
  return win.kind == LessonKind::Win && (win.task == scope.task || win.family == scope.family);
}

namespace {

bool is_of_run(const Lesson& lesson, const RecallScope& scope) {
  return !scope.run.empty() && std::any_of(lesson.seen_in.begin(), lesson.seen_in.end(),
                                           [&](const Sighting& s) { return s.run == scope.run; });
}

/// Relevance of lessons by id. A run's own lessons have no id yet; they are for the run's own task.
using Relevance = std::map<std::int64_t, double>;

Relevance relevance_of(const std::vector<LessonMatch>& found) {
  Relevance relevance;
  for (const LessonMatch& match : found) relevance[match.id] = match.relevance;
  return relevance;
}

double relevance_in(const Relevance& relevance, const Lesson& lesson) {
  const auto known = relevance.find(lesson.id);
  return known == relevance.end() ? 0 : known->second;
}

bool bears_on(const Lesson& lesson, const RecallScope& scope, double relevance) {
  if (lesson.target != scope.target) return false;
  if (lesson.task == scope.task) return true;
  return lesson.kind != LessonKind::Instruction &&
         (lesson.family == scope.family || relevance >= kLeastRelevance);
}

/// The rank of a lesson; a greater rank is more relevant. Two imaginary uses, one of them
/// successful, are counted for every lesson, so that an unused lesson counts as half successful.
/// Wins whose source is shown rank by their gain instead.
auto rank_of(const Lesson& lesson, const RecallScope& scope, double relevance) {
  const double success = (lesson.helped + 1.0) / (lesson.uses + 2.0);
  const bool is_win = shows_source(lesson, scope);
  const bool is_own = lesson.task == scope.task;
  const double worth = (is_own ? 1 : 1 + relevance) * (is_win ? lesson.gain.value : success);
  return std::tuple(is_of_run(lesson, scope), is_own, lesson.family == scope.family,
                    lesson.device == scope.device, worth,
                    is_win ? success : static_cast<double>(lesson.seen), lesson.id, lesson.key);
}

/// Indices of the lessons that may be told, most relevant first.
std::vector<std::size_t> order_of(const std::vector<Lesson>& lessons, const RecallScope& scope,
                                  const std::vector<LessonMatch>& found) {
  const Relevance relevance = relevance_of(found);
  const auto of = [&](std::size_t i) { return relevance_in(relevance, lessons[i]); };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lessons.size(); ++i)
    if (bears_on(lessons[i], scope, of(i))) order.push_back(i);
  // Ranks end with the key, so no two are equal.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank_of(lessons[a], scope, of(a)) > rank_of(lessons[b], scope, of(b));
  });
  return order;
}

std::string title_of(const Lesson& win, const RecallScope& scope) {
  return win.task == scope.task
             ? fmt::format("For this very task. {}", win.text)
             : fmt::format("For the task `{}` ({}). {}", win.task, win.family, win.text);
}

/// The lesson's text, preceded by the name of its task unless the task is the run's.
std::string words_of(const Lesson& lesson, const RecallScope& scope) {
  std::string words = lesson.task == scope.task ? "" : fmt::format("(`{}`) ", lesson.task);
  words += lesson.text;
  if (lesson.kind == LessonKind::Caution) words += fmt::format(" Seen {} times.", lesson.seen);
  return words;
}

bool add(std::vector<std::string>& told, std::size_t most, std::string words) {
  if (told.size() == most || contains(told, words)) return false;
  told.push_back(std::move(words));
  return true;
}

/// Takes lessons one by one, as long as there is room for their kind.
class Telling {
 public:
  explicit Telling(const RecallScope& scope) : scope_(scope) {}

  void tell(const Lesson& lesson, const std::string& source) {
    if (has_taken(lesson, source)) told.ids.push_back(lesson.id);
  }
  ToldLessons told;

 private:
  bool has_taken(const Lesson& lesson, const std::string& source) {
    const std::string words = words_of(lesson, scope_);
    if (lesson.task != scope_.task && lesson.family != scope_.family) {
      if (elsewhere_ == kMostElsewhere) return false;
      const bool is_caution = lesson.kind == LessonKind::Caution;
      const bool is_new = is_caution ? add(told.cautions, kMostCautions, words)
                                     : add(told.insights, kMostInsights, words);
      elsewhere_ += is_new ? 1 : 0;
      return is_new;
    }
    switch (lesson.kind) {
      case LessonKind::Win:
        if (source.empty() || told.wins.size() == kMostWins ||
            bytes_ + source.size() > kMostWinBytes)
          return false;
        bytes_ += source.size();
        told.wins.push_back({title_of(lesson, scope_), source});
        return true;
      case LessonKind::Caution:
        return add(told.cautions, kMostCautions, words);
      case LessonKind::Instruction:
        return add(told.instructions, kMostInstructions, words);
      case LessonKind::Insight:
        return add(told.insights, kMostInsights, words);
    }
    return false;
  }

  const RecallScope& scope_;
  std::size_t bytes_ = 0;
  std::size_t elsewhere_ = 0;
};

/// Whether the word is common English that occurs in every specification.
bool says_nothing(std::string_view word) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"about",  "above",   "all",     "and",     "any",      "are",      "begin",      "begins",
       "below",  "both",    "but",     "can",     "come",     "comes",    "does",       "each",
       "easy",   "easily",  "few",     "for",     "from",     "get",      "give",       "given",
       "gives",  "has",     "have",    "here",    "how",      "into",     "its",        "less",
       "long",   "many",    "may",     "more",    "most",     "much",     "must",       "neither",
       "nor",    "not",     "nothing", "one",     "only",     "other",    "others",     "over",
       "own",    "read",    "reads",   "right",   "same",     "small",    "some",       "such",
       "than",   "that",    "the",     "their",   "them",     "then",     "there",      "these",
       "they",   "this",    "those",   "times",   "too",      "two",      "under",      "until",
       "after",  "also",    "before",  "element", "elements", "function", "statements", "order",
       "sizes",  "last",    "between", "divides", "call",     "every",    "made",       "make",
       "makes",  "several", "still",   "use",     "used",     "uses",     "what",       "when",
       "where",  "which",   "while",   "whose",   "wide",     "with",     "within",     "write",
       "writes", "written", "wrong",   "far",     "result",   "results",  "without",    "tail",
       "needed", "inputs",  "holds",   "hold",    "often",    "found",    "per",        "four",
       "large",  "std",     "among",   "divided", "moves",    "along"});
  return contains(kWords, word);
}

/// Adds the new words of a text, except common ones, until there are `most` words.
void add_words(std::string_view text, std::size_t most, std::vector<std::string>& words) {
  constexpr std::size_t kShortest = 3;
  std::string word;
  const auto end_word = [&] {
    const bool is_number =
        std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (word.size() >= kShortest && words.size() < most && !is_number && !says_nothing(word) &&
        !contains(words, word))
      words.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      end_word();
  }
  end_word();
}

}  // namespace

std::vector<std::string> query_words(const task::Definition& task) {
  std::vector<std::string> words;
  for (const std::string* text :
       {&task.task.name, &task.task.family, &task.task.summary, &task.task.spec})
    add_words(*text, kMostQueryWords - kMostCodeWords, words);
  add_words(task.reference, std::min(kMostQueryWords, words.size() + kMostCodeWords), words);
  return words;
}

std::vector<Lesson> bearing_on(const std::vector<Lesson>& all, const RecallScope& scope,
                               const std::vector<LessonMatch>& found) {
  constexpr std::array<std::size_t, EnumNames<LessonKind>::names.size()> kRoom{
      2 * kMostWins, 4 * kMostCautions, 2 * kMostInstructions, 2 * kMostInsights};
  std::array<std::size_t, kRoom.size()> count{};
  std::vector<Lesson> chosen;
  for (const std::size_t i : order_of(all, scope, found)) {
    const auto kind = static_cast<std::size_t>(all[i].kind);
    if (all[i].state == LessonState::Dropped || count.at(kind)++ < kRoom.at(kind))
      chosen.push_back(all[i]);
  }
  return chosen;
}

ToldLessons recall(const LessonSnapshot& known, const RecallScope& scope) {
  Telling telling(scope);
  for (const std::size_t i : order_of(known.lessons, scope, known.found))
    if (is_told(known.lessons[i]))
      telling.tell(known.lessons[i], i < known.sources.size() ? known.sources[i] : std::string());
  return std::move(telling.told);
}

}  // namespace kw::memory
