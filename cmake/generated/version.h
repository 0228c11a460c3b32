// What was built: stands in every record and certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

/// The commit, 12 hex digits, with "-dirty" where tracked files differed from it; "unknown" outside
/// a checkout. Without git at build time the difference cannot be seen and only the commit is
/// given. Library: kw_version.
std::string_view built_commit();

}  // namespace kw
