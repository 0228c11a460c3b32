// Refuses macros that a draft, which has all macros in front of the code, would give to code above
// them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "task/plain/forms.h"
#include "task/plain/site_reader.h"

namespace kw::task {
namespace {

/// A token of the word in code that ends before the byte; the number of tokens if there is none.
std::size_t use_above(const SiteReader& reader, const std::vector<CFunction>& functions,
                      std::string_view word, std::size_t byte) {
  for (const CFunction& function : functions) {
    if (reader.tokens()[function.close].end > byte) continue;
    for (std::size_t i = function.begin; i < function.close; ++i)
      if (reader.word(i) == word) return i;
  }
  return reader.tokens().size();
}

}  // namespace

Result<PlainStep> refuse_late_macros(const PlainSite& site) {
  const SiteReader reader(site);
  std::vector<CFunction> needed = reader.helpers();
  CFunction own;
  own.begin = site.begin, own.open = site.open, own.close = site.close;
  needed.push_back(std::move(own));
  std::map<std::string_view, std::string> texts;
  for (const lex::Directive& directive : reader.directives()) {
    if (directive.name() != "define" || directive.word().empty()) continue;
    const std::size_t offset = reader.whole()[directive.first].offset;
    const std::string text = directive.text();
    const auto [known, is_new] = texts.emplace(directive.word(), text);
    if (!is_new && std::exchange(known->second, text) == text) continue;
    const std::size_t use = use_above(reader, needed, directive.word(), offset);
    if (use == reader.tokens().size()) continue;
    return reader.refuse(
        use, fmt::format("{}: macro below", directive.word()),
        fmt::format("'{0}' is defined below this code by line {1}, so that it means something else "
                    "there; give that macro a name of its own, such as {0}_2",
                    sanitise(directive.word(), 60), position_of(site.source, offset).line));
  }
  return PlainStep{};
}

}  // namespace kw::task
