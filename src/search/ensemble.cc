// Computes mean rewards and confidence bounds, and lets models rest that gave no answer.
// SPDX-License-Identifier: Apache-2.0
#include "search/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "base/text.h"

namespace kw::search {
namespace {

constexpr double kCorrect = 0.3;
constexpr double kBoundWidth = 0.25;  // width of the confidence bound; rewards spread about as much
constexpr int kMostOutages = 10;      // number of outages up to which a rest grows

}  // namespace

double writing_reward(bool is_correct, double speedup, double from) {
  if (!is_correct || speedup <= 0 || from <= 0) return 0;
  return kCorrect + (1 - kCorrect) * std::clamp(std::log2(speedup / from), 0.0, 1.0);
}

Ensemble::Ensemble(std::vector<std::string> models, Unit unit)
    : names_(std::move(models)), unit_(unit), members_(names_.size()) {
  KW_ASSERT(!names_.empty());
}

// Mean cost of a reply over all models that have been told a result.
double Ensemble::mean_cost() const {
  double sum = 0;
  double count = 0;
  for (const Member& m : members_)
    if (m.told > 0) sum += m.cost / m.told, ++count;
  return count > 0 ? sum / count : 0;
}

double Ensemble::index_of(const Member& m) const {
  const double usual = mean_cost();
  const double reward = m.told > 0 ? m.reward / m.told : 0;
  const double cost = m.told > 0 ? m.cost / m.told : usual;
  const double tries = std::max(1, m.told + m.waiting);
  const double bound = kBoundWidth * std::sqrt(2 * std::log(std::max(2, choices_)) / tries);
  // If no reply has cost anything yet, the rewards alone decide.
  return (reward + bound) / (usual > 0 ? cost + usual : 1);
}

Ensemble::Choice Ensemble::choose() {
  ++choices_;
  const bool all_rest =
      std::ranges::all_of(members_, [&](const Member& m) { return m.rests_until > choices_; });
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& m = members_[i];
    if (m.rests_until > choices_ && !all_rest) continue;
    const bool is_new = m.told + m.waiting == 0;
    const double index = is_new ? HUGE_VAL : index_of(m);
    if (!best || index > most) best = i, most = index;
  }
  Choice choice{*best, "by " + names_[*best]};
  if (members_.size() > 1) {
    std::vector<std::string> accounts;
    for (std::size_t i = 0; i < members_.size(); ++i) accounts.push_back(account_of(i));
    choice.why += " (" + join(accounts, "; ") + ")";
  }
  ++members_[choice.model].waiting;
  waiting_.push_back(choice.model);
  return choice;
}

std::string Ensemble::cost_text(double cost) const {
  return unit_ == Unit::Dollars ? fmt::format("${:.3g}", cost) : fmt::format("{:.0f} tokens", cost);
}

std::string Ensemble::account_of(std::size_t i) const {
  const Member& m = members_[i];
  const char* rests = m.rests_until > choices_ ? ", rests: it could not be asked" : "";
  if (m.told + m.waiting == 0) return fmt::format("{}: not tried yet{}", names_[i], rests);
  if (m.told == 0) return fmt::format("{}: nothing told yet{}", names_[i], rests);
  return fmt::format("{}: reward {:.2f} in {} for {} each, index {:.3g}{}", names_[i],
                     m.reward / m.told, m.told, cost_text(m.cost / m.told), index_of(m), rests);
}

std::size_t Ensemble::take_choice() {
  KW_ASSERT(!waiting_.empty());
  const std::size_t chosen = waiting_.front();
  waiting_.erase(waiting_.begin());
  --members_[chosen].waiting;
  return chosen;
}

void Ensemble::rest(Member& member) {
  member.outages = std::min(member.outages + 1, kMostOutages);
  member.rests_until = choices_ + 1 + (1 << member.outages);
}

void Ensemble::tell_unanswered() { rest(members_[take_choice()]); }

void Ensemble::tell(const std::string& writer, double reward, double cost) {
  const std::size_t chosen = take_choice();
  std::size_t wrote = chosen;
  if (!writer.empty() && writer != names_[chosen]) {
    const auto other = std::ranges::find(names_, writer);
    if (other != names_.end()) wrote = static_cast<std::size_t>(other - names_.begin());
  }
  if (wrote != chosen) rest(members_[chosen]);
  Member& m = members_[wrote];
  m.outages = 0;
  ++m.told;
  m.reward += reward;
  m.cost += cost;
}

}  // namespace kw::search
