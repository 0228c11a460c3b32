// Implements the reader of suite specs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/with_nearest.h"
#include "record/method_options.h"
#include "task/fields.h"
#include "task/suite.h"

namespace kw::task {
namespace {

// The most tasks, seeds or other items of one list; a suite with more would take forever.
constexpr std::size_t kMostOfAKind = 1000;
constexpr std::int64_t kMostBudget = 1'000'000'000;
constexpr int kMostTries = 1000;  // largest k of pass@k

class SuiteReader {
 public:
  SuiteReader(FileReport& report, const SuiteWords& words) : report_(report), words_(words) {}

  SuiteSpec read(const Yaml& root) {
    const Section section(
        report_, root, "a suite",
        {"name",    "about",   "tasks",    "levels",    "models",    "strategies", "presets",
         "rewards", "seeds",   "feedback", "knowledge", "targets",   "budget",     "start",
         "repairs", "samples", "pass",     "fast",      "resources", "tables"});
    if (const Yaml* name = section.require("name")) read_name(*name);
    if (const Yaml* about = section.find("about"))
      spec_.about = read_text(report_, *about, "about").value_or("");
    read_tasks(root, section);
    if (const Yaml* node = section.require("strategies"))
      spec_.strategies = read_known(*node, "strategies", words_.strategies);
    if (const Yaml* node = section.find("rewards"))
      spec_.rewards = read_known(*node, "rewards", words_.rewards);
    if (const Yaml* node = section.find("models")) spec_.models = read_names(*node, "models");
    if (const Yaml* node = section.find("seeds")) read_seeds(*node);
    read_choices(section);
    if (const Yaml* node = section.require("budget")) read_budget(*node);
    read_measures(section);
    return std::move(spec_);
  }

 private:
  /// The items of a list; a single value counts as a list of one.
  std::span<const Yaml> items(const Yaml& node, std::string_view what) {
    if (node.kind == Yaml::Kind::Scalar) return {&node, 1};
    const auto list = read_list(report_, node, what);
    if (node.kind == Yaml::Kind::Sequence && list.empty())
      report_.add(node.place, About{fmt::format("{}: empty", what)},
                  fmt::format("{} is empty", what));
    if (list.size() <= kMostOfAKind) return list;
    report_.add(node.place, About{fmt::format("{}: at most {}", what, kMostOfAKind)},
                fmt::format("{} has more than {} items", what, kMostOfAKind));
    return {};
  }

  void read_name(const Yaml& node) {
    const auto name = read_text(report_, node, "name");
    if (!name) return;
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    // The name becomes part of labels and of the marks around a suite's tables in a document.
    if (name->empty() || name->size() > 40 || !std::ranges::all_of(*name, is_plain))
      report_.add(node.place, About{"name"},
                  "a suite's name has up to 40 small letters, digits, '_' and '-'");
    spec_.name = *name;
  }

  std::vector<SuiteName> read_names(const Yaml& node, std::string_view what) {
    std::vector<SuiteName> names;
    for (const Yaml& item : items(node, what)) {
      const auto text = read_text(report_, item, what);
      if (!text) continue;
      if (text->empty())
        report_.add(item.place, About{fmt::format("{}: empty name", what)},
                    fmt::format("the suite has an empty name in {}", what));
      const bool is_known = std::ranges::find(names, *text, &SuiteName::text) != names.end();
      if (is_known)
        report_.add(item.place, About{fmt::format("{}: twice {}", what, sanitise(*text, 60))},
                    fmt::format("'{}' is listed twice in {}", sanitise(*text, 60), what));
      names.push_back({*text, item.place});
    }
    return names;
  }

  std::vector<SuiteName> read_known(const Yaml& node, std::string_view what,
                                    std::span<const std::string_view> known) {
    std::vector<SuiteName> names;
    for (SuiteName& name : read_names(node, what)) {
      const std::vector<std::string> all(known.begin(), known.end());
      if (std::ranges::find(known, name.text) == known.end())
        report_.add(
            name.place,
            About{fmt::format("{}: {}", what, with_nearest(sanitise(name.text, 40), all))},
            fmt::format("'{}' is no known entry of {}; there are {}{}", sanitise(name.text, 40),
                        what, join(all, ", "), suggestion(name.text, all)));
      names.push_back(std::move(name));
    }
    return names;
  }

