// Records to JSON and back, by one generic codec over each record's fields().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw {

/// One line of JSON with sorted keys; equal records give equal bytes.
template <class T>
std::string encode(const T& value);

template <class T>
nlohmann::json encode_json(const T& value);

/// Reads what encode wrote. Unknown keys are ignored (a newer writer), missing ones keep their
/// defaults; a wrong type or an unknown enum name is an error that names the path, and text nested
/// deeper than any record is one that names its levels.
template <class T>
Result<T> decode(std::string_view text);

template <class T>
Result<T> decode_json(const nlohmann::json& json);

}  // namespace kw
