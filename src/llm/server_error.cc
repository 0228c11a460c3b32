// Reads the many forms in which servers report errors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "llm/providers.h"
#include "llm/wire.h"

namespace kw::llm {
namespace {

constexpr std::size_t kMessageBytes = 400;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// The text as one line that is safe to show.
std::string one_line(std::string_view text, std::size_t limit = kMessageBytes) {
  std::string line = sanitise(trim(text), limit);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? std::to_string(found->get<std::int64_t>()) : std::string();
}

/// Reads the location and message of the first error in FastAPI's list.
void read_details(const Json& details, ServerError& error) {
  if (details.is_string()) error.message = details.get<std::string>();
  if (!details.is_array() || details.empty()) return;
  error.message = text_of(details.front(), "msg");
  const auto place = details.front().is_object() ? details.front().find("loc") : details.end();
  if (!details.front().is_object() || place == details.front().end() || !place->is_array()) return;
  if (!place->empty() && place->back().is_string()) error.param = place->back().get<std::string>();
  error.message += " (" + error.param + ")";
}

/// Describes a web page by its title, if it has one.
std::string words_of_page(std::string_view body) {
  const std::string small = lower(body.substr(0, 1 << 14));
  const std::size_t open = small.find("<title>");
  const std::size_t close = small.find("</title>");
  if (open != std::string::npos && close != std::string::npos && close > open)
    return "a web page titled '" + one_line(body.substr(open + 7, close - open - 7), 120) + "'";
  return "a web page";
}

/// The HTTP status that fits an error in a reply with status 200: the error's code where that is a
/// number, else the status for the names that OpenAI, Anthropic and vLLM use as codes and types; 0:
/// unknown.
int status_within(const ServerError& error) {
  int number = 0;
  const char* end = error.code.data() + error.code.size();
  if (const auto read = std::from_chars(error.code.data(), end, number);
      read.ec == std::errc() && read.ptr == end && number >= 400 && number < 600)
    return number;
  constexpr std::pair<std::string_view, int> kNames[] = {
      {"invalid_api_key", 401},       {"model_not_found", 404},
      {"insufficient_quota", 429},    {"rate_limit_exceeded", 429},
      {"authentication_error", 401},  {"billing_error", 402},
      {"permission_error", 403},      {"not_found_error", 404},
      {"NotFoundError", 404},         {"request_too_large", 413},
      {"rate_limit_error", 429},      {"context_length_exceeded", 400},
      {"invalid_request_error", 400}, {"BadRequestError", 400}};
  for (const std::string& word : {error.code, error.type})
    for (const auto& [name, status] : kNames)
      if (word == name) return status;
  return 0;
}

/// Whether the error may pass, so that a later try can succeed.
bool is_passing(const ServerError& error) {
  // An error of unknown kind within a reply is taken for overload or similar trouble of the server.
  if (error.is_in_reply && error.status == 0) return true;
  if (error.status == 408 || error.status == 409 || error.status == 425 || error.status == 429)
    return true;
  return error.status >= 500 && error.status != 501 && error.status != 505;
}

bool is_out_of_credit(const ServerError& error) {
  return error.status == 402 || error.code == "insufficient_quota" ||
         error.type == "insufficient_quota" || error.names("credit balance is too low");
}

bool is_redirect(const ServerError& error) { return error.status >= 300 && error.status < 400; }

}  // namespace

bool ServerError::names(std::string_view word) const {
  return param == word || lower(message).find(word) != std::string::npos;
}

ServerError server_error_from(const Json& body) {
  ServerError error;
  if (!body.is_object()) return error;
  const auto inner = body.find("error");
  const bool has_object = inner != body.end() && inner->is_object();
  const Json& source = has_object ? *inner : body;
  error.message = text_of(source, "message");
  error.type = text_of(source, "type");
  error.code = text_of(source, "code");
  error.param = text_of(source, "param");
  if (inner != body.end() && inner->is_string()) error.message = inner->get<std::string>();
  if (const auto details = body.find("detail"); error.message.empty() && details != body.end())
    read_details(*details, error);
  error.message = one_line(error.message);
  return error;
}

ServerError read_server_error(const net::HttpHead& head, std::string_view body) {
  ServerError error;
  const std::string_view start = trim(body);
  if (start.starts_with('<')) {
    error.message = words_of_page(start);
  } else if (const auto json = parse_json(start, "answer"); json && json->is_object()) {
    error = server_error_from(*json);
  }
  if (error.message.empty()) error.message = one_line(start.substr(0, kMessageBytes));
  if (error.message.empty()) error.message = "without a message";
  error.status = head.status;
  if (is_redirect(error)) {
    error.address = net::shown_url(one_line(head.find("location")));
    error.message = "the server redirects to " + error.address;
  }
  return error;
}

std::optional<std::chrono::milliseconds> retry_after_of(const net::HttpHead& head,
                                                        std::int64_t wall_seconds) {
  const auto number = [](std::string_view text) -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        value < 0 || value > 1e9)
      return std::nullopt;
    return value;
  };
  if (const auto fine = number(head.find("retry-after-ms")))
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*fine)));
  const std::string text(head.find("retry-after"));
  if (const auto seconds = number(text))
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  std::tm utc{};
  if (text.empty() || strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc) == nullptr)
    return std::nullopt;
  return std::chrono::seconds(std::max<std::int64_t>(0, timegm(&utc) - wall_seconds));
}

