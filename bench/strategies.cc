// bench-strategies: regret over budget of every strategy in synthetic technique worlds.
// SPDX-License-Identifier: Apache-2.0
//
// bench-strategies SEEDS [STRATEGY...] prints a Markdown table. For each strategy it has: the mean
// over worlds of log(optimum / best so far) after some numbers of attempts; that value after 100
// attempts less the value of `refine` in the same worlds, with its standard error; and the share of
// worlds in which the best came within 5 % of the optimum. Below it stands the throttled tree less
// the plain one, in the same way.
//
// bench-strategies time [STRATEGY...] prints a line for each strategy, with tabs between: its name,
// the attempts of its longest search, and the mean time of an attempt's ask and tell in
// nanoseconds, over 10,000 attempts and over the last hundred of the longest search.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "search/technique_world.h"

namespace {

using namespace kw;
using namespace kw::search;

constexpr std::size_t kBudgets[] = {10, 20, 50, 100, 200};
constexpr std::size_t kMost = 200;

double cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// Passes calls on to a strategy, and adds up the processor time of ask() and tell().
class Stopwatch final : public Strategy {
 public:
  explicit Stopwatch(Strategy& inner) : inner_(inner) {}
  std::optional<Ask> ask() override {
    const double start = cpu_ns();
    auto ask = inner_.ask();
    spent_ns_ += cpu_ns() - start;
    return ask;
  }
  void tell(const Tell& tell) override {
    const double start = cpu_ns();
    inner_.tell(tell);
    spent_ns_ += cpu_ns() - start;
    after_tells_.push_back(spent_ns_);
  }
  bool finished() const override { return inner_.finished(); }
  std::string describe() const override { return inner_.describe(); }

  /// The mean time in ns of the tells from number `first` on.
  double mean_ns(std::size_t first) const {
    if (after_tells_.size() <= first) return 0;
    const double before = first == 0 ? 0 : after_tells_[first - 1];
    return (after_tells_.back() - before) / static_cast<double>(after_tells_.size() - first);
  }
  std::size_t told() const { return after_tells_.size(); }

 private:
  Strategy& inner_;
  double spent_ns_ = 0;
  std::vector<double> after_tells_;
};

struct Line {
  std::vector<double> regret[std::size(kBudgets)];  ///< One value for each world.
  double reached = 0;
};

double mean(const std::vector<double>& all) {
  double sum = 0;
  for (const double x : all) sum += x;
  return sum / static_cast<double>(all.size());
}

/// The mean of a - b over the same worlds with its standard error: "-0.12 ± 0.03".
std::string paired(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> apart(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) apart[i] = a[i] - b[i];
  const double middle = mean(apart), n = static_cast<double>(apart.size());
  double squares = 0;
  for (const double x : apart) squares += (x - middle) * (x - middle);
  char text[64];
  std::snprintf(text, sizeof text, "%+.2f ± %.2f", middle,
                n > 1 ? std::sqrt(squares / (n - 1) / n) : 0.0);
  return text;
}

/// One row of the table: a strategy, one of its presets, or a strategy with a guide other than its
/// own.
struct Entry {
  const StrategyInfo* info = nullptr;
  std::string preset;
  bool throttles_root = true;
  std::string guide{};
  std::string name() const {
    return std::string(info->name) + (preset.empty() ? "" : " --preset " + preset) +
           (guide.empty() ? "" : " --guide " + guide) + (throttles_root ? "" : ", plain");
  }
};

std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (const StrategyInfo& info : strategies())
    for (const char* preset : {"sketch", "paper"})
      if (info.has_presets)
        all.push_back({&info, preset});
      else if (all.empty() || all.back().info != &info)
        all.push_back({&info, ""});
  const auto named = [&](std::string_view name) {
    return std::ranges::find_if(all, [&](const Entry& entry) { return entry.info->name == name; });
  };
  if (const auto tree = named("attempt-tree"); tree != all.end())
    all.insert(tree + 1, {tree->info, "", false});
  if (const auto walk = named("graph-walk"); walk != all.end())
    all.insert(walk + 1, {{walk->info, "", true, "weights"}, {walk->info, "", true, "llm"}});
  return all;
}

StrategyOptions options_of(const Entry& entry, const TechniqueWorld& world, std::uint64_t seed,
                           std::size_t most) {
  StrategyOptions options = options_in(world, seed);
  options.preset = entry.preset;
  options.throttles_root = entry.throttles_root;
  options.guide = entry.guide;
  // A strategy that works in rounds makes one attempt in each; staged keeps its published depth.
  if (entry.info->name != "staged") options.rounds = static_cast<int>(most);
  options.writes = static_cast<int>(most);
  options.tuning_points = most;
  return options;
}

