// Plain functions for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error_for_test.h"
#include "task/plain/plain.h"
#include "task/test_draft.h"

namespace kw::task {

/// The source made plain, with its blanks as few as possible, where it can be drafted from.
inline std::string plain_text(std::string_view source, std::string_view function = "") {
  const auto plain = plain_source(source, "f.c", function);
  if (!plain) return place_and_about(plain.error());
  const auto drafted = draft_from_source(source, "f.c", function, "");
  EXPECT_TRUE(drafted.has_value()) << describe(drafted.error()) << "\n" << plain->source;
  std::string text;
  for (const char c : plain->source) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The definition that follows the first line of a plain text, from its name on.
inline std::string plain_function(std::string_view source, std::string_view function = "") {
  const std::string text = plain_text(source, function);
  const auto begin = text.rfind("void ");
  return begin == std::string::npos ? text : text.substr(begin);
}

}  // namespace kw::task
