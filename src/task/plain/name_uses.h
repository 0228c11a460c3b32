// Tells the uses of a name from declarations of the same name, members, and words of macros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/plain/site_reader.h"

namespace kw::task {

/// How a range of code uses a name that is declared outside it.
struct NameUses {
  /// In order, without members and without what a declaration inside the range hides.
  std::vector<std::size_t> tokens;
  /// A token of the name of which the text alone does not tell whether it is such a use.
  std::optional<std::size_t> unclear;
  /// Where the code declares something else of the same name.
  std::vector<std::size_t> declarations;
};

NameUses find_name_uses(const SiteReader& reader, TokenRange code, std::string_view name);

/// The first of the uses that stands where the compiler must know the value: in the size of a local
/// array, a template's argument, `case`, `constexpr`, `static_assert`; nothing where none does.
std::optional<std::size_t> find_constant_use(const SiteReader& reader, TokenRange code,
                                             std::span<const std::size_t> uses);

/// The macro by which the code may use the name without showing it, as its text or as a line of the
/// preprocessor inside the code; empty: there is none. A macro that makes words or strings of its
/// arguments counts where the name is among them.
std::string hiding_macro(const SiteReader& reader, TokenRange code, std::string_view name);

/// Error: the code uses the name in a way that its text does not show, or for two things, so that
/// what the name stands for cannot take its place everywhere.
Result<> check_name(const SiteReader& reader, TokenRange code, std::string_view name);

/// Whether the code has a lambda expression: the token of its bracket.
std::optional<std::size_t> find_lambda(const SiteReader& reader, TokenRange code);

}  // namespace kw::task
