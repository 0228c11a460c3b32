// The comparison as a table.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "cli/session.h"
#include "engine/gain_model.h"

namespace kw::cli {
namespace {

/// Of every class of work, each name once: runs of all tasks are compared together.
std::vector<search::TechniqueCard> all_cards(Target target) {
  using enum search::WorkClass;
  std::vector<search::TechniqueCard> cards;
  std::set<std::string> names;
  for (const search::WorkClass work : {Matmul, Elementwise, Convolution, Other})
    for (search::TechniqueCard& card : search::technique_cards(target, work))
      if (names.insert(card.name).second) cards.push_back(std::move(card));
  return cards;
}

Json json_of(const engine::JudgeComparison& c) {
  const auto judge = [](const engine::JudgeComparison::Judge& j) {
    return Json{{"pairs", j.pairs}, {"top_gain", j.top_gain}};
  };
  Json object = {{"samples", c.samples},
                 {"runs", c.runs},
                 {"compared", c.compared},
                 {"mean_gain", c.mean_gain},
                 {"learned", judge(c.learned)},
                 {"rules", judge(c.rules)},
                 {"error", c.error},
                 {"plain_error", c.plain_error},
                 {"calibration", Json::array()}};
  for (const auto& bin : c.calibration)
    object["calibration"].push_back(
        {{"expected", bin.expected}, {"seen", bin.seen}, {"count", bin.count}});
  return object;
}

}  // namespace

Result<int> show_judges(const Global& global, Target target) {
  const auto store = KW_TRY(store::RunStore::open(global.workspace));
  const auto samples = KW_TRY(engine::gain_samples(store, target));
  const auto c = engine::compare_judges(samples, all_cards(target));
  if (global.json) {
    std::printf("%s\n", dump_json(json_of(c)).c_str());
    return kDone;
  }
  fmt::print("{} steps of models in {} runs for {}\n", c.samples, c.runs, name_of(target));
  if (c.runs < 2) {
    fmt::print("judges are compared on runs that one of them has not seen: it takes two\n");
    return kDone;
  }
  fmt::print("\n{:<10} {:>22} {:>30}\n", "judge", "pairs ordered rightly",
             "gain of the third it likes best");
  for (const auto& [name, judge] : {std::pair("learned", c.learned), {"rules", c.rules}})
    fmt::print("{:<10} {:>22.2f} {:>29.3g}x\n", name, judge.pairs, std::exp(judge.top_gain));
  fmt::print("{:<10} {:>22.2f} {:>29.3g}x\n", "by lot", 0.5, std::exp(c.mean_gain));
  fmt::print(
      "\nlearned, held out: off by {:.3f} (logarithm of the gain) on average; a plain mean "
      "by {:.3f}\n",
      c.error, c.plain_error);
  for (const auto& bin : c.calibration)
    fmt::print("  expected {:.3g}x, seen {:.3g}x in {} steps\n", std::exp(bin.expected),
               std::exp(bin.seen), bin.count);
  return kDone;
}

}  // namespace kw::cli
