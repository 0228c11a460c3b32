// Writes results in the XML format of JUnit, which continuous-integration systems read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::report {

enum class CaseFate {
  Passed,
  Failed,   ///< The check found a defect.
  Error,    ///< The check could not be made.
  Skipped,  ///< The check was not begun, because an earlier one went wrong.
};

struct JunitCase {
  std::string name;
  CaseFate fate = CaseFate::Passed;
  std::string words;  ///< The reason if the case did not pass, else what was found.
  double seconds = 0;
};

/// One test suite as an XML document. Names and messages may be untrusted text, which is escaped.
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace kw::report
