// Tells whether the code between two places changes a value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "task/plain/site_reader.h"

namespace kw::task {

/// Whether what stands around the tokens of a range changes what they name: an assignment, ++, --.
bool is_changed(const SiteReader& reader, TokenRange range);

/// Whether an & in front of the token takes its address.
bool is_address_taken(const SiteReader& reader, std::size_t token);

/// Whether the tokens are sums and products of numbers, names and elements that keep their values
/// from there to token `until`, so that they may be evaluated anywhere between.
bool keeps_value(const SiteReader& reader, TokenRange range, std::size_t until);

/// Whether each index that stands from token `begin` to below `end` keeps its value so.
bool keeps_indices(const SiteReader& reader, TokenRange range, std::size_t until);

/// Whether an integer parameter of this name is passed by value and never assigned.
bool is_fixed_integer(const SiteReader& reader, std::string_view name);

}  // namespace kw::task