  void read_tasks(const Yaml& root, const Section& section) {
    const Yaml* tasks = section.find("tasks");
    const Yaml* levels = section.find("levels");
    if ((tasks == nullptr) == (levels == nullptr))
      return report_.add(root.place, About{"tasks, levels"},
                         "a suite has either the key 'tasks' or the key 'levels'");
    if (tasks != nullptr) return add_tasks(*tasks, "tasks", "");
    for (const auto& [level, list] : read_entries(report_, *levels, "levels"))
      add_tasks(list, "a level", level.scalar);
  }

  void add_tasks(const Yaml& node, std::string_view what, const std::string& level) {
    for (SuiteName& name : read_names(node, what)) {
      if (std::ranges::any_of(spec_.tasks,
                              [&](const SuiteTask& t) { return t.name.text == name.text; }))
        report_.add(
            name.place, About{fmt::format("levels: twice {}", sanitise(name.text, 60))},
            fmt::format("the task '{}' is in two levels of the suite", sanitise(name.text, 60)));
      spec_.tasks.push_back({std::move(name), level});
    }
  }

  /// Reads seeds: "1..5", or a list of numbers.
  void read_seeds(const Yaml& node) {
    spec_.seeds.clear();
    for (const Yaml& item : items(node, "seeds")) {
      std::int64_t first = 0, last = 0;
      const std::size_t dots = item.scalar.find("..");
      if (item.kind == Yaml::Kind::Scalar && dots != std::string::npos) {
        const auto read = [](std::string_view text, std::int64_t& into) {
          const auto* end = text.data() + text.size();
          const auto [stop, code] = std::from_chars(text.data(), end, into);
          return code == std::errc() && stop == end;
        };
        const std::string_view text = item.scalar;
        if (!read(text.substr(0, dots), first) || !read(text.substr(dots + 2), last)) {
          report_.add(item.place, About{"seeds: range"},
                      "seeds are numbers, or a range such as 1..5");
          continue;
        }
      } else {
        const auto one = read_integer(report_, item, "a seed");
        if (!one) continue;
        first = last = *one;
      }
      const bool is_sane = 0 <= first && first <= last &&
                           last - first < static_cast<std::int64_t>(kMostOfAKind) &&
                           spec_.seeds.size() < kMostOfAKind;
      if (!is_sane) {
        report_.add(item.place, About{"seeds: bounds"},
                    fmt::format("seeds are at most {} numbers that are not negative; a "
                                "range begins with the smaller one",
                                kMostOfAKind));
        continue;
      }
      for (std::int64_t seed = first; seed <= last; ++seed) add_seed(item, seed);
    }
  }

  void add_seed(const Yaml& item, std::int64_t seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    if (std::ranges::find(spec_.seeds, number) != spec_.seeds.end())
      return report_.add(item.place, About{fmt::format("seeds: twice {}", seed)},
                         fmt::format("the seed {} is listed twice", seed));
    spec_.seeds.push_back(number);
  }

  /// Reads a list of values from a fixed set; each value may occur once.
  template <class T>
  std::vector<T> read_set(const Yaml& node, std::string_view what,
                          std::span<const std::string_view> names, const auto& value_of) {
    std::vector<T> values;
    for (const Yaml& item : items(node, what)) {
      const auto index = read_choice(report_, item, what, names);
      if (!index) continue;
      const T value = value_of(*index);
      if (std::ranges::find(values, value) != values.end())
        report_.add(item.place, About{fmt::format("{}: twice {}", what, names[*index])},
                    fmt::format("'{}' is listed twice in {}", names[*index], what));
      values.push_back(value);
    }
    return values;
  }

  template <class E>
  std::vector<E> read_enums(const Yaml& node, std::string_view what) {
    return read_set<E>(node, what, EnumNames<E>::names,
                       [](std::size_t index) { return static_cast<E>(index); });
  }

