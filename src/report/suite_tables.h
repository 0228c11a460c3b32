// The tables of a suite as Markdown, its cells as CSV, all of it as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "report/suite_data.h"

namespace kw::report {

/// The metrics and the further tables that the spec asks for; columns in which all rows agree are
/// said once above. Reads as text on a screen, too.
std::string suite_markdown(const SuiteResult& result);
/// A line for each cell.
std::string suite_csv(const SuiteResult& result);
std::string suite_json(const SuiteResult& result);

/// `document` with `tables` between the marks of that suite, "<!-- suite NAME -->" and
/// "<!-- end of suite NAME -->"; a document that has no such marks is an error.
Result<std::string> put_tables(const std::string& document, const std::string& suite,
                               const std::string& tables);

}  // namespace kw::report
