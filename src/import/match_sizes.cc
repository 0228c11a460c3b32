// Scores each name of the program against the sizes of the task, and takes the assignment with the
// best total.
// SPDX-License-Identifier: Apache-2.0
#include "import/match_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "import/roles.h"
#include "import/tensor_sizes.h"

namespace kw::import {
namespace {

using Kind = Value::Kind;

/// Most names that are matched jointly; further names are matched one after the other.
constexpr std::size_t kMostTogether = 6;

/// A size of the task that a name of the program may stand for.
struct Guess {
  Size size;
  std::string words;
  int score = 0;
};

class SizeMatcher {
 public:
  SizeMatcher(const HostProgram& program, const ForeignSource& source,
              const std::vector<Item>& items, const task::Definition* task, const Matching& matched)
      : program_(program), source_(source), items_(items), task_(task), matched_(matched) {}

  MatchedSizes run() {
    find_symbols();
    if (task_ != nullptr) find_ranks();
    for (const std::string& name : tensor_sizes_) resolve_tensor_size(name);
    match_reals();
    if (task_ == nullptr) {
      keep_names();
    } else {
      match_integers();
      say_what_rows_need();
    }
    check_constants();
    return std::move(out_);
  }

 private:
  void find_symbols() {
    if (program_.is_main)
      for (std::size_t i = 0; i < program_.buffers.size(); ++i)
        if (matched_.buffers[i].tensor != nullptr ||
            (task_ == nullptr && !matched_.buffers[i].name.empty()))
          program_.buffers[i].bytes.visit_leaves([&](const Size& leaf) {
            if (leaf.op() == Size::Op::Named) constants_.insert(leaf.word());
          });
    const auto look = [&](const Size& size) {
      size.visit_leaves([&](const Size& leaf) { add_symbol(leaf); });
    };
    for (const Step& step : program_.steps) {
      for (const Size& size : step.grid) look(size);
      for (const Size& size : step.block) look(size);
      for (const Size* size : {&step.shared, &step.low, &step.high, &step.bytes, &step.target.size})
        look(*size);
      for (const Value& value : step.arguments) look_into(value, look);
      if (step.kind == Step::Kind::Launch)
        for (const Size& size : step.grid)
          size.visit_leaves([&](const Size& leaf) { in_grid_.insert(leaf.word()); });
    }
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (!matched_.buffers[i].is_workspace) continue;
      look(program_.buffers[i].bytes);
      for (const Value& value : program_.buffers[i].sizes) look(value.size);
    }
  }

  static void look_into(const Value& value, const std::function<void(const Size&)>& look) {
    look(value.size);
    for (const Value& part : value.parts) look_into(part, look);
  }

  void add_symbol(const Size& leaf) {
    const std::string& name = leaf.word();
    if (name.find('#') != std::string::npos) {
      add(tensor_sizes_, name);
    } else if (leaf.op() == Size::Op::Named && leaf.parts()[0].op() == Size::Op::Text) {
      if (is_real_of_task(name)) add(reals_, name);
    } else if (leaf.op() == Size::Op::Named) {
      if (constants_.contains(name)) {
        const auto [known, is_new] = values_.try_emplace(name, leaf);
        if (!is_new && !(known->second == leaf))
          out_.missing.push_back(
              {place(),
               fmt::format(
                   "'{}' is a size of the task, and the host code gives it two different values",
                   name)});
        add(integers_, name);
      }
      if (!constants_.contains(name))
        leaf.parts()[0].visit_leaves([&](const Size& inner) { add_symbol(inner); });
    } else if (contains(program_.integers, name)) {
      add(integers_, name);
    } else if (contains(program_.reals, name)) {
      add(reals_, name);
    }
  }

  /// Whether a constant of main() has the name of a real-valued scalar of the task.
  bool is_real_of_task(const std::string& name) const {
    return task_ != nullptr &&
           std::ranges::any_of(task_->scalars, [&](const task::ScalarSpec& scalar) {
             return is_real(scalar.dtype) && name_likeness(name, scalar.name) > 0;
           });
  }

