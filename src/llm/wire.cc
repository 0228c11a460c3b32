// Detects what kind of body a server sent, and passes its pieces to a reader.
// SPDX-License-Identifier: Apache-2.0
#include "llm/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/byte_order_mark.h"
#include "base/text.h"

namespace kw::llm {
namespace {

/// The most bytes of an error page that are kept; the message is at the beginning.
constexpr std::size_t kErrorBytes = 64 << 10;

/// The most bytes that an error message quotes of a stream without any event.
constexpr std::size_t kShownBytes = 200;

enum class BodyKind { Unknown, Events, Json, Other };

/// The kind of a body, by its first bytes that are not blank; Unknown: more bytes are needed.
BodyKind kind_of(std::string_view start) {
  start = without_byte_order_mark(start);
  if (start.empty() || kByteOrderMark.starts_with(start)) return BodyKind::Unknown;
  if (start.front() == '{' || start.front() == '[') return BodyKind::Json;
  for (const std::string_view field : {"data:", "event:", "id:", "retry:", ":"}) {
    if (start.starts_with(field)) return BodyKind::Events;
    if (field.starts_with(start)) return BodyKind::Unknown;
  }
  return BodyKind::Other;
}

/// Detects the kind of a body by its beginning, and passes the body on to a ReplyReader.
class BodyReader {
 public:
  explicit BodyReader(ReplyReader& reader) : reader_(reader) {}

  Result<> take(const net::HttpHead& head, std::string_view piece) {
    if (head.status != 200) {
      kept_.append(piece.substr(0, kErrorBytes - std::min(kErrorBytes, kept_.size())));
      return {};
    }
    if (kind_ == BodyKind::Events) return feed(piece);
    if (kind_ == BodyKind::Json || kept_.size() < kErrorBytes) kept_ += piece;
    if (kind_ != BodyKind::Unknown) return {};
    kept_.erase(0, std::min(kept_.find_first_not_of(kBlanks), kept_.size()));
    kind_ = kind_of(kept_);
    return kind_ == BodyKind::Events ? feed(kept_) : Result<>();
  }

  /// Ends a complete answer with status 200.
  Result<> finish(const net::HttpHead& head) {
    switch (kind_) {
      case BodyKind::Unknown:
        if (!kept_.empty()) break;
        return fail(ErrorCode::BrokenReply, About{"body"},
                    "the server answered 200 with an empty body", {}, Advice::Retry);
      case BodyKind::Events:
        return finish_events();
      case BodyKind::Json: {
        const auto body = parse_json(kept_, "the server's answer");
        if (!body)
          return fail(ErrorCode::BrokenReply, About{"JSON"},
                      "the server's answer is not JSON: " + body.error().what, {}, Advice::Retry);
        KW_TRY(reader_.on_whole(*body));
        return reader_.finish();
      }
      case BodyKind::Other:
        break;
    }
    const std::string words = read_server_error(head, kept_).message;
    return fail(
        ErrorCode::BrokenReply, About{words},
        fmt::format("the server's answer is not a model's reply ({}): {}; is the base URL right?",
                    sanitise(head.find("content-type"), 60), words),
        {}, Advice::Stop);
  }

  const std::string& kept() const { return kept_; }

 private:
  Result<> feed(std::string_view bytes) {
    if (!has_event_ && bytes.data() != kept_.data())
      kept_.append(bytes.substr(0, kShownBytes - std::min(kShownBytes, kept_.size())));
    return events_.feed(bytes, on_event_);
  }

  Result<> finish_events() {
    KW_TRY(events_.finish(on_event_));
    Result<> whole = reader_.finish();
    if (!whole && !has_event_) {
      whole.error().what += fmt::format("; it holds no event and begins '{}'", shown());
      whole.error().about = "no event";
    }
    return whole;
  }

  /// The beginning of the body in one line.
  std::string shown() const {
    std::string line = sanitise(trim(std::string_view(kept_).substr(0, kShownBytes)), kShownBytes);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }

  static constexpr const char* kBlanks = " \t\r\n";
  ReplyReader& reader_;
  const net::SseReader::OnEvent on_event_ = [this](const net::SseEvent& event) {
    has_event_ = true;
    return reader_.on_event(event);
  };
  bool has_event_ = false;
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
