// The columns of tables of workloads.
// SPDX-License-Identifier: Apache-2.0
#include "report/workload_table.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "record/codec.h"
#include "record/interval.h"
#include "report/page_parts.h"

namespace kw::report {
namespace {

using Shape = const WorkloadResult&;

// Texts of cells; empty: there is no figure.

std::string time_text(Shape w) { return w.median_ns > 0 ? format_ns(w.median_ns) : ""; }
std::string any_time_text(Shape w) { return format_ns(w.median_ns); }
std::string other_time_text(Shape w) { return format_ns(w.opponent_ns); }
std::string retimed_text(Shape w) {
  if (w.retimed.empty()) return "";
  const Retimed& again = w.retimed.front();
  return fmt::format("({} by the referee's clock{})", format_ns(again.call_ns),
                     again.is_paced ? ", with pauses" : "");
}
std::string any_speedup_text(Shape w) { return fmt::format("{:.3f}x", w.speedup.value); }
std::string speedup_text(Shape w) { return w.speedup.value > 0 ? any_speedup_text(w) : ""; }
std::string speedup_range_text(Shape w) {
  return w.speedup.value > 0 ? any_speedup_text(w) + in_brackets(range_text(w.speedup)) : "";
}
std::string any_items_text(Shape w) { return format_si(w.items_per_s, "items/s"); }
std::string items_text(Shape w) { return w.items_per_s > 0 ? any_items_text(w) : ""; }
std::string any_bytes_text(Shape w) { return format_si(w.bytes_per_s, "B/s"); }
std::string bytes_text(Shape w) { return w.bytes_per_s > 0 ? any_bytes_text(w) : ""; }
std::string flops_text(Shape w) {
  return w.flops_per_s > 0 ? format_si(w.flops_per_s, "flop/s") : "";
}
std::string roof_text(Shape w) { return w.roofline.fraction > 0 ? fraction_text(w.roofline) : ""; }
std::string bound_roof_text(Shape w) {
  return w.roofline.fraction > 0
             ? fmt::format("{} of {} roof", fraction_text(w.roofline), name_of(w.roofline.bound))
             : "";
}
std::string the_bound_roof_text(Shape w) {
  return w.roofline.fraction > 0 ? fmt::format("{} of the {} roof", fraction_text(w.roofline),
                                               name_of(w.roofline.bound))
                                 : "";
}
std::string plain_roof_text(Shape w) { return fmt::format("{:.2f} of roof", w.roofline.fraction); }
std::string accuracy_text(Shape w) {
  const bool is_compared = w.outcome == Outcome::Correct || w.outcome == Outcome::WrongResult;
  if (w.group == Group::Time || !is_compared) return "";
  return fmt::format("error {:.1e} relative L2, largest {:.1e}", w.accuracy.rel_l2,
                     w.accuracy.max_abs_diff);
}
std::string note_text(Shape w) { return w.note; }
std::string sample_count(Shape w) { return std::to_string(w.samples.size()); }
std::string samples_text(Shape w) { return w.samples.empty() ? "" : sample_count(w); }
std::string group_text(Shape w) { return std::string(name_of(w.group)); }
std::string outcome_text(Shape w) { return std::string(name_of(w.outcome)); }
std::string name_text(Shape w) { return w.name; }

// A cell of a table for people.
struct Cell {
  const char* layout;  // of the text, with what separates it from the cell before
  std::string (*text)(Shape);
  bool may_be_empty = true;  // the cell is left out if its text is empty
};

constexpr Cell kJudgement[] = {
    {"  {:<6}", group_text},   {" {:<18}", name_text, false}, {" {:<14}", outcome_text},
    {" {:>9}", time_text},     {" {}", retimed_text},         {"  {:>7}", speedup_text},
    {"  {}", items_text},      {"  {}", bytes_text},          {"  {}", flops_text},
    {"  {}", bound_roof_text}, {"  {}", accuracy_text},       {"  {}", note_text}};
constexpr Cell kAttempt[] = {{"  {:<18}", name_text, false}, {" {:<12}", outcome_text},
                             {" {:>9}", time_text},          {"  {}", speedup_range_text},
                             {", {} samples", samples_text}, {", {}", the_bound_roof_text}};
constexpr Cell kRun[] = {{"  {:<20}", name_text, false},       {" {:>9}", any_time_text},
                         {"  against {:>9}", other_time_text}, {"  {:>7}", any_speedup_text},
                         {"  {:>12}", any_items_text},         {"  {:>10}", any_bytes_text},
                         {"  {} of roof", roof_text},          {"  {} pairs", sample_count}};
constexpr Cell kTargets[] = {{"  {:<20}", name_text, false},
                             {" {:>9}", any_time_text},
                             {"  {:>12}", any_items_text},
                             {"  {:>10}", any_bytes_text},
                             {"  {}", plain_roof_text}};
constexpr Cell kSweep[] = {{"{:>9}", any_time_text},
                           {"  {:>12}", any_items_text},
                           {"  {:>8}", speedup_text, false},
                           {"  {} samples", sample_count}};

std::span<const Cell> cells_of(WorkloadTable table) {
  switch (table) {
    case WorkloadTable::Judgement:
      return kJudgement;
    case WorkloadTable::Attempt:
      return kAttempt;
    case WorkloadTable::Run:
      return kRun;
    case WorkloadTable::Targets:
      return kTargets;
    case WorkloadTable::Sweep:
      return kSweep;
  }
  return {};
}

// Figures for programs: a key, the figure, and how CSV writes it.
struct Measured {
  const WorkloadResult& w;
  double against_baseline;
};
struct Figure {
  const char* key;
  Json (*value)(const Measured&);
  const char* csv;  // null: the text itself, quoted where needed
};

Json samples_of(const Measured& r) { return r.w.samples.size(); }

constexpr Figure kName{"name", [](const Measured& r) -> Json { return r.w.name; }, nullptr};
constexpr Figure kTime{"median_ns", [](const Measured& r) -> Json { return r.w.median_ns; },
                       "{:.1f}"};
constexpr Figure kOpponentTime{"opponent_ns",
                               [](const Measured& r) -> Json { return r.w.opponent_ns; }, "{:.1f}"};
constexpr Figure kBaselineTime{"baseline_ns", kOpponentTime.value, kOpponentTime.csv};
constexpr Figure kSpeedup{"speedup", [](const Measured& r) -> Json { return r.w.speedup.value; },
                          "{:.5f}"};
constexpr Figure kSpeedupLow{"speedup_low",
                             [](const Measured& r) -> Json { return r.w.speedup.low; }, "{:.5f}"};
constexpr Figure kSpeedupHigh{"speedup_high",
                              [](const Measured& r) -> Json { return r.w.speedup.high; }, "{:.5f}"};
constexpr Figure kSpeedupRecord{
    "speedup", [](const Measured& r) -> Json { return encode_json(r.w.speedup); }, nullptr};
constexpr Figure kAgainstBaseline{
    "against_baseline", [](const Measured& r) -> Json { return r.against_baseline; }, "{:.5f}"};
constexpr Figure kItems{"items_per_s", [](const Measured& r) -> Json { return r.w.items_per_s; },
                        "{:.6g}"};
constexpr Figure kBytes{"bytes_per_s", [](const Measured& r) -> Json { return r.w.bytes_per_s; },
                        "{:.6g}"};
constexpr Figure kFlops{"flops_per_s", [](const Measured& r) -> Json { return r.w.flops_per_s; },
                        "{:.6g}"};
constexpr Figure kIntensity{"arithmetic_intensity",
                            [](const Measured& r) -> Json { return r.w.arithmetic_intensity; },
                            "{:.5g}"};
constexpr Figure kRoof{"roofline_fraction",
                       [](const Measured& r) -> Json { return r.w.roofline.fraction; }, "{:.4f}"};
constexpr Figure kRelL2{"rel_l2", [](const Measured& r) -> Json { return r.w.accuracy.rel_l2; },
                        "{:.3e}"};
constexpr Figure kMaxDiff{
    "max_abs_diff", [](const Measured& r) -> Json { return r.w.accuracy.max_abs_diff; }, "{:.3e}"};
constexpr Figure kSamples{"samples", samples_of, "{}"};

constexpr Figure kRunCsv[] = {{"workload", kName.value, nullptr},
                              kTime,
                              kOpponentTime,
                              kSpeedup,
                              kSpeedupLow,
                              kSpeedupHigh,
                              kAgainstBaseline,
                              kItems,
                              kBytes,
                              kFlops,
                              kIntensity,
                              kRoof,
                              kRelL2,
                              kMaxDiff,
                              kSamples};
constexpr Figure kSweepCsv[] = {kTime,  kBaselineTime, kSpeedup, kSpeedupLow, kSpeedupHigh,
                                kItems, kBytes,        kFlops,   kRoof,       kSamples};

constexpr Figure kJudgementJson[] = {
    kName,
    {"group", [](const Measured& r) -> Json { return name_of(r.w.group); }, nullptr},
    {"outcome", [](const Measured& r) -> Json { return name_of(r.w.outcome); }, nullptr},
    {"note", [](const Measured& r) -> Json { return r.w.note; }, nullptr},
    kTime,
    kBaselineTime,
    kSamples,
    kSpeedupRecord,
    kItems,
    kFlops,
    kBytes,
    kIntensity,
    kRoof,
    {"matrix_fraction", [](const Measured& r) -> Json { return r.w.roofline.matrix_fraction; },
     nullptr},
    {"bound", [](const Measured& r) -> Json { return name_of(r.w.roofline.bound); }, nullptr},
    {"advice", [](const Measured& r) -> Json { return r.w.roofline.advice; }, nullptr},
    {"checksum_diff", [](const Measured& r) -> Json { return r.w.accuracy.checksum_diff; },
     nullptr},
    kMaxDiff,
    kRelL2,
    {"gate_fraction", [](const Measured& r) -> Json { return r.w.accuracy.gate_fraction; },
     nullptr},
    {"checked_share", [](const Measured& r) -> Json { return r.w.checked_share; }, nullptr},
    {"miss_probability", [](const Measured& r) -> Json { return r.w.miss_probability; }, nullptr},
    {"calls_per_sample", [](const Measured& r) -> Json { return r.w.calls_per_sample; }, nullptr},
    {"opponent_calls_per_sample",
     [](const Measured& r) -> Json { return r.w.opponent_calls_per_sample; }, nullptr},
    {"life_calls", [](const Measured& r) -> Json { return r.w.life_calls; }, nullptr},
    {"life_checked", [](const Measured& r) -> Json { return r.w.life_checked; }, nullptr},
    {"is_nondeterministic", [](const Measured& r) -> Json { return r.w.is_nondeterministic; },
     nullptr}};
constexpr Figure kTargetsJson[] = {kName, kTime, kItems, kBytes, kFlops, kRoof, kSamples};
constexpr Figure kSweepJson[] = {kTime, kBaselineTime, kSpeedup, kItems, kSamples};

std::span<const Figure> figures_of(WorkloadCsv table) {
  if (table == WorkloadCsv::Run) return kRunCsv;
  return kSweepCsv;
}

std::span<const Figure> figures_of(WorkloadJson table) {
  switch (table) {
    case WorkloadJson::Judgement:
      return kJudgementJson;
    case WorkloadJson::Targets:
      return kTargetsJson;
    case WorkloadJson::Sweep:
      return kSweepJson;
  }
  return {};
}

std::string csv_text(const Figure& figure, const Measured& row) {
  const Json value = figure.value(row);
  if (figure.csv == nullptr) return csv_field(value.get<std::string>());
  if (!value.is_number_float()) return value.dump();
  return fmt::format(fmt::runtime(figure.csv), value.get<double>());
}

// Adds the lists that only some workloads of a GPU have.
template <class Record>
void add_list(Json& object, const char* key, const std::vector<Record>& records) {
  for (const Record& record : records) object[key].push_back(encode_json(record));
}

std::string rate_text(Shape w) {
  if (w.roofline.bound == Bound::Compute && w.flops_per_s > 0) return flops_text(w);
  if (w.bytes_per_s > 0) return bytes_text(w);
  return w.items_per_s > 0 ? items_text(w) : "–";
}

}  // namespace

std::string workload_line(WorkloadTable table, const WorkloadResult& w) {
  std::string line;
  for (const Cell& cell : cells_of(table)) {
    const std::string text = cell.text(w);
    if (!text.empty() || !cell.may_be_empty) line += fmt::format(fmt::runtime(cell.layout), text);
  }
  return line;
}

std::string workload_csv_header(WorkloadCsv table) {
  std::vector<std::string> keys;
  for (const Figure& figure : figures_of(table)) keys.emplace_back(figure.key);
  return join(keys, ",");
}

std::string workload_csv(WorkloadCsv table, const WorkloadResult& w, double against_baseline) {
  std::vector<std::string> fields;
  for (const Figure& figure : figures_of(table))
    fields.push_back(csv_text(figure, {w, against_baseline}));
  return join(fields, ",");
}

std::string workload_csv_blank(WorkloadCsv table) {
  // A run counts samples even where there are none; a point of a sweep leaves every field empty.
  return std::string(figures_of(table).size() - 1, ',') + (table == WorkloadCsv::Run ? "0" : "");
}

Json workload_json(WorkloadJson table, const WorkloadResult& w) {
  Json object;
  for (const Figure& figure : figures_of(table)) object[figure.key] = figure.value({w, 0});
  if (table != WorkloadJson::Judgement) return object;
  add_list(object, "host_launches", w.host_launches);
  add_list(object, "retimed", w.retimed);
  add_list(object, "sustained", w.sustained);
  return object;
}

std::vector<WorkloadCell> page_cells(const WorkloadResult& w) {
  const bool is_timed = w.median_ns > 0;
  const bool is_paired = is_timed && w.speedup.value > 0;
  const std::string untimed(w.outcome == Outcome::Correct ? "not timed" : name_of(w.outcome));
  return {{"name", short_text(w.name)},
          {"time", is_timed ? time_text(w) : untimed},
          {"other_time", w.opponent_ns > 0 ? other_time_text(w) : "–"},
          {"speedup", times(is_paired ? w.speedup.value : 0)},
          {"interval", is_paired ? range_text(w.speedup) : ""},
          {"rate", rate_text(w)},
          {"roof", w.roofline.fraction > 0 ? roof_text(w) : "–"},
          {"bound", std::string(name_of(w.roofline.bound))},
          {"pairs", sample_count(w)}};
}

std::vector<WorkloadCell> page_check_cells(const WorkloadResult& w) {
  return {{"name", short_text(w.name)},
          {"outcome", outcome_text(w)},
          {"gate", fmt::format("{:.2f}", w.accuracy.gate_fraction)},
          {"rel_l2", fmt::format("{:.1e}", w.accuracy.rel_l2)},
          {"max_abs", fmt::format("{:.1e}", w.accuracy.max_abs_diff)},
          {"note", short_text(w.note)}};
}

std::string comparison_line(const ShapeComparison& shape) {
  return fmt::format("  {:<20} {:>9} against {:>9}  {}", shape.name, format_ns(shape.median_ns),
                     format_ns(shape.other_ns), shape.ratio ? ratio_text(*shape.ratio) : "");
}

Json comparison_json(const ShapeComparison& shape) {
  return {{"name", shape.name},
          {"median_ns", shape.median_ns},
          {"first_ns", shape.other_ns},
          {"speedup", shape.ratio ? encode_json(*shape.ratio) : Json()}};
}

}  // namespace kw::report