Trouble trouble_of(const ServerError& error) {
  if (is_out_of_credit(error)) return Trouble::Credit;
  // Google's servers reject a wrong key with status 400.
  if (error.status == 401 || error.status == 403 || (error.status == 400 && error.names("api key")))
    return Trouble::Key;
  if (error.status == 404 || is_redirect(error)) return Trouble::Name;
  if (error.names("model") && (error.names("does not exist") || error.names("not found") ||
                               error.names("not a valid model")))
    return Trouble::Name;
  if (error.status == 429) return Trouble::Pace;
  return is_passing(error) || error.status >= 500 ? Trouble::Server : Trouble::Request;
}

ErrorCode code_of(const ServerError& error) {
  if (error.names("output limit was reached")) return ErrorCode::OutOfTokens;
  switch (trouble_of(error)) {
    case Trouble::Key:
      return ErrorCode::BadKey;
    case Trouble::Name:
      return ErrorCode::NoModel;
    case Trouble::Credit:
      return ErrorCode::NoCredit;
    case Trouble::Pace:
      return ErrorCode::TooManyRequests;
    case Trouble::Request:
      return ErrorCode::Refused;
    case Trouble::Server:
      return ErrorCode::ServerFailed;
    case Trouble::Network:
      break;
  }
  return ErrorCode::BrokenReply;
}

ServerHint hint_of(const ServerError& error, const Endpoint& endpoint) {
  if (is_redirect(error)) return ServerHint::GiveFinalAddress;
  const ModelSpec& spec = endpoint.spec;
  switch (error.status) {
    case 401:
    case 403:
      return endpoint.key.is_set() ? ServerHint::CheckKey : ServerHint::SetKey;
    case 404:
      return info_of(spec.provider).base_url.ends_with("/v1") && !spec.base_url.ends_with("/v1")
                 ? ServerHint::CheckNameAndAddress
                 : ServerHint::CheckName;
    case 413:
      return ServerHint::ShortenPrompt;
    case 400:
    case 422:
      return error.names("context length") || error.names("context size") ||
                     error.names("context limit") || error.names("context window")
                 ? ServerHint::LowerTokens
                 : ServerHint::None;
    default:
      return ServerHint::None;
  }
}

std::string words_of(ServerHint hint, const Endpoint& endpoint) {
  const std::string key_name = info_of(endpoint.spec.provider).key_name;
  switch (hint) {
    case ServerHint::None:
      return {};
    case ServerHint::CheckKey:
      return "; check the key in " + key_name;
    case ServerHint::SetKey:
      return "; no key was sent: set " + key_name;
    case ServerHint::CheckName:
      return "; is the model's name right?";
    case ServerHint::CheckNameAndAddress:
      return "; is the model's name right, and should the base URL end in /v1?";
    case ServerHint::ShortenPrompt:
      return "; the prompt is too large for this server";
    case ServerHint::LowerTokens:
      return "; prompt and reply share the context: lower --prompt-tokens or --max-tokens";
    case ServerHint::GiveFinalAddress:
      return "; a key is never sent on: give the final address as base URL";
  }
  return {};
}

Error to_error(const ServerError& error, const Endpoint& endpoint) {
  Error out;
  out.code = code_of(error);
  // Refusals that differ in numbers alone, such as a count of tokens, are the same refusal.
  if (out.code == ErrorCode::Refused) out.about = without_numbers(error.message);
  out.where = endpoint.spec.text();
  out.what = (error.is_in_reply ? std::string("the server broke the reply off: ")
                                : fmt::format("HTTP {}: ", error.status)) +
             error.message + words_of(hint_of(error, endpoint), endpoint);
  if (is_redirect(error)) out.about = error.address;
  if (is_redirect(error) || is_out_of_credit(error) || error.status == 401 || error.status == 403 ||
      error.status == 404)
    out.advice = Advice::Stop;
  else
    out.advice = is_passing(error) ? Advice::Retry : Advice::GiveUp;
  if (error.retry_after && out.advice == Advice::Retry)
    out.what += fmt::format(" (try again in {} s)",
                            std::chrono::ceil<std::chrono::seconds>(*error.retry_after).count());
  return endpoint.redactor.redact(std::move(out));
}

bool is_error(const Json& body) {
  if (!body.is_object()) return false;
  const auto error = body.find("error");
  return (error != body.end() && !error->is_null()) || text_of(body, "object") == "error";
}

ServerError error_in_reply(const Json& body) {
  ServerError error = server_error_from(body);
  error.is_in_reply = true;
  error.status = status_within(error);
  if (error.message.empty()) error.message = "without a message";
  return error;
}

}  // namespace kw::llm