  static void add(std::vector<std::string>& names, const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
  }

  std::size_t place() const { return source_.tokens[program_.function->parameters_open].offset; }

  /// Resolves a tensor's size that has an internal name, such as `x#0` for the first dimension of
  /// x.
  void resolve_tensor_size(const std::string& name) {
    const auto hash = name.find('#');
    const std::string tensor = name.substr(0, hash);
    const std::string what = name.substr(hash + 1);
    if (task_ == nullptr) {
      const auto nickname = program_.nicknames.find(name);
      std::string word = nickname != program_.nicknames.end() ? nickname->second
                         : what == "n"                        ? tensor + "_numel"
                                                              : tensor + "_size" + what;
      std::ranges::replace(word, '-', '_');
      out_.sizes[name] = Size::name(word);
      add(wanted_, word);
      return;
    }
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const task::TensorSpec* spec = matched_.buffers[i].tensor;
      if (program_.buffers[i].name != tensor || spec == nullptr) continue;
      if (auto size = size_of_tensor(*task_, *spec, what, asks_for_all_)) {
        out_.sizes[name] = *size;
        return;
      }
      out_.missing.push_back(
          {program_.buffers[i].offset,
           fmt::format(
               "'{}' of task {} has {} dimensions, and this function uses the size of one more",
               spec->name, task_->task.name, spec->shape.size())});
      return;
    }
    out_.missing.push_back(
        {place(),
         fmt::format("the sizes of the tensor '{}' in task {} cannot be told from the host code",
                     tensor, task_->task.name)});
  }

