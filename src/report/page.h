// Writes a run as one HTML file that loads nothing else and is readable without its script.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// Limits that keep the page of a long run small. The page says what was left out, and which
/// command shows it.
struct PageLimits {
  std::size_t lines = 1000;  ///< Attempts listed: every new best, then the latest.
  std::size_t dots = 1500;   ///< Attempts in the progress plot: every new best, every k-th other.
  std::size_t detail_bytes = 1 << 20;   ///< Size of all attempts' details; new bests come first.
  std::size_t source_bytes = 48 << 10;  ///< Size of one source; a longer source is cut.
};

struct Page {
  std::string html;
  int listed = 0;    ///< Attempts in the list.
  int detailed = 0;  ///< Attempts in the list that unfold to verdict, findings and source.
};

/// Makes the page of a run. `files` are the files of web/ by name ("report.html"), embedded or
/// overridden by the user; an error names the file and line that are wrong. Reads the lines of all
/// attempts twice, and each attempt with details once. With the default limits the page has at most
/// a few MB, whatever the run contains.
Result<Page> make_page(const store::RunStore& store, const RunData& data,
                       const std::map<std::string, std::string>& files, PageLimits limits = {});

}  // namespace kw::report
