// Drops default arguments, which say nothing about what a function computes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/site_reader.h"

namespace kw::task {

Result<PlainStep> plain_defaults(const PlainSite& site) {
  const SiteReader reader(site);
  TokenEdits edits(reader);
  std::vector<std::string> notes;
  for (const ParameterTokens& parameter : reader.parameters())
    for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
      if (!reader.at(i, "=") || i + 1 == parameter.end) continue;
      edits.drop({i, parameter.end});
      const std::string_view name =
          parameter.has_name() ? reader.word(parameter.name) : std::string_view("a parameter");
      notes.push_back(
          fmt::format("{}: its default argument {} is left out; a task sets every argument",
                      sanitise(name, 60), sanitise(reader.text({i + 1, parameter.end}), 60)));
      break;
    }
  return PlainStep{edits.edits(), std::move(notes)};
}

}  // namespace kw::task
