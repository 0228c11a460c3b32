// Sniffing of answers and transport of pieces to their reader.
// SPDX-License-Identifier: Apache-2.0
#include "llm/wire.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace kw::llm {
namespace {

/// Most of an error page that is kept: the message stands at its beginning.
constexpr std::size_t kErrorBytes = 64 << 10;

enum class BodyKind { Unknown, Events, Json, Other };

BodyKind kind_of(char first) {
  if (first == '{' || first == '[') return BodyKind::Json;
  // data: event: id: retry: a comment, or the byte order mark
  if (std::string_view("deir:\xEF").find(first) != std::string_view::npos) return BodyKind::Events;
  return BodyKind::Other;
}

/// Decides from the first byte that is no blank what a body is, and passes it on.
class BodyReader {
 public:
  explicit BodyReader(ReplyReader& reader) : reader_(reader) {}

  Result<> take(const net::HttpHead& head, std::string_view piece) {
    if (head.status != 200) {
      kept_.append(piece.substr(0, kErrorBytes - std::min(kErrorBytes, kept_.size())));
      return {};
    }
    if (kind_ == BodyKind::Unknown) {
      const std::string_view start = trim(piece);
      if (start.empty()) return {};
      kind_ = kind_of(start.front());
    }
    if (kind_ == BodyKind::Events)
      return events_.feed(piece,
                          [&](const net::SseEvent& event) { return reader_.on_event(event); });
    if (kind_ == BodyKind::Json || kept_.size() < kErrorBytes) kept_ += piece;
    return {};
  }

  /// Of an answer with status 200 that is complete.
  Result<> finish(const net::HttpHead& head) {
    switch (kind_) {
      case BodyKind::Unknown:
        return fail("the server answered 200 with an empty body", {}, Advice::Retry);
      case BodyKind::Events:
        KW_TRY(events_.finish([&](const net::SseEvent& event) { return reader_.on_event(event); }));
        return reader_.finish();
      case BodyKind::Json: {
        const auto body = parse_json(kept_, "the server's answer");
        if (!body) return fail("the answer is no JSON: " + body.error().what, {}, Advice::Retry);
        KW_TRY(reader_.on_whole(*body));
        return reader_.finish();
      }
      case BodyKind::Other:
        break;
    }
    return fail(fmt::format("the answer is no model's reply ({}): {}; is the base URL right?",
                            sanitise(head.find("content-type"), 60),
                            read_server_error(head, kept_).message));
  }

  const std::string& kept() const { return kept_; }

 private:
  ReplyReader& reader_;
  BodyKind kind_ = BodyKind::Unknown;
  net::SseReader events_;
  std::string kept_;
};

}  // namespace

Result<Posted> post(const Endpoint& endpoint, std::string_view path,
                    const std::vector<net::Header>& headers, const Json& body, ReplyReader& reader,
                    Call& call) {
  net::HttpRequest request;
  request.url = endpoint.spec.base_url + std::string(path);
  request.headers = headers;
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "text/event-stream, application/json"});
  request.body = dump_json(body);
  request.timeouts = endpoint.timeouts;

  BodyReader answer(reader);
  const auto head = endpoint.http->send(
      request,
      [&](const net::HttpHead& h, std::string_view piece) { return answer.take(h, piece); },
      call.cancel);
  if (!head) return std::unexpected(endpoint.redactor.redact(head.error()));
  if (head->status != 200) {
    ServerError refusal = read_server_error(*head, answer.kept());
    refusal.retry_after = retry_after_of(*head, endpoint.clock->wall_seconds());
    call.report.retry_after = refusal.retry_after;
    return Posted{std::move(refusal)};
  }
  if (const Result<> done = answer.finish(*head); !done) {
    Error error = done.error();
    if (error.where.empty()) error.where = net::shown_url(request.url);
    return std::unexpected(endpoint.redactor.redact(std::move(error)));
  }
  return Posted{};
}

}  // namespace kw::llm
