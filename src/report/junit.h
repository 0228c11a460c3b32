// Results for continuous integration, in the form that JUnit made known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::report {

enum class CaseFate {
  Passed,
  Failed,   ///< What was looked at is not as it should be.
  Error,    ///< It could not be looked at.
  Skipped,  ///< Nobody came to it, since something before it went wrong.
};

struct JunitCase {
  std::string name;
  CaseFate fate = CaseFate::Passed;
  std::string words;  ///< Why, of one that did not pass; else what was seen.
  double seconds = 0;
};

/// One test suite as an XML document. Names and words may be foreign text.
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace kw::report
