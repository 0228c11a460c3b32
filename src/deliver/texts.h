// Texts of src/deliver/texts and the licence, as they were when the program was built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::deliver {

/// The file of that name, without folders; empty if there is none. Lives as long as the program.
std::string_view embedded_text(std::string_view name);

}  // namespace kw::deliver
