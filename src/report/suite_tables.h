// Writes the results of a suite: tables as Markdown, searches as CSV, or everything as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "report/suite_data.h"

namespace kw::report {

/// The metrics and the further tables that the suite's spec asks for, as Markdown with columns
/// aligned for a terminal. Settings that all methods share are written once above a table.
std::string suite_markdown(const SuiteResult& result);
/// The results as CSV, one line for each search.
std::string suite_csv(const SuiteResult& result);
std::string suite_json(const SuiteResult& result);

/// The document with `tables` in place of the text between the suite's two marks, "<!-- suite NAME
/// -->" and "<!-- end of suite NAME -->". Error: the document lacks a mark.
Result<std::string> put_tables(const std::string& document, const std::string& suite,
                               const std::string& tables);

}  // namespace kw::report
