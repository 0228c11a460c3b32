// Tests of JUnit documents: their counts, and that untrusted text is escaped.
// SPDX-License-Identifier: Apache-2.0
#include "report/junit.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/nasty_text_for_test.h"
#include "base/text.h"

namespace kw::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Junit, CountsWhatBecameOfEachCase) {
  const std::string xml =
      junit_xml("kw verify", {{"hash", CaseFate::Passed, "", 0},
                              {"correct: big", CaseFate::Failed, "wrong", 0},
                              {"task", CaseFate::Error, "no GPU", 0},
                              {"speedup", CaseFate::Skipped, "not looked at", 0},
                              {"time", CaseFate::Passed, "2x omp", 1.25}});
  EXPECT_EQ(split_lines(xml)[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"kw verify\" tests=\"5\" failures=\"1\" "
                             "errors=\"1\" skipped=\"1\" time=\"1.250\">"));
  EXPECT_THAT(xml, HasSubstr("name=\"hash\" time=\"0.000\"></testcase>"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"wrong\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"no GPU\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"not looked at\"/>"));
  EXPECT_THAT(xml, HasSubstr("<system-out>2x omp</system-out>"));
}

TEST(Junit, ForeignTextIsNeitherMarkupNorControl) {
  const std::string xml =
      junit_xml("a\" b=\"<&>", {{"]]></testcase><x>", CaseFate::Failed, "\"/><failure \x01 '", 0}});
  EXPECT_THAT(xml, Not(HasSubstr("<x>")));
  EXPECT_THAT(xml, HasSubstr("name=\"a&quot; b=&quot;&lt;&amp;&gt;\""));
  EXPECT_THAT(xml, HasSubstr("message=\"&quot;/&gt;&lt;failure \\x01 &#39;\""));
  for (const std::string& nasty : nasty_texts()) {
    const std::string document = junit_xml(nasty, {{nasty, CaseFate::Failed, nasty, 0}});
    for (const char c : document) EXPECT_TRUE(c == '\n' || c == '\t' || c < 0 || c >= 0x20);
    EXPECT_EQ(std::ranges::count(document, '<'), 8) << sanitise(nasty, 80);
  }
}

}  // namespace
}  // namespace kw::report
