// The preprocessor's lines of a source, for rules of the screen that look at them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::referee {

struct ActiveDirective {
  std::size_t offset = 0;  ///< Offset of the directive's line in the joined text.
  std::string words;       ///< "define TILE 64", without comments.
};

struct ActiveDirectives {
  std::string text;  ///< The source with continued lines joined: what offsets refer to.
  std::vector<ActiveDirective> all;
};

/// The preprocessor's lines in `text`, in order, without those in comments, in literals and in code
/// that the preprocessor plainly skips. A conditional whose branches are not all compiled may lack
/// its #else or #endif. Linear in `text`.
ActiveDirectives active_directives(std::string_view text);

}  // namespace kw::referee
