// Tests of templates: strict variables, sections, partials, and what is refused when they are read.
// SPDX-License-Identifier: Apache-2.0
#include "memory/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"

namespace kw::memory {
namespace {

const std::vector<std::string> kKnown = {"name", "items", "has_items", "word"};

Result<std::string> rendered(const std::string& text, const Fields& fields,
                             std::map<std::string, std::string> others = {}) {
  others["main"] = text;
  return KW_TRY(Templates::parse(std::move(others), kKnown)).render("main", fields);
}

/// Matches an error of this code about `about` at `where`.
auto is_error(ErrorCode code, const char* about, const char* where) {
  return testing::AllOf(IsErrorAbout(code, about), IsErrorAt(where));
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
  EXPECT_THAT(page->render("main", {{"name", {"x"}}}),
              is_error(ErrorCode::Missing, "word", "web/part.html:1"));
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
  EXPECT_THAT(rendered("one\n{{nam}}", {}),
              is_error(ErrorCode::NotFound, "nam -> name", "prompts/main.md:2"));
  EXPECT_THAT(rendered("one\n\n{{name}}", {{"word", {""}}}),
              is_error(ErrorCode::Missing, "name", "prompts/main.md:3"));
  EXPECT_THAT(rendered("{{#has_items}}x{{/has_items}}", {}),
              is_error(ErrorCode::Missing, "has_items", "prompts/main.md:1"));
  EXPECT_THAT(rendered("{{> part}}", {}, {{"part", "\n{{word}}"}}),
              is_error(ErrorCode::Missing, "word", "prompts/part.md:2"));
}

TEST(Templates, WhatCannotBeRenderedIsRefusedWhenItIsRead) {
  EXPECT_THAT(rendered("{{name", {}), is_error(ErrorCode::BadInput, "braces", "prompts/main.md:1"));
  EXPECT_THAT(rendered("\n{{#items}}", {}),
              is_error(ErrorCode::BadInput, "#items", "prompts/main.md:2"));
  EXPECT_THAT(rendered("{{/items}}", {}),
              is_error(ErrorCode::BadInput, "/items", "prompts/main.md:1"));
  EXPECT_THAT(rendered("{{=<% %>=}}", {}),
              is_error(ErrorCode::Unsupported, "delimiters", "prompts/main.md:1"));
  EXPECT_THAT(rendered("{{> pat}}", {}, {{"part", ""}}),
              is_error(ErrorCode::NotFound, "pat -> part", "prompts/main.md:1"));
  EXPECT_THAT(rendered("{{> part}}", {}, {{"part", "{{> main}}"}}),
              is_error(ErrorCode::Contradiction, "main", "prompts/main.md"));
}

TEST(Templates, CommentsAreNoVariables) {
  EXPECT_EQ(*rendered("a{{! what this file is for }}b", {}), "ab");
}

}  // namespace
}  // namespace kw::memory
