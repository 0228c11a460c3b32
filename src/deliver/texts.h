// Files of src/deliver/texts and the licence, embedded when the program was built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::deliver {

/// The embedded file of that name, without folders; empty if none has the name. Lives as long as
/// the program.
std::string_view embedded_text(std::string_view name);

}  // namespace kw::deliver