void add_world(const Entry& entry, std::uint64_t seed, double worlds, Line& line) {
  WorldOptions world_options;
  world_options.seed = seed;
  const TechniqueWorld world(world_options);
  const StrategyOptions options = options_of(entry, world, seed, kMost);
  const auto strategy =
      entry.info->make(entry.info->is_writing ? std::vector<Idea>() : world.ideas(), options);
  const Play played = play(*strategy, world, {kMost, 1}, seed);
  const double best = world.best_speedup();
  for (std::size_t i = 0; i < std::size(kBudgets); ++i) {
    const std::size_t at = std::min(kBudgets[i], played.best_after.size());
    const double reached = at == 0 ? 0 : played.best_after[at - 1];
    // Without a correct kernel the best is the plain kernel, which has a speedup of 1.
    line.regret[i].push_back(std::log(best / std::max(1.0, reached)));
  }
  if (played.best >= 0.95 * best) line.reached += 1 / worlds;
}

/// Runs searches one after the other until they made 10,000 attempts in total, since some
/// strategies end by themselves.
void print_time(const Entry& entry) {
  constexpr std::size_t kMany = 10'000;
  constexpr std::size_t kLate = 100;
  double spent_ns = 0;
  double late_ns = 0;
  std::size_t told = 0;
  std::size_t longest = 0;
  for (std::uint64_t seed = 1; told < kMany; ++seed) {
    WorldOptions world_options;
    world_options.seed = seed;
    const TechniqueWorld world(world_options);
    StrategyOptions options = options_of(entry, world, seed, kMany);
    options.tuning_points = StrategyOptions().tuning_points;
    const auto strategy =
        entry.info->make(entry.info->is_writing ? std::vector<Idea>() : world.ideas(), options);
    Stopwatch watched(*strategy);
    play(watched, world, {kMany - told, 1}, seed);
    if (watched.told() == 0) break;
    spent_ns += watched.mean_ns(0) * static_cast<double>(watched.told());
    told += watched.told();
    if (watched.told() <= longest) continue;
    longest = watched.told();
    late_ns = watched.mean_ns(longest - std::min(kLate, longest));
  }
  std::printf("%s\t%zu\t%.0f\t%.0f\n", entry.name().c_str(), longest,
              told > 0 ? spent_ns / static_cast<double>(told) : 0, late_ns);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench-strategies SEEDS [STRATEGY...] | time [STRATEGY...]\n");
    return 2;
  }
  const bool is_timing = std::string(argv[1]) == "time";
  const auto worlds = static_cast<std::uint64_t>(std::atoll(argv[1]));
  if (!is_timing) {
    std::printf("| strategy | 10 | 20 | 50 | 100 | 200 | less `refine` at 100 | within 5 %% |\n");
    std::printf("|---|---|---|---|---|---|---|---|\n");
  }
  std::map<std::string, Line> lines;
  const auto line_of = [&](const Entry& entry) -> Line& {
    Line& line = lines[entry.name()];
    if (line.regret[0].empty())
      for (std::uint64_t seed = 1; seed <= worlds; ++seed)
        add_world(entry, seed, static_cast<double>(worlds), line);
    return line;
  };
  const std::vector<Entry> all = entries();
  const auto refine =
      std::ranges::find_if(all, [](const Entry& e) { return e.name() == "refine"; });
  for (const Entry& entry : all) {
    if (argc > 2 &&
        std::none_of(argv + 2, argv + argc, [&](const char* a) { return entry.info->name == a; }))
      continue;
    if (is_timing) {
      if (entry.throttles_root) print_time(entry);
      continue;
    }
    const Line& line = line_of(entry);
    std::printf("| `%s` |", entry.name().c_str());
    for (const auto& regret : line.regret) std::printf(" %.2f |", mean(regret));
    std::printf(" %s | %.0f %% |\n", paired(line.regret[3], line_of(*refine).regret[3]).c_str(),
                100 * line.reached);
    std::fflush(stdout);
  }
  if (const auto tree = lines.find("attempt-tree"); tree != lines.end())
    for (std::size_t i = 0; i < std::size(kBudgets); ++i)
      std::printf("%s%zu attempts: %s", i == 0 ? "\nthrottled less plain after " : ", ",
                  kBudgets[i],
                  paired(tree->second.regret[i], lines["attempt-tree, plain"].regret[i]).c_str());
  return 0;
}
