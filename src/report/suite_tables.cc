// Writes Markdown tables whose cells are padded, so that they are aligned on a terminal, too.
// SPDX-License-Identifier: Apache-2.0
#include "report/suite_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/text.h"
#include "report/suite_metrics.h"

namespace kw::report {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostRounds = 12;

std::size_t width_of(std::string_view text) {
  // Every byte except the continuation bytes of UTF-8 begins a character.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A Markdown table whose first row is the header.
std::string markdown(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 3);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += "|";
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += " " + rows[r][i] + std::string(widths[i] - width_of(rows[r][i]), ' ') + " |";
    text += "\n";
    if (r > 0) continue;
    text += "|";
    for (const std::size_t width : widths) text += std::string(width + 2, '-') + "|";
    text += "\n";
  }
  return text;
}

struct Dimension {
  const char* name;
  std::string SuiteMethod::* value;
};

constexpr std::array kDimensions{
    Dimension{"strategy", &SuiteMethod::strategy}, Dimension{"preset", &SuiteMethod::preset},
    Dimension{"model", &SuiteMethod::model},       Dimension{"reward", &SuiteMethod::reward},
    Dimension{"feedback", &SuiteMethod::feedback}, Dimension{"knowledge", &SuiteMethod::knowledge},
    Dimension{"target", &SuiteMethod::target}};

/// Splits the settings of methods into those that differ, which become columns of a table, and
/// those that all methods share.
struct Columns {
  std::vector<Dimension> shown;
  std::string shared;  ///< Settings that all methods share: "model m, target cpu".

  explicit Columns(const std::vector<SuiteMethod>& methods) {
    for (const Dimension& d : kDimensions) {
      const bool differs = std::ranges::any_of(
          methods, [&](const SuiteMethod& m) { return m.*d.value != methods.front().*d.value; });
      if (differs || d.value == &SuiteMethod::strategy) {
        shown.push_back(d);
      } else if (const std::string& value = methods.front().*d.value; !value.empty()) {
        shared += fmt::format("{}{} {}", shared.empty() ? "" : ", ", d.name, value);
      }
    }
  }

  Row head() const {
    Row row;
    for (const Dimension& d : shown) row.emplace_back(d.name);
    return row;
  }
  Row of(const SuiteMethod& method) const {
    Row row;
    for (const Dimension& d : shown) {
      const std::string& value = method.*d.value;
      row.push_back(value.empty() ? "–" : value);
    }
    return row;
  }
};

std::string number(double value) { return fmt::format("{:.3g}", value); }

std::string text_of(const SuiteMetric& metric) {
  if (!metric.value) return "–";
  std::string text = number(*metric.value);
  if (metric.interval)
    text += fmt::format(" [{}, {}]", number(metric.interval->low), number(metric.interval->high));
  return text;
}

bool has_spending(const std::vector<SuiteRow>& rows) {
  return std::ranges::any_of(rows, [](const SuiteRow& row) { return row.spent.calls > 0; });
}

std::string metrics_table(const Columns& columns, const std::vector<SuiteRow>& rows) {
  const bool has_levels = !rows.front().level.empty();
  const bool spends = has_spending(rows);
  std::vector<Row> table;
  Row head = columns.head();
  if (has_levels) head.insert(head.begin(), "level");
  head.insert(head.end(), {"tasks", "samples"});
  for (const SuiteMetric& metric : rows.front().metrics) head.push_back(metric.name);
  if (spends) head.insert(head.end(), {"calls", "tokens", "usd"});
  table.push_back(std::move(head));
  for (const SuiteRow& row : rows) {
    if (row.samples == 0) continue;  // missing_lines() names the row
    Row line = columns.of(row.method);
    if (has_levels) line.insert(line.begin(), row.level);
    line.push_back(std::to_string(row.tasks));
    line.push_back(std::to_string(row.samples));
    for (const SuiteMetric& metric : row.metrics) line.push_back(text_of(metric));
    if (spends)
      line.insert(line.end(),
                  {std::to_string(row.spent.calls), std::to_string(row.spent.tokens),
                   row.spent.unpriced > 0 ? "unknown" : fmt::format("{:.2f}", row.spent.usd)});
    table.push_back(std::move(line));
  }
  return markdown(table);
}

