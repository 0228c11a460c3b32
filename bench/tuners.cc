// bench-tuners: how many evaluations every tuner needs on recorded and synthetic tuning spaces.
// SPDX-License-Identifier: Apache-2.0
//
// bench-tuners SEEDS LANDSCAPE.json... prints a line for each run: terrain, tuner, seed, asks
// until within 2 % of the best (0: never), asks in all, sum of fidelities, nanoseconds of the
// slowest plan. bench-tuners table FILE prints those lines as a Markdown table.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "search/terrain_for_test.h"

namespace {

using namespace kw;
using namespace kw::search;

/// Passes calls on to a tuner, and records the longest time between a tell() and the next ask().
class Stopwatch final : public Strategy {
 public:
  explicit Stopwatch(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}

  std::optional<Ask> ask() override {
    const double start = cpu_ns();
    auto ask = inner_->ask();
    longest_ns_ = std::max(longest_ns_, spent_in_tell_ns_ + cpu_ns() - start);
    return ask;
  }
  void tell(const Tell& tell) override {
    const double start = cpu_ns();
    inner_->tell(tell);
    spent_in_tell_ns_ = cpu_ns() - start;
  }
  bool finished() const override { return inner_->finished(); }
  std::string describe() const override { return inner_->describe(); }

  double longest_ns() const { return longest_ns_; }

 private:
  // Measures processor time, because other programs on the machine must not count.
  static double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
  }

  std::unique_ptr<Strategy> inner_;
  double spent_in_tell_ns_ = 0;
  double longest_ns_ = 0;
};

constexpr std::size_t kMostAsks = 200;

struct Line {
  std::string terrain;
  std::string tuner;
  std::uint64_t seed = 0;
  std::size_t reached = 0;  // 0: the tuner never came within 2 % of the best
  std::size_t asked = 0;
  double spent = 0;
  double slowest_ns = 0;
};

Line try_once(const TunerInfo& info, const Terrain& terrain, std::uint64_t seed) {
  const Seed root = Seed::from_number(seed);
  StrategyOptions options;
  options.seed = root.child("tuner");
  options.tuning_points = kMostAsks;
  Stopwatch tuner(info.make(job_on(terrain, options.seed), options));
  TunerRunOptions run_options;
  run_options.noise = root.child("noise");
  run_options.most = kMostAsks;
  run_options.stops_when_reached = true;
  const TunerRun run = run_tuner(tuner, terrain, run_options);
  return {terrain.name, std::string(info.name), seed, run.reached.value_or(0), run.asked,
          run.spent,    tuner.longest_ns()};
}

/// A table cell with the 0.5 and 0.9 quantiles of the number of asks; a dash if too many seeds
/// never came within 2 % of the best.
std::string cell(std::vector<std::size_t> reached) {
  std::sort(reached.begin(), reached.end());
  const auto quantile = [&](double q) {
    const std::size_t at = std::min(
        reached.size() - 1, static_cast<std::size_t>(q * static_cast<double>(reached.size())));
    return reached[at] > kMostAsks ? std::string("–") : std::to_string(reached[at]);
  };
  return quantile(0.5) + " / " + quantile(0.9);
}

void print_table(const std::vector<Line>& lines) {
  std::vector<std::string> terrains;
  std::vector<std::string> tuners;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> reached;
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Line& line : lines) {
    note(terrains, line.terrain);
    note(tuners, line.tuner);
    const std::size_t asks = line.reached > 0 ? line.reached : kMostAsks + 1;
    reached[{line.terrain, line.tuner}].push_back(asks);
    reached[{"all", line.tuner}].push_back(asks);
  }
  terrains.emplace_back("all");
  std::string text = "| landscape |";
  std::string rule = "|---|";
  for (const std::string& tuner : tuners) text += " " + tuner + " |", rule += "---|";
  std::printf("%s\n%s\n", text.c_str(), rule.c_str());
  for (const std::string& terrain : terrains) {
    text = "| " + terrain + " |";
    for (const std::string& tuner : tuners) text += " " + cell(reached[{terrain, tuner}]) + " |";
    std::printf("%s\n", text.c_str());
  }
}

int tabulate(const char* path) {
  std::ifstream in(path);
  std::vector<Line> lines;
  for (Line l;
       in >> l.terrain >> l.tuner >> l.seed >> l.reached >> l.asked >> l.spent >> l.slowest_ns;)
    lines.push_back(l);
  if (lines.empty()) return 3;
  print_table(lines);
  return 0;
}

void run_all(const Terrain& terrain, std::uint64_t seed) {
  for (const TunerInfo& info : tuners()) {
    const Line l = try_once(info, terrain, seed);
    std::printf("%s\t%s\t%llu\t%zu\t%zu\t%.2f\t%.0f\n", l.terrain.c_str(), l.tuner.c_str(),
                static_cast<unsigned long long>(l.seed), l.reached, l.asked, l.spent, l.slowest_ns);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench-tuners SEEDS LANDSCAPE.json... | table FILE\n");
    return 2;
  }
  if (std::string_view(argv[1]) == "table" && argc == 3) return tabulate(argv[2]);
  const auto seeds = static_cast<std::uint64_t>(std::atoll(argv[1]));
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    const auto terrain = parse_terrain(std::string{std::istreambuf_iterator<char>(in), {}});
    if (!terrain) {
      std::fprintf(stderr, "bench-tuners: %s: %s\n", argv[i], describe(terrain.error()).c_str());
      return 3;
    }
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) run_all(*terrain, seed);
  }
  for (const std::string& family : terrain_families())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      run_all(make_terrain(family, Seed::from_number(seed)), seed);
}
