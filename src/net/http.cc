// Functions on the heads of answers and on URLs.
// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

#include <algorithm>

namespace kw::net {
namespace {

struct UrlParts {
  std::string_view scheme;
  std::string_view authority;  ///< Host and port, without user and password.
  std::string_view path;
};

UrlParts parts_of(std::string_view url) {
  UrlParts parts;
  if (const std::size_t colon = url.find("://"); colon != std::string_view::npos) {
    parts.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 3);
  }
  const std::size_t end = std::min(url.find_first_of("/?#"), url.size());
  parts.authority = url.substr(0, end);
  if (const std::size_t at = parts.authority.rfind('@'); at != std::string_view::npos)
    parts.authority.remove_prefix(at + 1);
  const std::string_view rest = url.substr(end);
  parts.path = rest.substr(0, std::min(rest.find_first_of("?#"), rest.size()));
  return parts;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view HttpHead::find(std::string_view name) const {
  const auto found = std::find_if(headers.rbegin(), headers.rend(),
                                  [&](const Header& header) { return header.name == name; });
  return found == headers.rend() ? std::string_view() : std::string_view(found->value);
}

std::string shown_url(std::string_view url) {
  const UrlParts parts = parts_of(url);
  std::string shown;
  if (!parts.scheme.empty()) shown.append(parts.scheme).append("://");
  return shown.append(parts.authority).append(parts.path);
}

std::string host_of(std::string_view url) {
  std::string_view host = parts_of(url).authority;
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  std::string text(host);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "127.0.0.1" ||
         host.ends_with(".localhost");
}

}  // namespace kw::net