/// Lines that list the methods without a result, grouped by reason.
std::string missing_lines(const Columns& columns, const std::vector<SuiteRow>& rows) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const SuiteRow& row : rows) {
    if (row.missing == 0) continue;
    auto found =
        std::ranges::find_if(groups, [&](const auto& group) { return group.first == row.trouble; });
    if (found == groups.end()) found = groups.insert(groups.end(), {row.trouble, ""});
    found->second +=
        fmt::format("{}{} ({} run{})", found->second.empty() ? "" : "; ",
                    join(columns.of(row.method), " "), row.missing, row.missing == 1 ? "" : "s");
  }
  std::string text;
  for (const auto& [trouble, whose] : groups)
    text += fmt::format("\n- Without a result: {}. {}", whose, trouble);
  return text.empty() ? text : text + "\n";
}

std::string share(std::size_t part, std::size_t all) {
  return all == 0 ? "–"
                  : fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(all));
}

std::string rounds_table(const SuiteResult& result, const Columns& columns) {
  std::vector<Row> table;
  Row head = columns.head();
  head.insert(head.end(), {"round", "kernels", "not compiled", "failed otherwise", "correct"});
  table.push_back(std::move(head));
  for (const SuiteMethod& method : methods_of(result)) {
    std::vector<std::array<std::size_t, 3>> rounds;
    for (const SuiteCell* cell : cells_of(result, method)) {
      std::size_t round = 0;
      for (const SuiteTry& t : cell->tries) {
        if (!t.is_written || round >= kMostRounds) continue;
        if (rounds.size() <= round) rounds.push_back({});
        const std::size_t fate = t.outcome == Outcome::CompileFailed ? 0
                                 : t.outcome == Outcome::Correct     ? 2
                                                                     : 1;
        ++rounds[round++][fate];
      }
    }
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      const auto& [broken, failed, correct] = rounds[round];
      const std::size_t all = broken + failed + correct;
      Row line = columns.of(method);
      line.insert(line.end(), {std::to_string(round + 1), std::to_string(all), share(broken, all),
                               share(failed, all), share(correct, all)});
      table.push_back(std::move(line));
    }
  }
  return "Share of the kernels that were written in each round of a run:\n\n" + markdown(table);
}

std::string outcomes_table(const SuiteResult& result, const Columns& columns) {
  std::vector<Outcome> seen;
  for (const SuiteCell& cell : result.cells)
    for (const SuiteTry& t : cell.tries)
      if (!contains(seen, t.outcome)) seen.push_back(t.outcome);
  std::ranges::sort(seen);
  std::vector<Row> table{columns.head()};
  for (const Outcome outcome : seen) table[0].emplace_back(name_of(outcome));
  table[0].insert(table[0].end(), {"runs", "confirmed wins"});
  for (const SuiteMethod& method : methods_of(result)) {
    const auto cells = cells_of(result, method);
    if (cells.empty()) continue;
    Row line = columns.of(method);
    for (const Outcome outcome : seen) {
      std::ptrdiff_t count = 0;
      for (const SuiteCell* cell : cells)
        count += std::ranges::count(cell->tries, outcome, &SuiteTry::outcome);
      line.push_back(std::to_string(count));
    }
    line.push_back(std::to_string(cells.size()));
    line.push_back(std::to_string(std::ranges::count(cells, true, &SuiteCell::is_win)));
    table.push_back(std::move(line));
  }
  return "Attempts by what became of them:\n\n" + markdown(table);
}

/// A table of how requests were answered from recorded runs; empty if no search used a record.
std::string record_table(const SuiteResult& result, const Columns& columns) {
  std::vector<Row> table{columns.head()};
  table[0].insert(table[0].end(), {"in the record", "a like request", "not recorded"});
  for (const SuiteMethod& method : methods_of(result)) {
    SuiteRecord sum;
    for (const SuiteCell* cell : cells_of(result, method)) {
      const SuiteRecord here = cell->record.value_or(SuiteRecord());
      sum.same += here.same, sum.alike += here.alike, sum.none += here.none;
    }
    const std::size_t all = sum.same + sum.alike + sum.none;
    if (all == 0) continue;
    Row line = columns.of(method);
    line.insert(line.end(), {share(sum.same, all), share(sum.alike, all), share(sum.none, all)});
    table.push_back(std::move(line));
  }
  if (table.size() == 1) return {};
  return "\nShare of the asks that were answered by what is in the record, by a reply to a like "
         "request, and, not recorded, as a reply without a kernel:\n\n" +
         markdown(table);
}

/// The best speedup among the first `count` attempts; 0 if no attempt was correct.
double best_after(const SuiteCell& cell, std::size_t count) {
  double best = 0;
  for (std::size_t i = 0; i < std::min(count, cell.tries.size()); ++i)
    if (cell.tries[i].outcome == Outcome::Correct) best = std::max(best, cell.tries[i].speedup);
  return best;
}

