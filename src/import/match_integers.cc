// Scores each integer of the program against the sizes of the task, and takes the assignment with
// the best total.
// SPDX-License-Identifier: Apache-2.0
#include "import/match_integers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/contains.h"
#include "import/roles.h"
#include "import/tensor_sizes.h"

namespace kw::import {
namespace {

/// Most names that are matched jointly; further names are matched one after the other.
constexpr std::size_t kMostTogether = 6;

class IntegerMatcher {
 public:
  IntegerMatcher(const SizeSymbols& symbols, const task::Definition& task, bool asks_for_all)
      : symbols_(symbols), names_(symbols.integers), task_(task), asks_for_all_(asks_for_all) {}

  IntegerMatch run() {
    if (names_.size() > kMostTogether) {
      for (const std::string& name : names_) take_first(name);
    } else {
      std::vector<std::vector<Guess>> all;
      for (const std::string& name : names_) all.push_back(candidates_of(name));
      std::vector<int> chosen(names_.size(), -1);
      best_ = chosen;
      best_score_ = -1;
      choose(all, chosen, 0, 0);
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (best_[i] >= 0) chosen_[names_[i]] = all[i][static_cast<std::size_t>(best_[i])];
    }
    by_order();
    by_grid();
    return {std::move(chosen_), std::move(assumptions_)};
  }

 private:
  const task::TensorSpec* output() const {
    for (const task::TensorSpec& tensor : task_.tensors)
      if (tensor.role != TensorRole::In) return &tensor;
    return nullptr;
  }

  /// The product of all dimensions of a tensor, for names that mean its number of elements; nothing
  /// for one dimension.
  std::optional<Size> total_of(const task::TensorSpec& tensor) const {
    if (tensor.shape.size() < 2) return std::nullopt;
    return size_of_tensor(task_, tensor, "n", asks_for_all_);
  }

  bool has_role(std::string_view role) const {
    return std::ranges::any_of(names_, [&](const std::string& n) { return size_role(n) == role; });
  }

  bool task_has(std::string_view name) const {
    return contains(task_.dims, std::string(name)) ||
           std::ranges::find(task_.scalars, name, &task::ScalarSpec::name) != task_.scalars.end();
  }

  int score(const std::string& mine, const std::string& theirs) const {
    const std::string a = bare_name(mine);
    if (a == theirs) return 20;
    if (theirs.starts_with("pad")) return 0;
    const std::string_view mine_role = size_role(mine);
    const std::string_view role = size_role(theirs);
    if (mine_role == role && !role.empty())
      return theirs.starts_with(a) || a.starts_with(theirs) ? 14 : 12;
    if (mine_role == "n" && role == "cols" && has_role("rows")) return 8;
    if (mine_role == "n" && role == "rows" && has_role("cols") && !has_role("rows")) return 8;
    if (mine_role == "k" && role == "cols" && !task_has("k")) return 6;
    if (mine_role == "rows" && role == "n" && task_.dims.size() == 1) return 3;
    if (mine_role == "cols" && role == "n" && task_.dims.size() == 1) return 3;
    return 0;
  }

  std::vector<Guess> candidates_of(const std::string& mine) const {
    std::vector<Guess> all;
    const std::string_view role = size_role(mine);
    for (const std::string& theirs : names_of_sizes(task_))
      if (const int points = is_silent(task_, theirs) && !bare_name(mine).starts_with(theirs)
                                 ? 0
                                 : score(mine, theirs);
          points > 0)
        all.push_back({Size::name(theirs), theirs, points});
    // If no row is padded, the distance between rows ("pitch") is the length of a row.
    if (role == "pitch" && std::ranges::none_of(all, [](const Guess& c) { return c.score > 9; }))
      for (const task::TensorSpec& tensor : task_.tensors)
        if (tensor.shape.size() > 1 && !is_padded(task_, tensor))
          all.push_back(
              {Size::text(tensor.shape.back().expr.text()), tensor.shape.back().expr.text(), 5});
    if (role == "n" || role == "rows" || role == "cols")
      for (const task::TensorSpec& tensor : task_.tensors)
        if (const auto total = total_of(tensor))
          if (role == "n") all.push_back({*total, total->to_text(), names_.size() == 1 ? 9 : 7});
    std::stable_sort(all.begin(), all.end(),
                     [](const Guess& a, const Guess& b) { return a.score > b.score; });
    return all;
  }

