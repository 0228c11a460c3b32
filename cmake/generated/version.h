// The commit from which the program was built; it is in every record and certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

/// The commit's first 12 hex digits, with "-dirty" if tracked files differed from the commit;
/// "unknown" outside of a checkout. Without git at build time, differences cannot be seen and only
/// the commit is given. The function is in library kw_version.
std::string_view built_commit();

}  // namespace kw
