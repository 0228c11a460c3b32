// Makes questions from samples; answers by rules, by the fitted model and at random; counts hits
// and gains.
// SPDX-License-Identifier: Apache-2.0
#include "engine/judge_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/contains.h"
#include "base/result.h"
#include "base/text.h"
#include "record/codec_impl.h"

namespace kw::engine {
namespace {

constexpr double kAlike = 0.01;  // logarithm of a gain

/// Run, whether the kernel is a first one, and bottleneck: kernels that are equal in these count as
/// alike.
using KernelKind = std::tuple<std::string, bool, Bound>;

KernelKind kind_of(const GainSample& sample) {
  return {sample.run, sample.state.is_first, sample.state.bound};
}

struct KernelGroup {
  std::map<std::string, std::vector<double>> gains;  // by technique
  std::vector<KernelState> states;
};

JudgeQuestion question_of(const std::string& run, const KernelState& state,
                          const KernelGroup& group) {
  JudgeQuestion question{run, state, {}, {}};
  for (const auto& [technique, gains] : group.gains) {
    if (contains(state.techniques, technique)) continue;
    double sum = 0;
    for (const double gain : gains) sum += gain;
    question.menu.push_back(technique);
    question.gains.push_back(sum / static_cast<double>(gains.size()));
  }
  return question;
}

bool can_tell(const JudgeQuestion& question) {
  return question.menu.size() > 1 &&
         question.best() - *std::ranges::min_element(question.gains) > kAlike;
}

/// Indices of the largest score.
std::vector<std::size_t> largest(const std::vector<double>& scores) {
  const double most = *std::ranges::max_element(scores);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] == most) places.push_back(i);
  return places;
}

}  // namespace

double JudgeQuestion::best() const { return *std::ranges::max_element(gains); }

std::vector<JudgeQuestion> judge_questions(const std::vector<GainSample>& samples,
                                           std::size_t most) {
  std::map<KernelKind, KernelGroup> groups;
  std::set<std::string> seen;
  for (const GainSample& sample : samples) {
    KernelGroup& group = groups[kind_of(sample)];
    group.gains[sample.technique].push_back(sample.gain);
    if (seen.insert(sample.run + " " + encode(sample.state)).second)
      group.states.push_back(sample.state);
  }
  std::vector<JudgeQuestion> all;
  for (const auto& [kind, group] : groups)
    for (const KernelState& state : group.states)
      if (JudgeQuestion one = question_of(std::get<0>(kind), state, group); can_tell(one))
        all.push_back(std::move(one));
  if (all.size() <= most) return all;
  std::vector<JudgeQuestion> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

JudgeAnswers answers_of_learned(const std::vector<JudgeQuestion>& questions,
                                const std::vector<GainSample>& samples) {
  const HeldOutModels models(samples);
  JudgeAnswers answers;
  for (const JudgeQuestion& question : questions) {
    const GainModel& model = models.without(question.run);
    std::vector<double> scores;
    for (const std::string& technique : question.menu)
      scores.push_back(model.predict(question.state, technique));
    answers.push_back(largest(scores));
  }
  return answers;
}

JudgeAnswers answers_of_rules(const std::vector<JudgeQuestion>& questions,
                              const std::vector<search::TechniqueCard>& cards) {
  const RulesJudge rules(cards);
  JudgeAnswers answers;
  for (const JudgeQuestion& question : questions) {
    std::vector<double> scores;
    for (const std::string& technique : question.menu)
      scores.push_back(rules.score(question.state, technique));
    answers.push_back(largest(scores));
  }
  return answers;
}

JudgeAnswers answers_by_lot(const std::vector<JudgeQuestion>& questions) {
  JudgeAnswers answers;
  for (const JudgeQuestion& question : questions)
    answers.push_back(largest(std::vector<double>(question.menu.size(), 0)));
  return answers;
}

ChoiceStanding standing_of(const std::vector<JudgeQuestion>& questions,
                           const JudgeAnswers& answers) {
  KW_ASSERT(questions.size() == answers.size());
  ChoiceStanding standing;
  if (questions.empty()) return standing;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const JudgeQuestion& question = questions[i];
    if (answers[i].empty()) ++standing.unread;
    for (const std::size_t place : answers[i]) {
      const double part = 1 / static_cast<double>(answers[i].size());
      standing.hits += question.gains[place] >= question.best() - kAlike ? part : 0;
      standing.gain += question.gains[place] * part;
    }
  }
  standing.hits /= static_cast<double>(questions.size());
  standing.gain /= static_cast<double>(questions.size());
  return standing;
}

std::vector<std::string> facts_of(const KernelState& state) {
  if (state.is_first) return {"There is no kernel yet: it is a first one, from the task alone."};
  std::vector<std::string> facts{
      fmt::format("It is correct and runs at {:.3g} times the baseline's speed.", state.speedup),
      state.bound == Bound::Unknown ? std::string("What limits it is not known.")
                                    : fmt::format("It is {}-bound.", name_of(state.bound))};
  for (const auto& [resource, share] : state.used)
    facts.push_back(fmt::format("Of {} it uses {:.0f} %.", resource, 100 * share));
  facts.push_back(state.techniques.empty() ? "It shows no technique by name."
                                           : "It shows: " + join(state.techniques, ", ") + ".");
  return facts;
}

}  // namespace kw::engine