std::string budget_table(const SuiteResult& result, const Columns& columns) {
  std::size_t most = 0;
  bool has_optimum = true;
  for (const SuiteCell& cell : result.cells) {
    most = std::max(most, cell.tries.size());
    has_optimum = has_optimum && (cell.optimum > 0 || !cell.trouble.empty());
  }
  std::vector<std::size_t> counts;
  for (const std::size_t part : {std::size_t{8}, std::size_t{4}, std::size_t{2}, std::size_t{1}})
    if (most / part > 0 && !contains(counts, most / part)) counts.push_back(most / part);
  std::vector<Row> table{columns.head()};
  for (const std::size_t count : counts) table[0].push_back(fmt::format("after {}", count));
  for (const SuiteMethod& method : methods_of(result)) {
    const auto cells = cells_of(result, method);
    if (cells.empty()) continue;
    Row line = columns.of(method);
    for (const std::size_t count : counts) {
      double sum = 0;
      for (const SuiteCell* cell : cells) {
        const double best = best_after(*cell, count);
        // A search without a gain falls back to the baseline, whose speedup is 1.
        sum += has_optimum ? std::log(cell->optimum / std::max(1.0, best))
                           : std::log(std::max(best, measure::kWorst));
      }
      const double mean = sum / static_cast<double>(cells.size());
      line.push_back(has_optimum ? fmt::format("{:.3f}", std::max(0.0, mean))
                                 : number(std::exp(mean)));
    }
    table.push_back(std::move(line));
  }
  return (has_optimum ? std::string("Regret, the mean of log(optimum / best so far), ")
                      : fmt::format("Geometric mean of the best speedup that the search had seen, "
                                    "at least {}, ",
                                    measure::kWorst)) +
         "after so many attempts:\n\n" + markdown(table);
}

std::string budget_words(const task::SuiteBudget& budget) {
  std::vector<std::string> words;
  if (budget.evaluations > 0) words.push_back(fmt::format("{} evaluations", budget.evaluations));
  if (budget.calls > 0) words.push_back(fmt::format("{} calls", budget.calls));
  if (budget.tokens > 0) words.push_back(fmt::format("{} tokens", budget.tokens));
  if (budget.usd > 0) words.push_back(fmt::format("${:g}", budget.usd));
  return join(words, ", ");
}

std::string_view sample_words(const SuiteResult& result) {
  if (result.spec.samples == task::SampleUnit::Attempt) return "a kernel that was written";
  const bool is_landscape =
      std::ranges::all_of(result.cells, [](const SuiteCell& cell) { return cell.optimum > 0; });
  return is_landscape ? "a run's winner, at its true speed" : "a run's winner, as confirmed";
}

}  // namespace

std::string suite_markdown(const SuiteResult& result) {
  if (result.cells.empty()) return "Nothing was compared.\n";
  const Columns columns(methods_of(result));
  const auto rows = suite_rows(result);
  const bool has_many = rows.front().tasks > 1;
  std::string text =
      fmt::format("Each run has {}{}{}. A sample is {}; failures count as in docs/suites.md{}.\n\n",
                  budget_words(result.spec.budget), columns.shared.empty() ? "" : "; ",
                  columns.shared, sample_words(result),
                  has_many ? "; in brackets what 95 % of bootstraps over tasks give" : "");
  text +=
      metrics_table(columns, rows) + missing_lines(columns, rows) + record_table(result, columns);
  for (const task::SuiteTable table : result.spec.tables) {
    if (table == task::SuiteTable::Levels) {
      const auto levels = level_rows(result);
      if (!levels.empty()) text += "\nBy level:\n\n" + metrics_table(columns, levels);
    } else if (table == task::SuiteTable::Rounds) {
      text += "\n" + rounds_table(result, columns);
    } else if (table == task::SuiteTable::Outcomes) {
      text += "\n" + outcomes_table(result, columns);
    } else {
      text += "\n" + budget_table(result, columns);
    }
  }
  return text;
}

Result<std::string> put_tables(const std::string& document, const std::string& suite,
                               const std::string& tables) {
  const std::string begin = fmt::format("<!-- suite {} -->\n", suite);
  const std::string end = fmt::format("<!-- end of suite {} -->\n", suite);
  const std::size_t at = document.find(begin);
  const std::size_t stop = document.find(end);
  if (at == std::string::npos || stop == std::string::npos || stop < at)
    return fail_input(
        ErrorCode::Missing, About{suite},
        fmt::format("the document has no line '{}' with '{}' below it", trim(begin), trim(end)));
  return document.substr(0, at) + begin + "\n" + tables + "\n" + document.substr(stop);
}

}  // namespace kw::report
