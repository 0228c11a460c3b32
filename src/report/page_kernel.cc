// Writes the section of a page about the best kernel: its source, the changes against the baseline,
// and its findings.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "report/page_attempts.h"
#include "report/page_code.h"
#include "report/page_parts.h"

namespace kw::report {
namespace {

constexpr std::size_t kMostDiffLines = 500;
constexpr std::size_t kOpenLines = 80;  // longer texts are folded, so that the page stays in sight

PageFields source_fields(const RunData& data, const std::string& source, const PageLimits& limits) {
  const std::size_t lines = split_lines(source).size();
  const bool is_cut = source.size() > limits.source_bytes;
  return {{"name",
           {short_text(fmt::format("attempt {}, {}", data.best->number,
                                   shown_name(data.best->candidate.name)))}},
          {"size",
           {fmt::format("{} line{}{}", lines, lines == 1 ? "" : "s",
                        is_cut ? ", cut here: the whole file lies in best/" : "")}},
          {"is_open", {lines <= kOpenLines}},
          {"code_lines", {source_items(sanitise(source, limits.source_bytes))}}};
}

/// The sentence that replaces the diff if the baseline's source is not available.
std::string why_no_diff(const RunData& data) {
  const std::string baseline = data.baseline.empty() ? "the baseline" : data.baseline;
  return short_text(fmt::format("The source of {} is not shown beside it: {}.", baseline,
                                data.no_baseline_source.empty()
                                    ? std::string_view("it is not at hand")
                                    : std::string_view(data.no_baseline_source)));
}

}  // namespace

void set_kernel(PageFields& f, const RunData& data, const PageLimits& limits) {
  PageList kernel, against, notes;
  if (data.best) {
    const std::string& source =
        data.best_source.empty() ? data.best->candidate.source : data.best_source;
    kernel.push_back(source_fields(data, source, limits));
    if (data.baseline_source.empty()) {
      notes = optional_text(why_no_diff(data));
    } else {
      SourceDiff diff = source_diff(sanitise(data.baseline_source, limits.source_bytes),
                                    sanitise(source, limits.source_bytes), kMostDiffLines);
      const std::string title = short_text("Changes against the baseline " + data.baseline);
      if (diff.lines.empty())
        notes = optional_text(title + ": " + diff.words + ".");
      else
        against.push_back({{"name", {title}},
                           {"size", {diff.words}},
                           {"is_open", {diff.lines.size() <= kOpenLines}},
                           {"lines", {std::move(diff.lines)}}});
    }
  }
  f["kernel"] = {std::move(kernel)};
  f["against"] = {std::move(against)};
  f["kernel_notes"] = {std::move(notes)};

  const std::size_t count = data.best ? data.best->evaluation.findings.size() : 0;
  f["has_findings"] = {count > 0};
  f["findings_summary"] = {
      fmt::format("{} finding{} about the best kernel", count, count == 1 ? "" : "s")};
  f["findings"] = {data.best ? finding_items(data.best->evaluation.findings) : PageList{}};
}

}  // namespace kw::report