  void take_first(const std::string& name) {
    for (const Guess& candidate : candidates_of(name)) {
      const bool is_taken = std::ranges::any_of(
          chosen_, [&](const auto& other) { return other.second.words == candidate.words; });
      if (is_taken) continue;
      chosen_[name] = candidate;
      return;
    }
  }

  void choose(const std::vector<std::vector<Guess>>& all, std::vector<int>& chosen, std::size_t i,
              int sum) {
    if (i == all.size()) {
      if (sum > best_score_) best_score_ = sum, best_ = chosen;
      return;
    }
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      bool is_taken = false;
      for (std::size_t j = 0; j < i; ++j)
        is_taken =
            is_taken || (chosen[j] >= 0 &&
                         all[j][static_cast<std::size_t>(chosen[j])].words == all[i][k].words);
      // Only a pitch may be matched twice: several names may mean the same distance between rows.
      if (is_taken && size_role(names_[i]) != "pitch") continue;
      chosen[i] = static_cast<int>(k);
      choose(all, chosen, i + 1, sum + all[i][k].score);
    }
    chosen[i] = -1;
    choose(all, chosen, i + 1, sum);
  }

  /// Matches names without any hint to the remaining dims in order, if there are equally many of
  /// both.
  void by_order() {
    std::vector<std::string> mine;
    for (const std::string& name : names_)
      if (!chosen_.contains(name)) mine.push_back(name);
    std::vector<std::string> theirs;
    for (const std::string& dim : task_.dims) {
      const bool is_taken = std::ranges::any_of(
          chosen_, [&](const auto& other) { return other.second.words == dim; });
      if (!is_taken && !dim.starts_with("pad") && !is_silent(task_, dim)) theirs.push_back(dim);
    }
    if (mine.empty() || mine.size() != theirs.size()) return;
    for (std::size_t i = 0; i < mine.size(); ++i)
      chosen_[mine[i]] = {Size::name(theirs[i]), theirs[i], 0};
  }

  /// Checks the match against the grid, which must cover the output; if it does not, tries to
  /// exchange two names.
  void by_grid() {
    const task::TensorSpec* out = output();
    if (out == nullptr || out->shape.size() < 2) return;
    const std::size_t rank = out->shape.size();
    const std::set<std::string> wanted{out->shape[rank - 2].expr.text(),
                                       out->shape[rank - 1].expr.text()};
    std::vector<std::string> over;
    for (const std::string& name : names_)
      if (symbols_.in_grid.contains(name) && chosen_.contains(name)) over.push_back(name);
    if (over.empty() && chosen_.size() > wanted.size())
      assumptions_.push_back(fmt::format(
          "the launch's grid does not tell the sizes of '{}': sizes were matched by name alone",
          out->name));
    if (over.size() != 2 || wanted.size() != 2) return;
    std::set<std::string> have;
    for (const std::string& name : over) have.insert(chosen_[name].words);
    std::vector<std::string> lacking;
    for (const std::string& word : wanted)
      if (!have.contains(word)) lacking.push_back(word);
    if (lacking.size() != 1) return;
    for (const std::string& wrong : over) {
      if (wanted.contains(chosen_[wrong].words)) continue;
      for (auto& [other, candidate] : chosen_)
        if (candidate.words == lacking[0] && !symbols_.in_grid.contains(other)) {
          std::swap(candidate, chosen_[wrong]);
          assumptions_.push_back(fmt::format(
              "the plan exchanges the sizes '{}' and '{}', because the launch's grid covers '{}'",
              wrong, other, out->name));
          return;
        }
    }
  }

  const SizeSymbols& symbols_;
  const std::vector<std::string>& names_;
  const task::Definition& task_;
  const bool asks_for_all_;  ///< Whether indices count dimensions that are always 1.
  std::map<std::string, Guess> chosen_;
  std::vector<int> best_;
  int best_score_ = -1;
  std::vector<std::string> assumptions_;
};

}  // namespace

std::vector<std::string> names_of_sizes(const task::Definition& task) {
  std::vector<std::string> names = task.dims;
  for (const task::Let& let : task.lets) add_once(names, let.name);
  for (const task::ScalarSpec& scalar : task.scalars)
    if (!is_real(scalar.dtype)) add_once(names, scalar.name);
  return names;
}

IntegerMatch match_names_of_sizes(const SizeSymbols& symbols, const task::Definition& task,
                                  bool asks_for_all) {
  return IntegerMatcher(symbols, task, asks_for_all).run();
}

}  // namespace kw::import
