// Tests of the drawing of a graph of techniques.
// SPDX-License-Identifier: Apache-2.0
#include "report/graph_svg.h"

#include <gmock/gmock.h>

namespace kw::report {
namespace {

using testing::HasSubstr;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(GraphSvg, ShowsEveryTechniqueAndStepWithWhatIsKnown) {
  TechniqueGraph graph;
  graph.count(graph.add("start", "tiling"), {4, 3, 3 * 0.6931471805599453});
  graph.add("tiling", "a < b");
  graph.add("a < b", "tiling");  // makes a cycle
  graph.add("island", "reef");   // no step leads to "island"
  const std::string svg = graph_svg(graph, "Techniques for cpu");
  EXPECT_EQ(count(svg, "<circle"), 5U);
  EXPECT_THAT(svg, HasSubstr("from start: worked in 3 of 4 tries, 2x"));
  EXPECT_THAT(svg, HasSubstr("from tiling: not tried"));
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, HasSubstr("reef"));
}

}  // namespace
}  // namespace kw::report
