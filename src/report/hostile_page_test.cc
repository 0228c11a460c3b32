// Tests that no text in a run's data can change the HTML structure of the run's page, or be
// executed.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>

#include "base/base64.h"
#include "base/error_for_test.h"
#include "base/hash.h"
#include "report/page_for_test.h"
#include "report/svg.h"

namespace kw::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(PageOfARun, LoadsNothingAndRunsOnlyItsOwnScript) {
  fill(5, {});
  const Page made = page();
  const std::set<std::string> allowed{
      "html",   "head",  "meta",  "title",      "style", "body",    "header",  "main",
      "footer", "nav",   "a",     "h1",         "h2",    "h3",      "p",       "dl",
      "dt",     "dd",    "div",   "ul",         "li",    "section", "figure",  "figcaption",
      "table",  "thead", "tbody", "tr",         "th",    "td",      "details", "summary",
      "pre",    "span",  "svg",   "blockquote", "path",  "circle",  "text",    "script"};
  const std::set<std::string> attributes{
      "lang",       "charset",     "name",         "content",   "http-equiv",
      "class",      "id",          "href",         "xmlns",     "viewBox",
      "role",       "d",           "cx",           "cy",        "r",
      "x",          "y",           "text-anchor",  "transform", "open",
      "aria-label", "data-number", "data-speedup", "data-time", "data-label",
      "data-sort"};
  std::set<std::string> ids;
  for (const Element& e : read(made).elements) {
    EXPECT_TRUE(allowed.contains(e.name)) << e.name;
    for (const auto& [name, value] : e.attributes) {
      EXPECT_TRUE(attributes.contains(name)) << e.name << " " << name;
      if (name == "href") {
        EXPECT_TRUE(value.starts_with("#")) << value;
      }
      if (name == "id") {
        EXPECT_TRUE(ids.insert(value).second) << value << " twice";
      }
    }
  }
  EXPECT_THAT(made.html, AllOf(Not(HasSubstr("url(")), Not(HasSubstr("@import"))));
  const Markup markup = read(made);
  const auto hash = [](const std::string& text) {
    return "'sha256-" + base64(sha256(text).bytes) + "'";
  };
  EXPECT_THAT(made.html, HasSubstr("content=\"default-src 'none'; style-src " + hash(markup.style) +
                                   "; script-src " + hash(markup.script) +
                                   "; base-uri 'none'; form-action 'none'; "
                                   "require-trusted-types-for 'script'\""));
  EXPECT_EQ(markup.script, files().at("report.js")) << "nothing of the run stands in it";
  EXPECT_EQ(std::ranges::count(markup.elements, "script", &Element::name), 1);
  for (const char* sink : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                           "eval(", "Function(", "setTimeout", "fetch(", "import("})
    EXPECT_THAT(markup.script, Not(HasSubstr(sink)));
  EXPECT_THAT(made.html, HasSubstr("prefers-color-scheme: dark"));
}

/// Text that tries to break out of every HTML context in which the page shows untrusted text.
Foreign hostile_words() {
  Foreign hostile;
  hostile.text =
      "\"'><script>alert(1)</script><img src=x onerror=alert(2)></title></style></pre>"
      "<!-- ]]> --> {{run}} {{{style}}} &lt; \x01\xff \xE2\x80\xAE";
  hostile.source =
      "// </code></pre><iframe src=\"http://evil\"></iframe>\n" + hostile.text + "\n" +
      "#define X \"</span></pre><script>alert(3)</script>\" /* <b> */ '<i>' R\"(</pre>)\"\n" +
      "</span><svg onload=alert(4)> /* never closed <!--\n";
  return hostile;
}

/// Hostile text in any field of a run that others may have written must not change the structure of
/// the page: it keeps the same elements with the same attributes.
TEST_F(PageOfARun, HostileTextStaysText) {
  fill(5, hostile_words());
  for (const bool has_baseline_source : {true, false}) {
    if (!has_baseline_source) {
      data_.baseline_source.clear();
      data_.no_baseline_source = hostile_words().text;
      data_.confirmation->speedup.is_faster = false;
    }
    const Page shown = page();
    const Markup markup = read(shown);
    ASSERT_THAT(markup.trouble, IsEmpty());
    EXPECT_EQ(markup.script, files().at("report.js"));
    EXPECT_THAT(shown.html, Not(HasSubstr("\xE2\x80\xAE"))) << "order marks are spelled out";
    EXPECT_THAT(markup.text, HasSubstr("{{run}} {{{style}}} &amp;lt; \\x01\\xff \\u202E"));
    EXPECT_THAT(markup.style, Not(HasSubstr("alert")));
    EXPECT_EQ(std::ranges::count(markup.elements, "script", &Element::name), 1);
    for (const Element& e : markup.elements)
      for (const auto& [name, value] : e.attributes)
        if (name == "data-number" || name == "data-speedup" || name == "data-time") {
          EXPECT_EQ(value.find_first_not_of("0123456789.e+-"), std::string::npos) << value;
        }

    const RunData kept = std::move(data_);
    data_ = {};
    fill(5, {"tame", "// tame\ntame\ntame\ntame\n"});
    if (!has_baseline_source) {
      data_.baseline_source.clear();
      data_.no_baseline_source = "tame";
      data_.confirmation->speedup.is_faster = false;
    }
    EXPECT_EQ(read(page()).skeleton(), markup.skeleton());
    data_ = kept;
  }
}

/// Each line of a diff is an element of its own. A comment or literal that one version leaves open
/// must not affect how lines of the other version are coloured.
TEST_F(PageOfARun, HostileDiffsStayLines) {
  fill(4, {});
  data_.best_source = "int a;\n/* open <script>\nint b;\n</pre>\n";
  data_.baseline_source = "int a;\n\"<svg onload=alert(1)>\nint b; // </span>\n";
  const std::string shown = section("kernel");
  EXPECT_THAT(text_of("kernel"), HasSubstr("- &quot;&lt;svg onload=alert(1)&gt;\n"
                                           "- int b; // &lt;/span&gt;\n"
                                           "+ /* open &lt;script&gt;\n"
                                           "+ int b;\n"
                                           "+ &lt;/pre&gt;\n"));
  EXPECT_THAT(shown,
              AllOf(HasSubstr("<span class=\"add\">+ <span class=\"tc\">int b;</span>\n</span>"),
                    HasSubstr("<span class=\"del\">- <span class=\"tt\">int</span> b; ")));
}

TEST_F(PageOfARun, AScriptOrStyleThatWouldEndItsElementIsNamed) {
  fill(1, {});
  for (const auto& [file, text] : {std::pair{"report.js", "let a;\nlet b = '</script>';\n"},
                                   std::pair{"report.css", "p {}\n<!-- a { }\n"}}) {
    auto changed = files();
    changed[file] = text;
    const auto made = make_page(store_, data_, changed);
    EXPECT_THAT(made, IsErrorAbout(ErrorCode::BadInput, file));
    EXPECT_THAT(made, IsErrorAt(std::string("web/") + file + ":2"));
  }
}

TEST(Escape, MakesTextOfEverything) {
  EXPECT_EQ(escape("a<b>&\"'\n\t\x01\x7f\xff"), "a&lt;b&gt;&amp;&quot;&#39;\n\t\\x01\\x7f\\xff");
  EXPECT_EQ(escape("x\xE2\x80\xAEy\xE2\x81\xA6z\xE2\x80\x9Cq"), "x\\u202Ey\\u2066z\xE2\x80\x9Cq");
}

}  // namespace
}  // namespace kw::report
