// Leaves out functions that the function to draft does not need.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/site_reader.h"

namespace kw::task {

Result<PlainStep> leave_out_unused(const PlainSite& site) {
  const SiteReader reader(site);
  const auto helpers = reader.helpers();
  TokenEdits edits(reader);
  for (const CFunction& function : find_functions(site.tokens)) {
    const bool is_needed =
        function.begin == site.begin ||
        std::ranges::find(helpers, function.begin, &CFunction::begin) != helpers.end();
    if (!is_needed) edits.drop({function.begin, function.close + 1});
  }
  return PlainStep{edits.edits(), {}};
}

}  // namespace kw::task