  /// Finds out whether the function counts dimensions that are always 1 too: it does if it asks for
  /// an index that exists only when they are counted.
  void find_ranks() {
    for (const std::string& name : tensor_sizes_) {
      const auto hash = name.find('#');
      std::string digits = name.substr(hash + 1);
      if (digits.starts_with('s')) digits.erase(0, 1);
      std::int64_t index = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (read.ec != std::errc() || index < 0) continue;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        const task::TensorSpec* spec = matched_.buffers[i].tensor;
        if (program_.buffers[i].name != name.substr(0, hash) || spec == nullptr) continue;
        const auto rank = static_cast<std::int64_t>(spec->shape.size());
        asks_for_all_ = asks_for_all_ || index >= rank - silent_dims(*task_, *spec);
      }
    }
  }

  void match_reals() {
    std::vector<std::string> theirs;
    if (task_ != nullptr)
      for (const task::ScalarSpec& scalar : task_->scalars)
        if (is_real(scalar.dtype)) theirs.push_back(scalar.name);
    for (const std::string& name : reals_) {
      if (task_ == nullptr) {
        out_.sizes[name] = Size::name(name);
        add(wanted_, name);
        continue;
      }
      auto best = theirs.end();
      for (int wanted : {10, 6, 0})
        for (auto t = theirs.begin(); t != theirs.end() && best == theirs.end(); ++t)
          if (name_likeness(name, *t) >= wanted) best = t;
      if (best == theirs.end()) {
        out_.missing.push_back(
            {place(),
             fmt::format(
                 "task {} has no floating-point scalar that '{}' of the host code could stand for",
                 task_->task.name, name)});
        continue;
      }
      out_.sizes[name] = Size::name(*best);
      if (bare_name(name) != *best)
        assume(fmt::format("the plan assumes that '{}' of the host code is '{}' of the task", name,
                           *best));
      theirs.erase(best);
    }
    for (const std::string& name : theirs)
      assume(fmt::format(
          "the scalar '{}' of the task is not used: the host code has a fixed number in its place",
          name));
  }

  void keep_names() {
    for (const std::string& name : integers_) {
      const bool is_usable = is_usable_identifier(name) && !is_expression_function(name);
      out_.sizes[name] = Size::name(is_usable ? name : name + "_");
      add(wanted_, name);
    }
    out_.wanted = wanted_.empty() ? "" : fmt::format(", and numbers {}", join(wanted_, ", "));
  }

  const task::TensorSpec* output() const {
    for (const task::TensorSpec& tensor : task_->tensors)
      if (tensor.role != TensorRole::In) return &tensor;
    return nullptr;
  }

  /// The product of all dimensions of a tensor, for names that mean its number of elements; nothing
  /// for one dimension.
  std::optional<Size> total_of(const task::TensorSpec& tensor) const {
    if (tensor.shape.size() < 2) return std::nullopt;
    return size_of_tensor(*task_, tensor, "n", asks_for_all_);
  }

  bool has_role(std::string_view role) const {
    return std::ranges::any_of(integers_,
                               [&](const std::string& n) { return size_role(n) == role; });
  }

  bool task_has(std::string_view name) const {
    return contains(task_->dims, std::string(name)) ||
           std::ranges::find(task_->scalars, name, &task::ScalarSpec::name) != task_->scalars.end();
  }

  std::vector<std::string> names_of_task() const {
    std::vector<std::string> names = task_->dims;
    for (const task::Let& let : task_->lets) add(names, let.name);
    for (const task::ScalarSpec& scalar : task_->scalars)
      if (!is_real(scalar.dtype)) add(names, scalar.name);
    return names;
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
    if (mine_role == "rows" && role == "n" && task_->dims.size() == 1) return 3;
    if (mine_role == "cols" && role == "n" && task_->dims.size() == 1) return 3;
    return 0;
  }

  std::vector<Guess> candidates_of(const std::string& mine) const {
    std::vector<Guess> all;
    const std::string_view role = size_role(mine);
    for (const std::string& theirs : names_of_task())
      if (const int points = is_silent(*task_, theirs) && !bare_name(mine).starts_with(theirs)
                                 ? 0
                                 : score(mine, theirs);
          points > 0)
        all.push_back({Size::name(theirs), theirs, points});
    // If no row is padded, the distance between rows ("pitch") is the length of a row.
    if (role == "pitch" && std::ranges::none_of(all, [](const Guess& c) { return c.score > 9; }))
      for (const task::TensorSpec& tensor : task_->tensors)
        if (tensor.shape.size() > 1 && !is_padded(*task_, tensor))
          all.push_back(
              {Size::text(tensor.shape.back().expr.text()), tensor.shape.back().expr.text(), 5});
    if (role == "n" || role == "rows" || role == "cols")
      for (const task::TensorSpec& tensor : task_->tensors)
        if (const auto total = total_of(tensor))
          if (role == "n") all.push_back({*total, total->to_text(), integers_.size() == 1 ? 9 : 7});
    std::stable_sort(all.begin(), all.end(),
                     [](const Guess& a, const Guess& b) { return a.score > b.score; });
    return all;
  }

  void match_integers() {
    if (integers_.size() > kMostTogether) {
      for (const std::string& name : integers_) take_first(name);
    } else {
      std::vector<std::vector<Guess>> all;
      for (const std::string& name : integers_) all.push_back(candidates_of(name));
      std::vector<int> chosen(integers_.size(), -1);
      best_ = chosen;
      best_score_ = -1;
      choose(all, chosen, 0, 0);
      for (std::size_t i = 0; i < integers_.size(); ++i)
        if (best_[i] >= 0) chosen_[integers_[i]] = all[i][static_cast<std::size_t>(best_[i])];
    }
    by_order();
    by_grid();
    for (const std::string& name : integers_) {
      const auto found = chosen_.find(name);
      if (found == chosen_.end()) {
        out_.missing.push_back(
            {place(),
             fmt::format(
                 "task {} has no size that '{}' of the host code could stand for; its names are {}",
                 task_->task.name, name, join(names_of_task(), ", "))});
        continue;
      }
      out_.sizes[name] = found->second.size;
      if (bare_name(name) != found->second.words)
        assume(fmt::format(
            "the plan assumes that '{}' of the host code is {} of the task{}", name,
            found->second.words,
            found->second.score == 0 ? ", because of its place among the arguments" : ""));
    }
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
      if (is_taken && size_role(integers_[i]) != "pitch") continue;
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
    for (const std::string& name : integers_)
      if (!chosen_.contains(name)) mine.push_back(name);
    std::vector<std::string> theirs;
    for (const std::string& dim : task_->dims) {
      const bool is_taken = std::ranges::any_of(
          chosen_, [&](const auto& other) { return other.second.words == dim; });
      if (!is_taken && !dim.starts_with("pad") && !is_silent(*task_, dim)) theirs.push_back(dim);
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
    for (const std::string& name : integers_)
      if (in_grid_.contains(name) && chosen_.contains(name)) over.push_back(name);
    if (over.empty() && chosen_.size() > wanted.size())
      assume(fmt::format(
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
        if (candidate.words == lacking[0] && !in_grid_.contains(other)) {
          std::swap(candidate, chosen_[wrong]);
          assume(fmt::format(
              "the plan exchanges the sizes '{}' and '{}', because the launch's grid covers '{}'",
              wrong, other, out->name));
          return;
        }
    }
  }

  /// Warns if the task has padded rows but the kernel has no parameter for their distance.
  void say_what_rows_need() {
    for (const task::TensorSpec& tensor : task_->tensors) {
      if (!is_padded(*task_, tensor)) continue;
      bool is_known = false;
      for (const auto& [name, size] : out_.sizes)
        is_known = is_known || size_role(size.to_text()) == "pitch" ||
                   name.find("#s") != std::string::npos;
      if (!is_known)
        assume(
            fmt::format("rows of '{}' lie {} elements apart in task {}, which this code does not "
                        "take into account: results are wrong where rows have padding",
                        tensor.name, tensor.pitch->expr.text(), task_->task.name));
      return;
    }
  }

  /// Reports a size of main() that device code uses as a constant: sizes change with the workload,
  /// so a kernel must get them as parameters.
  void check_constants() {
    for (const std::string& name : constants_) {
      if (!contains(integers_, name)) continue;
      for (const Item& item : items_) {
        if (item.kind != Item::Kind::Kernel && item.kind != Item::Kind::DeviceFunction) continue;
        bool is_own = false;
        for (const FunctionParameter& p : item.parameters) is_own = is_own || p.name == name;
        for (std::size_t i = item.body_open; i < item.body_close && !is_own; ++i)
          if (source_.tokens[i].is(name)) {
            out_.missing.push_back(
                {source_.tokens[i].offset,
                 fmt::format("the device code has the size '{}' as a constant, and the task varies "
                             "it: make the size a parameter of the kernel",
                             name)});
            return;
          }
      }
    }
  }

  void assume(std::string text) { out_.assumptions.push_back({place(), std::move(text)}); }

  const HostProgram& program_;
  const ForeignSource& source_;
  const std::vector<Item>& items_;
  const task::Definition* task_;
  const Matching& matched_;
  /// Names of constants of main() from which sizes of tensors are computed.
  std::set<std::string> constants_;
  std::map<std::string, Size> values_;  ///< Constants that may be sizes, by name.
  std::set<std::string> in_grid_;
  std::vector<std::string> integers_, reals_, tensor_sizes_, wanted_;
  bool asks_for_all_ = false;  ///< Whether indices count dimensions that are always 1.
  std::map<std::string, Guess> chosen_;
  std::vector<int> best_;
  int best_score_ = -1;
  MatchedSizes out_;
};

}  // namespace

MatchedSizes match_sizes(const HostProgram& program, const ForeignSource& source,
                         const std::vector<Item>& items, const task::Definition* task,
                         const Matching& matched) {
  return SizeMatcher(program, source, items, task, matched).run();
}

}  // namespace kw::import
