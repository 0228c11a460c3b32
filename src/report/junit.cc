// Writes the XML: one <testsuite> inside <testsuites>, and a <testcase> for each result.
// SPDX-License-Identifier: Apache-2.0
#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/svg.h"

namespace kw::report {
namespace {

std::string element_of(const JunitCase& c) {
  switch (c.fate) {
    case CaseFate::Passed:
      return c.words.empty() ? "" : fmt::format("<system-out>{}</system-out>", escape(c.words));
    case CaseFate::Failed:
      return fmt::format("<failure message=\"{}\"/>", escape(c.words));
    case CaseFate::Error:
      return fmt::format("<error message=\"{}\"/>", escape(c.words));
    case CaseFate::Skipped:
      return fmt::format("<skipped message=\"{}\"/>", escape(c.words));
  }
  return {};
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  double seconds = 0;
  for (const JunitCase& c : cases) seconds += c.seconds;
  const auto count = [&](CaseFate fate) {
    return std::ranges::count(cases, fate, &JunitCase::fate);
  };
  const std::string counts = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", cases.size(),
      count(CaseFate::Failed), count(CaseFate::Error), count(CaseFate::Skipped), seconds);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n",
      counts, escape(suite), counts);
  for (const JunitCase& c : cases)
    text +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n",
                    escape(suite), escape(c.name), c.seconds, element_of(c));
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace kw::report