  void read_choices(const Section& section) {
    constexpr std::array<std::string_view, 2> kPresets{"sketch", "paper"};
    constexpr std::array<std::string_view, 2> kOnOff{"on", "off"};
    constexpr std::array<std::string_view, 2> kStarts{"scratch", "experts"};
    if (const Yaml* node = section.find("presets"))
      spec_.presets = read_set<std::string>(
          *node, "presets", kPresets, [&](std::size_t i) { return std::string(kPresets[i]); });
    if (const Yaml* node = section.find("feedback"))
      spec_.feedback = read_enums<FeedbackLevel>(*node, "feedback");
    if (const Yaml* node = section.find("knowledge"))
      spec_.knowledge =
          read_set<bool>(*node, "knowledge", kOnOff, [](std::size_t index) { return index == 0; });
    if (const Yaml* node = section.find("targets"))
      spec_.targets = read_enums<Target>(*node, "targets");
    if (const Yaml* node = section.find("start"))
      spec_.starts_from_experts = read_choice(report_, *node, "start", kStarts) == 1u;
    if (const Yaml* node = section.find("repairs"))
      if (const auto most = read_integer(report_, *node, "repairs")) {
        if (*most < 0 || *most > kMostRepairs)
          report_.add(node->place, About{"repairs"},
                      fmt::format("the number of repairs must be 0 to {}", kMostRepairs));
        spec_.repairs = static_cast<int>(std::clamp<std::int64_t>(*most, 0, kMostRepairs));
      }
    if (const Yaml* node = section.find("samples"))
      spec_.samples = read_enum<SampleUnit>(report_, *node, "samples").value_or(SampleUnit::Run);
    if (const Yaml* node = section.find("tables"))
      spec_.tables = read_enums<SuiteTable>(*node, "tables");
  }

  void read_budget(const Yaml& node) {
    const Section section(report_, node, "budget", {"evaluations", "calls", "tokens", "usd"});
    SuiteBudget& budget = spec_.budget;
    const auto read_count = [&](std::string_view key, std::int64_t& into) {
      const Yaml* value = section.find(key);
      if (value == nullptr) return;
      const auto count = read_integer(report_, *value, key);
      if (count && (*count < 1 || *count > kMostBudget))
        report_.add(value->place, About{fmt::format("budget: {}", key)},
                    fmt::format("{} are 1 to {}", key, kMostBudget));
      into = count.value_or(0);
    };
    read_count("evaluations", budget.evaluations);
    read_count("calls", budget.calls);
    read_count("tokens", budget.tokens);
    if (const Yaml* usd = section.find("usd")) {
      budget.usd = read_number(report_, *usd, "usd").value_or(0);
      if (budget.usd <= 0)
        report_.add(usd->place, About{"budget: usd"},
                    "the budget's usd must be an amount in dollars above 0");
    }
    if (node.kind == Yaml::Kind::Mapping && node.entries.empty())
      report_.add(node.place, About{"budget: empty"},
                  "a budget has at least one of evaluations, calls, tokens and usd");
  }

  void read_measures(const Section& section) {
    if (const Yaml* node = section.find("pass")) {
      spec_.pass.clear();
      for (const Yaml& item : items(*node, "pass"))
        if (const auto k = read_integer(report_, item, "k of pass@k")) {
          if (*k < 1 || *k > kMostTries)
            report_.add(item.place, About{"pass"}, fmt::format("k is 1 to {}", kMostTries));
          spec_.pass.push_back(static_cast<int>(std::clamp<std::int64_t>(*k, 1, kMostTries)));
        }
    }
    if (const Yaml* node = section.find("fast")) {
      spec_.fast.clear();
      for (const Yaml& item : items(*node, "fast"))
        if (const auto p = read_number(report_, item, "p of fast_p")) {
          if (*p < 0) report_.add(item.place, About{"fast"}, "a p of fast_p must not be negative");
          spec_.fast.push_back(*p);
        }
    }
    if (const Yaml* node = section.find("resources")) {
      spec_.resources = read_number(report_, *node, "resources").value_or(0);
      if (spec_.resources <= 0)
        report_.add(node->place, About{"resources"}, "'resources' must be a number above 0");
    }
  }

  FileReport& report_;
  const SuiteWords& words_;
  SuiteSpec spec_;
};

}  // namespace

Result<SuiteSpec> parse_suite(std::string_view text, const std::string& origin,
                              const SuiteWords& words) {
  const Yaml root = KW_TRY(parse_yaml(text, origin));
  Complaints complaints;
  FileReport report(origin, complaints);
  SuiteSpec spec = SuiteReader(report, words).read(root);
  if (complaints.empty()) return spec;
  Error error = complaints.to_error();
  error.advice = Advice::GiveUp;
  return std::unexpected(std::move(error));
}

}  // namespace kw::task
