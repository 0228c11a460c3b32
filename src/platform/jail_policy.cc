// Encodes and decodes a JailPolicy as bytes.
// SPDX-License-Identifier: Apache-2.0
#include "platform/jail_policy.h"

#include <charconv>
#include <concepts>

namespace kw::platform {
namespace {

/// Names every field once for both directions.
template <class Policy, class Visitor>
void visit_fields(Policy& p, Visitor&& visit) {
  visit("supervise", p.supervise);
  visit("landlock", p.landlock);
  visit("seccomp", p.seccomp);
  visit("new_processes", p.new_processes);
  visit("local_sockets", p.local_sockets);
  visit("private_network", p.private_network);
  visit("keeps_admin", p.keeps_admin);
  visit("names_threads", p.names_threads);
  visit("shares_uid", p.shares_uid);
  visit("share_nproc", p.share_nproc);
  visit("uid", p.uid);
  visit("max_processes", p.max_processes);
  visit("max_open_files", p.max_open_files);
  visit("address_space_bytes", p.address_space_bytes);
  visit("file_bytes", p.file_bytes);
  visit("cpu_seconds", p.cpu_seconds);
  visit("cwd", p.cwd);
  visit("readable", p.readable);
  visit("writable", p.writable);
  visit("devices", p.devices);
  visit("argv", p.argv);
  visit("env", p.env);
}

bool assign(std::string& field, std::string_view value) {
  field = value;
  return true;
}

bool assign(std::vector<std::string>& field, std::string_view value) {
  field.emplace_back(value);
  return true;
}

template <std::integral T>
bool assign(T& field, std::string_view value) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  field = static_cast<T>(number);
  return error == std::errc{} && end == value.data() + value.size();
}

}  // namespace

std::string encode(const JailPolicy& policy) {
  std::string bytes;
  const auto put = [&](std::string_view name, std::string_view value) {
    bytes.append(name).append("=").append(value).push_back('\0');
  };
  visit_fields(policy, [&]<class T>(const char* name, const T& field) {
    if constexpr (std::integral<T>) {
      put(name, std::to_string(static_cast<std::uint64_t>(field)));
    } else if constexpr (std::same_as<T, std::string>) {
      put(name, field);
    } else {
      for (const std::string& item : field) put(name, item);
    }
  });
  return bytes;
}

bool decode(std::string_view bytes, JailPolicy& policy) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return false;
    const std::string_view record = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return false;
    bool known = false;
    visit_fields(policy, [&](const char* name, auto& field) {
      if (record.substr(0, equals) == name) known = assign(field, record.substr(equals + 1));
    });
    if (!known) return false;
  }
  return true;
}

}  // namespace kw::platform
