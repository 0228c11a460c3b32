// The generic codec behind record/codec.h; include only where a record type is instantiated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "record/codec.h"
#include "record/enums.h"

namespace kw::codec {

using Json = nlohmann::json;

/// Depth of nested arrays and objects in the text of a record.
inline constexpr std::size_t kMostDepth = 64;

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

template <class T>
Json write(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (IsVector<T>::value) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(write<typename T::value_type>(item));
    return array;
  } else if constexpr (IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key] = write(item);
    return object;
  } else if constexpr (IsOptional<T>::value) {
    return value ? write(*value) : Json();
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    Json object = Json::object();
    T::fields(value, [&](const char* key, const auto& field) { object[key] = write(field); });
    return object;
  }
}

inline std::unexpected<Error> wrong(const char* wanted) {
  return fail(ErrorCode::Malformed, std::string("this field of the record must hold ") + wanted);
}

/// Puts `step` before the path in an error. Paths are built only on the way out of a failure.
inline Result<> below(Result<> read, const std::string& step) {
  if (!read) read.error().where.insert(0, step);
  return read;
}

template <class T>
Result<> read(const Json& json, T& out);

/// Whether the integer fits into T; json.get() would silently keep the lower bits.
template <class T>
bool is_within(const Json& json) {
  return json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                   : std::in_range<T>(json.get<std::int64_t>());
}

template <class T>
Result<> read_number(const Json& json, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return wrong("true or false");
  } else if constexpr (std::is_integral_v<T>) {
    if (!json.is_number_integer()) return wrong("an integer");
    if (!is_within<T>(json)) return wrong("an integer that fits the field's type");
  } else {
    if (json.is_null()) {  // JSON has no NaN or infinity: they are written as null.
      out = std::numeric_limits<T>::quiet_NaN();
      return {};
    }
    if (!json.is_number()) return wrong("a number");
  }
  out = json.get<T>();
  return {};
}

template <class T>
Result<> read_fields(const Json& json, T& out) {
  if (!json.is_object()) return wrong("an object");
  Result<> status;
  T::fields(out, [&](const char* key, auto& field) {
    if (!status) return;
    const auto found = json.find(key);
    if (found == json.end()) return;
    status = read(*found, field);
    if (!status) status = below(std::move(status), std::string(".") + key);
  });
  return status;
}

template <class T>
Result<> read(const Json& json, T& out) {
  if constexpr (std::is_enum_v<T>) {
    const auto value =
        json.is_string() ? enum_from<T>(json.get<std::string>()) : std::optional<T>();
    if (!value) return wrong("one of the names that this field can have");
    out = *value;
    return {};
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) return wrong("an array");
    out.clear();
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      typename T::value_type item{};
      if (auto status = read(json[i], item); !status)
        return below(std::move(status), "[" + std::to_string(i) + "]");
      out.push_back(std::move(item));
    }
    return {};
  } else if constexpr (IsMap<T>::value) {
    if (!json.is_object()) return wrong("an object");
    out.clear();
    for (const auto& [key, item] : json.items())
      if (auto status = read(item, out[key]); !status) return below(std::move(status), "." + key);
    return {};
  } else if constexpr (IsOptional<T>::value) {
    out.reset();
    if (json.is_null()) return {};
    return read(json, out.emplace());
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(json, out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return wrong("a string");
    out = json.get<std::string>();
    return {};
  } else {
    return read_fields(json, out);
  }
}

}  // namespace kw::codec

namespace kw {

template <class T>
nlohmann::json encode_json(const T& value) {
  return codec::write(value);
}

template <class T>
std::string encode(const T& value) {
  // Foreign text may hold bytes that are not UTF-8. They are replaced, so that the record can still
  // be written.
  return codec::write(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class T>
Result<T> decode_json(const nlohmann::json& json) {
  T value{};
  if (auto status = codec::read(json, value); !status) {
    if (status.error().where.empty()) status.error().where = "record";
    return std::unexpected(std::move(status.error()));
  }
  return value;
}

template <class T>
Result<T> decode(std::string_view text) {
  // A record may hold one of its own kind, so only the text bounds how deep reading nests.
  if (is_nested_deeper(text, codec::kMostDepth))
    return fail(ErrorCode::TooLarge, About{"levels"}, "the record's JSON is nested too deeply",
                "record");
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return fail(ErrorCode::Malformed, "not JSON", "record");
  return decode_json<T>(json);
}

}  // namespace kw

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
/// Instantiates the functions of record/codec.h for one record type, and the functions that records
/// holding such a record need.
#define KW_INSTANTIATE_CODEC(T)                                        \
  template nlohmann::json kw::codec::write<T>(const T&);               \
  template kw::Result<> kw::codec::read<T>(const nlohmann::json&, T&); \
  template std::string kw::encode<T>(const T&);                        \
  template nlohmann::json kw::encode_json<T>(const T&);                \
  template kw::Result<T> kw::decode<T>(std::string_view);              \
  template kw::Result<T> kw::decode_json<T>(const nlohmann::json&)

/// Says that KW_INSTANTIATE_CODEC stands in another file. Used for the largest records that other
/// records hold, since compiling their codec again takes seconds.
#define KW_CODEC_IS_ELSEWHERE(T)                                \
  extern template nlohmann::json kw::codec::write<T>(const T&); \
  extern template kw::Result<> kw::codec::read<T>(const nlohmann::json&, T&)
// NOLINTEND(bugprone-macro-parentheses)
