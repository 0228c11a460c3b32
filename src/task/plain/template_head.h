// Reads `template <…>` and lists of arguments such as `<float, 4>`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/dtype.h"
#include "task/plain/site_reader.h"

namespace kw::task {

struct TemplateParameter {
  std::string name;  ///< Empty: it has none.
  bool is_type = false;
  std::string words;           ///< The type of one that is a number.
  std::optional<Dtype> dtype;  ///< … as an element type.
  TokenRange standard;         ///< Its default argument; empty: there is none.
};

struct TemplateHead {
  TokenRange range;  ///< From `template` to behind its >.
  std::vector<TemplateParameter> parameters;
};

/// The head at token `begin`; nothing where it holds more than types and numbers, or is none.
std::optional<TemplateHead> read_template_head(const SiteReader& reader, std::size_t begin);

/// The arguments behind the < at token `open`, and with `end` the token behind their >; nothing
/// where no list of arguments ends in front of a parenthesis.
struct TemplateArguments {
  std::vector<TokenRange> parts;
  std::size_t end = 0;
};
std::optional<TemplateArguments> read_template_arguments(const SiteReader& reader,
                                                         std::size_t open);

}  // namespace kw::task
