// Tests of templates: strict variables, sections, partials, and what is refused when they are read.
// SPDX-License-Identifier: Apache-2.0
#include "memory/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::memory {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kKnown = {"name", "items", "has_items", "word"};

Result<std::string> rendered(const std::string& text, const Fields& fields,
                             std::map<std::string, std::string> others = {}) {
  others["main"] = text;
  return KW_TRY(Templates::parse(std::move(others), kKnown)).render("main", fields);
}

std::string trouble(const Result<std::string>& text) {
  return text ? "no error" : describe(text.error());
}

TEST(Templates, ValuesAreInsertedAsTheyAre) {
  EXPECT_EQ(*rendered("a {{name}} b {{{name}}} c {{&name}}",
                      {{"name", {"<x> & \"y\" {{word}} {{/name}}"}}}),
            "a <x> & \"y\" {{word}} {{/name}} b <x> & \"y\" {{word}} {{/name}} c <x> & \"y\" "
            "{{word}} {{/name}}");
}

TEST(Templates, AKindMayEscapeWhatIsNotInThreeBraces) {
  TemplateKind kind;
  kind.folder = "web";
  kind.extension = ".html";
  kind.escape = [](std::string_view text) { return "[" + std::string(text) + "]"; };
  const std::map<std::string, std::string> files{{"main", "{{name}} {{{name}}} {{> part}}"},
                                                 {"part", "{{word}}"}};
  const auto page = Templates::parse(files, kKnown, kind);
  ASSERT_TRUE(page.has_value()) << describe(page.error());
  EXPECT_EQ(*page->render("main", {{"name", {"<x>"}}, {"word", {"y"}}}), "[<x>] <x> [y]");
  EXPECT_EQ(trouble(page->render("main", {{"name", {"x"}}})),
            "web/part.html:1: the template names the variable 'word', which is not set here");
}

// The mustache library leaves an empty line where a section is not shown.
TEST(Templates, SectionsRepeatOrVanish) {
  const std::string text =
      "{{#items}}\n- {{name}} {{word}}\n{{/items}}\n{{^items}}\nnone\n{{/items}}\nend\n";
  const std::vector<Fields> two = {{{"name", {"x"}}}, {{"name", {"y"}}}};
  EXPECT_EQ(*rendered(text, {{"items", {two}}, {"word", {"!"}}}), "- x !\n- y !\n\nend\n");
  EXPECT_EQ(*rendered(text, {{"items", {std::vector<Fields>{}}}, {"word", {"!"}}}),
            "\nnone\nend\n");
}

TEST(Templates, PartialsSeeTheVariablesOfTheirPlace) {
  EXPECT_EQ(
      *rendered("{{#items}}{{> part}}{{/items}}",
                {{"items", {std::vector<Fields>{{{"name", {"x"}}}}}}}, {{"part", "<{{name}}>"}}),
      "<x>");
}

TEST(Templates, AVariableThatNobodySetsIsAnErrorWithItsPlace) {
  EXPECT_THAT(trouble(rendered("one\n{{nam}}", {})),
              HasSubstr("prompts/main.md:2: the template uses the variable 'nam', which kw does "
                        "not provide (did you mean 'name'?)"));
  EXPECT_EQ(trouble(rendered("one\n\n{{name}}", {{"word", {""}}})),
            "prompts/main.md:3: the template names the variable 'name', which is not set here");
  EXPECT_EQ(
      trouble(rendered("{{#has_items}}x{{/has_items}}", {})),
      "prompts/main.md:1: the template names the variable 'has_items', which is not set here");
  EXPECT_EQ(trouble(rendered("{{> part}}", {}, {{"part", "\n{{word}}"}})),
            "prompts/part.md:2: the template names the variable 'word', which is not set here");
}

TEST(Templates, WhatCannotBeRenderedIsRefusedWhenItIsRead) {
  EXPECT_EQ(trouble(rendered("{{name", {})),
            "prompts/main.md:1: a tag of this template is not closed by braces");
  EXPECT_EQ(trouble(rendered("\n{{#items}}", {})),
            "prompts/main.md:2: the template's section 'items' is not closed");
  EXPECT_EQ(trouble(rendered("{{/items}}", {})),
            "prompts/main.md:1: the template's section 'items' is closed but was not opened");
  EXPECT_EQ(trouble(rendered("{{=<% %>=}}", {})),
            "prompts/main.md:1: a template cannot change the delimiters of its tags");
  EXPECT_THAT(trouble(rendered("{{> pat}}", {}, {{"part", ""}})),
              HasSubstr("uses the file 'pat', which kw does not provide (did you mean 'part'?)"));
  EXPECT_THAT(trouble(rendered("{{> part}}", {}, {{"part", "{{> main}}"}})),
              HasSubstr("includes itself by way of"));
}

TEST(Templates, CommentsAreNoVariables) {
  EXPECT_EQ(*rendered("a{{! what this file is for }}b", {}), "ab");
}

}  // namespace
}  // namespace kw::memory
