// A run as one HTML file that needs nothing else: no script, no network, light and dark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// What keeps the page of a long run small. Whatever is left out is named in the page, with the
/// command that shows it.
struct PageLimits {
  std::size_t lines = 1000;             ///< Attempts with a line: every new best, then the latest.
  std::size_t dots = 1500;              ///< Attempts in the plot: every new best, every k-th other.
  std::size_t detail_bytes = 1 << 20;   ///< Of all attempts' details: new bests first, then others.
  std::size_t source_bytes = 48 << 10;  ///< Of one source.
};

struct Page {
  std::string html;
  int listed = 0;    ///< Attempts with a line.
  int detailed = 0;  ///< Of these, attempts with verdict, findings and source or its changes.
};

/// `files` are those of web/ by name ("report.html"), embedded or overridden; an error names what
/// is wrong with one. Reads the lines of all attempts twice, and what it shows in full once. With
/// the usual limits at most about 3 MB, whatever the run holds.
Result<Page> make_page(const store::RunStore& store, const RunData& data,
                       const std::map<std::string, std::string>& files, PageLimits limits = {});

}  // namespace kw::report
