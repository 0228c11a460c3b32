// The rows of the list of options of single strategies.
// SPDX-License-Identifier: Apache-2.0
#include "search/method_option.h"

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "search/strategy.h"

namespace kw::search {
namespace {

constexpr std::array<std::string_view, 2> kPresets{"sketch", "paper"};
constexpr std::array<std::string_view, 3> kGuides{"random", "llm", "weights"};
constexpr std::int64_t kMostAskedRounds = 10'000;

constexpr std::array kOptions{
    MethodOption{
        .flag = "--preset",
        .help = "sketch or paper, of strategies that exist in both forms (docs/strategies.md)",
        .values = kPresets,
        .has_effect = [](const StrategyInfo& s) { return s.has_presets; },
        .why_idle =
            [](const StrategyInfo&) {
              return ", which has none; " +
                     strategies_where([](const StrategyInfo& s) { return s.has_presets; }) + " do";
            },
        .keep = [](MethodOptions& o, const OptionValue& v) { o.preset = v.text; },
        .is_for_writing = true},
    MethodOption{
        .flag = "--judge",
        .help = "With coder-judge, who judges: rules, learned, or a model as --model names it; "
                "default: the model that writes",
        .has_effect =
            [](const StrategyInfo& s) { return contains(s.roles, std::string_view("judge")); },
        .why_idle =
            [](const StrategyInfo& s) {
              return std::string(", which has no judge of its own; coder-judge has") +
                     (s.is_writing && s.has_parents
                          ? ", and --model judge=NAME reads the findings for the model that writes"
                          : "");
            },
        .keep =
            [](MethodOptions& o, const OptionValue& v) {
              o.judges_by_rules = v.text == "rules";
              o.judges_learned = v.text == "learned";
            },
        .is_for_writing = true},
    MethodOption{
        .flag = "--guide",
        .help = "With graph-walk, what chooses each step: random, llm (a model) or weights",
        .values = kGuides,
        .has_effect = [](const StrategyInfo& s) { return s.name == "graph-walk"; },
        .why_idle =
            [](const StrategyInfo&) { return std::string("; only graph-walk has a guide"); },
        .keep = [](MethodOptions& o, const OptionValue& v) { o.guide = v.text; },
        .is_for_writing = true},
    MethodOption{
        .flag = "--freeze-graph",
        .help = "With graph-walk and graph-search: leave the workspace's graph of techniques "
                "unchanged",
        .kind = OptionKind::Switch,
        .has_effect = [](const StrategyInfo& s) { return s.has_graph; },
        .why_idle =
            [](const StrategyInfo&) {
              return ", which walks no graph; " +
                     strategies_where([](const StrategyInfo& s) { return s.has_graph; }) + " do";
            },
        .keep = [](MethodOptions& o, const OptionValue& v) { o.freezes_graph = v.is_on; }},
    MethodOption{.flag = "--rounds",
                 .help = "Rounds of strategies that end by themselves; default 10",
                 .kind = OptionKind::Number,
                 .least = 1,
                 .most = kMostAskedRounds,
                 .has_effect = [](const StrategyInfo& s) { return s.has_rounds; },
                 .why_idle =
                     [](const StrategyInfo&) {
                       return "; it has one with " +
                              strategies_where([](const StrategyInfo& s) { return s.has_rounds; });
                     },
                 .keep = [](MethodOptions& o,
                            const OptionValue& v) { o.rounds = static_cast<int>(v.number); },
                 .is_for_writing = true},
    MethodOption{
        .flag = "--repairs",
        .help = "With refine and agent: how often a failed kernel is sent back before another is "
                "tried",
        .kind = OptionKind::Number,
        .usual = RepairOptions{}.repairs,
        .most = kMostRepairs,
        .has_effect = [](const StrategyInfo& s) { return s.has_repairs; },
        .why_idle = [](const StrategyInfo&) { return std::string(); },
        .keep = [](MethodOptions& o,
                   const OptionValue& v) { o.repairs = static_cast<int>(v.number); }},
};

}  // namespace

std::span<const MethodOption> method_options() { return kOptions; }

}  // namespace kw::search
