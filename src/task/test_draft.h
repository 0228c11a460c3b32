// Drafts of C functions for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_for_test.h"
#include "task/draft.h"
#include "task/load.h"

namespace kw::task {

inline Draft draft(std::string_view source, std::string_view function = "") {
  auto result = draft_from_source(source, "f.c", function, "");
  EXPECT_TRUE(result.has_value()) << describe(result.error());
  return result ? std::move(*result) : Draft{};
}

/// The draft's tensors as the loader reads them: "x in [n]; y out [n]".
inline std::string tensors_of(const Draft& draft) {
  const auto definition = parse_task({"draft", draft.files});
  if (!definition) return place_and_about(definition.error());
  std::string text;
  for (const auto& tensor : definition->tensors) {
    if (!text.empty()) text += "; ";
    text += tensor.name + " " + std::string(kw::name_of(tensor.role)) + " [";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      text += (i > 0 ? ", " : "") + tensor.shape[i].expr.text();
    text += "]";
    if (tensor.pitch) text += " pitch " + tensor.pitch->expr.text();
  }
  return text;
}

/// The only note of a draft in which nothing was guessed.
inline const std::vector<std::string> kOfTheWords{
    "spec.md and the summary: they say what the code does; add what it is for"};

/// "PLACE ABOUT" of why nothing can be drafted from the source.
inline std::string error_of(std::string_view source, std::string_view function = "") {
  const auto result = draft_from_source(source, "f.c", function, "");
  return result ? "fine" : place_and_about(result.error());
}

}  // namespace kw::task
