// Writes a suite: its tables as Markdown, its cells as CSV, or all of it as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "report/suite_data.h"

namespace kw::report {

/// The metrics and the further tables that the spec asks for. A condition that all rows share
/// stands once above the table. The columns are aligned for a terminal.
std::string suite_markdown(const SuiteResult& result);
/// One line for each cell.
std::string suite_csv(const SuiteResult& result);
std::string suite_json(const SuiteResult& result);

/// The document with `tables` in place of what stood between the suite's marks, which are
/// "<!-- suite NAME -->" and "<!-- end of suite NAME -->". Error: the document lacks a mark.
Result<std::string> put_tables(const std::string& document, const std::string& suite,
                               const std::string& tables);

}  // namespace kw::report
