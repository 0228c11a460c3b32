// Parses the names of models that follow --model.
// SPDX-License-Identifier: Apache-2.0
#include "llm/spec.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.h"
#include "llm/providers.h"
#include "net/http.h"

namespace kw::llm {
namespace {

/// `about` names the part of a spec that is wrong.
std::unexpected<Error> bad(std::string about, std::string what, std::string_view text) {
  return fail(ErrorCode::BadInput, About{std::move(about)}, std::move(what),
              "--model " + sanitise(text, 200), Advice::GiveUp);
}

bool is_in(const ProviderInfo& info, ProviderGroup group) {
  switch (group) {
    case ProviderGroup::All:
      return true;
    case ProviderGroup::Offered:
      return info.is_offered;
    case ProviderGroup::Keyless:
      return std::string_view(info.key_name).empty();
    case ProviderGroup::Embedding:
      return info.open_embeddings != nullptr;
  }
  return false;
}

/// The text after an '@' that can only be an address whose scheme is missing or misspelt: it has a
/// path or a port, or names this machine. "claude-x@20240620" and "@cf/meta/llama" are names of
/// models.
std::string_view address_in(std::string_view name) {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos || at == 0) return {};
  const std::string_view rest = name.substr(at + 1);
  const std::size_t colon = rest.find(':');
  const bool has_port = colon != std::string_view::npos && colon + 1 < rest.size() &&
                        rest[colon + 1] >= '0' && rest[colon + 1] <= '9';
  const bool is_address =
      has_port || rest.find('/') != std::string_view::npos || net::is_loopback(rest);
  if (!is_address) return {};
  const std::size_t scheme = rest.find("://");
  return scheme == std::string_view::npos ? rest : rest.substr(scheme + 3);
}

Result<std::string> base_url_from(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (!(url.starts_with("http://") || url.starts_with("https://")) || net::host_of(url).empty())
    return bad("base URL",
               "the base URL of a model must begin with http:// or https:// and name a host",
               net::shown_url(url));
  if (net::shown_url(url) != url)
    return bad("secret", "the base URL of a model may hold no user, password, query or fragment",
               net::shown_url(url));
  return std::string(url);
}

}  // namespace

std::vector<std::string> model_forms(ProviderGroup group) {
  std::vector<std::string> forms;
  for (const ProviderInfo& info : providers())
    if (is_in(info, group)) forms.push_back(form_of(info));
  KW_ASSERT(!forms.empty());
  return forms;
}

std::string known_model_forms() {
  std::vector<std::string> forms = model_forms(ProviderGroup::All);
  const std::string last = std::move(forms.back());
  forms.pop_back();
  return join(forms, ", ") + " or " + last;
}

bool ModelSpec::is_remote() const { return info_of(provider).answers == Answers::Server; }

bool ModelSpec::is_scripted() const { return info_of(provider).answers == Answers::Script; }

bool ModelSpec::has_own_base_url() const { return base_url == info_of(provider).base_url; }

std::string ModelSpec::text() const {
  std::string text = std::string(info_of(provider).name) + ":" + name;
  if (is_remote() && !has_own_base_url()) text += "@" + net::shown_url(base_url);
  return text;
}

Result<ModelSpec> parse_model_spec(std::string_view text, std::string_view default_base_url) {
  ModelSpec spec;
  std::string_view rest = trim(text);
  const std::size_t colon = rest.find(':');
  if (const std::size_t equals = rest.find('='); equals < colon) {
    spec.role = rest.substr(0, equals);
    if (!is_usable_identifier(spec.role))
      return bad("role", "the role of a model is a plain name, as in judge=openai:NAME", text);
    rest.remove_prefix(equals + 1);
  }
  const std::size_t end = rest.find(':');
  const std::string_view provider = rest.substr(0, end);
  const auto known = provider_named(provider);
  // If only the provider is given, the message asks for what is missing, as for the folder of
  // `manual`.
  if (known && !info_of(*known).operand_thing.empty() &&
      trim(end == std::string_view::npos ? "" : rest.substr(end + 1)).empty()) {
    const ProviderInfo& info = info_of(*known);
    return bad(std::string(info.operand_thing),
               fmt::format("{0} needs a {1}, {2}: --model {3}{4}{0}:{5}", info.name,
                           info.operand_thing, info.operand_purpose, spec.role,
                           spec.role.empty() ? "" : "=", info.operand_example),
               text);
  }
  if (!known || end == std::string_view::npos) {
    std::vector<std::string> names;
    for (const ProviderInfo& info : providers()) names.emplace_back(info.name);
    const std::string hint = suggestion(provider, names);
    return bad("provider", "expected " + known_model_forms() + hint, text);
  }
  spec.provider = *known;
  rest.remove_prefix(end + 1);
  std::string_view url =
      default_base_url.empty() ? info_of(spec.provider).base_url : default_base_url;
  if (const std::size_t at = rest.find("@http"); spec.is_remote() && at != std::string_view::npos) {
    url = rest.substr(at + 1);
    rest = rest.substr(0, at);
  } else if (const std::string_view address = address_in(rest);
             spec.is_remote() && !address.empty()) {
    // The text before the address may hold a password.
    return bad("http://" + sanitise(address, 100),
               "the address after @ must begin with http:// or https://: @http://" +
                   sanitise(address, 100),
               text.substr(0, text.find('@')));
  }
  spec.name = rest;
  if (spec.name.empty())
    return bad("name",
               spec.is_remote() ? "the model's name is missing after the provider"
                                : "the path of a file or folder is missing after the provider",
               text);
  if (spec.is_remote()) spec.base_url = KW_TRY(base_url_from(url));
  return spec;
}

}  // namespace kw::llm
