// Drops default arguments, which say nothing about what a function computes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "task/plain/forms.h"
#include "task/plain/site_reader.h"

namespace kw::task {

Result<PlainStep> plain_defaults(const PlainSite& site) {
  const SiteReader reader(site);
  PlainStep step;
  for (const TokenRange parameter : reader.parameters())
    for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
      if (!reader.at(i, "=") || i + 1 == parameter.end) continue;
      const TokenRange value{i, parameter.end};
      step.edits.push_back(reader.remove(value));
      const std::size_t name = reader.name_of({parameter.begin, i});
      step.notes.push_back(
          fmt::format("{}: its default argument {} is left out; a task sets every argument",
                      sanitise(name < i ? reader.word(name) : std::string_view("a parameter"), 60),
                      sanitise(reader.text({i + 1, parameter.end}), 60)));
      break;
    }
  return step;
}

}  // namespace kw::task
