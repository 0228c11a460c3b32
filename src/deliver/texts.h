// The files of src/deliver/texts and the licence, which the build embeds in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::deliver {

/// The embedded file with this name (without folders); empty if there is none. The view is valid as
/// long as the program runs.
std::string_view embedded_text(std::string_view name);

}  // namespace kw::deliver
