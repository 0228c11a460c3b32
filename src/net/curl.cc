// HTTP by libcurl. Each request borrows a lane: a curl multi handle with its pool of open
// connections.
// SPDX-License-Identifier: Apache-2.0
#include "net/curl.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text.h"

namespace kw::net {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeMulti {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

/// Handles for one exchange at a time. The easy handle is destroyed before the multi handle, which
/// holds the connections.
struct Lane {
  std::unique_ptr<CURLM, FreeMulti> multi{curl_multi_init()};
  std::unique_ptr<CURL, FreeEasy> easy{curl_easy_init()};
};

/// What one exchange has received so far, filled by curl's callbacks.
struct Transfer {
  const HttpRequest* request = nullptr;
  const OnBody* on_body = nullptr;
  HttpHead head;
  bool has_head = false;
  std::size_t body_bytes = 0;
  Instant last_piece{};
  std::optional<Error> refused;  ///< Error of on_body, or that the answer is too large.
};

void add_header_line(HttpHead& head, std::string_view line) {
  if (line.starts_with("HTTP/")) {  // a new head: the one before was of a 1xx answer or of a proxy
    head = {};
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos && line.size() >= blank + 4)
      for (const char digit : line.substr(blank + 1, 3))
        head.status = head.status * 10 + (digit >= '0' && digit <= '9' ? digit - '0' : 0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  head.headers.push_back({std::move(name), std::string(trim(line.substr(colon + 1)))});
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const std::string_view line = trim(std::string_view(bytes, size * count));
  if (!line.empty()) {
    if (!transfer.has_head) add_header_line(transfer.head, line);  // later lines are trailers
  } else if (transfer.head.status >= 200) {
    transfer.has_head = true;
    transfer.last_piece = std::chrono::steady_clock::now();
  }
  return size * count;
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const std::string_view piece(bytes, size * count);
  transfer.last_piece = std::chrono::steady_clock::now();
  transfer.body_bytes += piece.size();
  if (transfer.body_bytes > transfer.request->max_answer_bytes) {
    transfer.refused = Error{"the server's answer is larger than the limit of " +
                                 format_bytes(transfer.request->max_answer_bytes),
                             shown_url(transfer.request->url),
                             Advice::GiveUp,
                             false,
                             ErrorCode::TooLarge,
                             "answer"};
    return CURL_WRITEFUNC_ERROR;
  }
  if (const Result<> taken = (*transfer.on_body)(transfer.head, piece); !taken) {
    transfer.refused = taken.error();
    return CURL_WRITEFUNC_ERROR;
  }
  return piece.size();
}

Result<HeaderList> header_list(const HttpRequest& request) {
  HeaderList list;
  const auto add = [&](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  for (const Header& header : request.headers) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
    if (std::any_of(header.name.begin(), header.name.end(), is_control) ||
        std::any_of(header.value.begin(), header.value.end(), is_control))
      return fail(ErrorCode::BadInput, About{sanitise(header.name, 60)},
                  "the HTTP header " + sanitise(header.name, 60) +
                      " holds a control character; check the API key",
                  shown_url(request.url));
    add(header.name + ": " + header.value);
  }
  add("Expect:");  // curl would wait up to a second for a 100 before it sends a large body
  return list;
}

/// The file of trusted certificates: $SSL_CERT_FILE, else the one that libcurl was built to read,
/// else the first that exists of the places where Linux distributions keep theirs, since a program
/// built on one distribution may run on another. Null: there is none.
const char* trusted_certificates() {
  static const std::string found = [] {
    const curl_version_info_data* built = curl_version_info(CURLVERSION_NOW);
    const std::initializer_list<const char*> files = {std::getenv("SSL_CERT_FILE"),
                                                      built->cainfo,
                                                      "/etc/ssl/certs/ca-certificates.crt",
                                                      "/etc/pki/tls/certs/ca-bundle.crt",
                                                      "/etc/ssl/ca-bundle.pem",
                                                      "/etc/ssl/cert.pem"};
    for (const char* file : files)
      if (file != nullptr && ::access(file, R_OK) == 0) return std::string(file);
    return std::string();
  }();
  return found.empty() ? nullptr : found.c_str();
}

void set_up(CURL* easy, const HttpRequest& request, const HeaderList& headers, Transfer& transfer) {
  curl_easy_reset(easy);  // keeps the open connections
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "kernelwright");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(request.timeouts.connect.count()));
  if (const char* file = trusted_certificates()) curl_easy_setopt(easy, CURLOPT_CAINFO, file);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  if (request.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
}

std::string seconds_text(Milliseconds duration) {
  return fmt::format("{:g} s", static_cast<double>(duration.count()) / 1000);
}

/// The time at which waiting ends in an error, the text of the error, and the member of
/// HttpTimeouts that sets the time.
struct Deadline {
  Instant at;
  std::string words;
  std::string_view limit;
};

Deadline next_deadline(const HttpRequest& request, const Transfer& transfer, Instant start) {
  const HttpTimeouts& limits = request.timeouts;
  Deadline deadline{start + limits.total,
                    "the server's answer was not complete after " + seconds_text(limits.total),
                    "total"};
  const Deadline quiet =
      transfer.has_head
          ? Deadline{transfer.last_piece + limits.idle,
                     "the server's answer stalled: no byte came for " + seconds_text(limits.idle),
                     "idle"}
          : Deadline{start + limits.first_byte,
                     "the server did not begin to answer within " + seconds_text(limits.first_byte),
                     "first_byte"};
  return quiet.at < deadline.at ? quiet : deadline;
}

/// Runs the exchange to its end. Returns curl's code, or the error of a limit that curl does not
/// enforce itself.
Result<CURLcode> drive(Lane& lane, const HttpRequest& request, const Transfer& transfer,
                       const std::stop_token& cancel) {
  const Instant start = std::chrono::steady_clock::now();
  CURLM* multi = lane.multi.get();
  const std::stop_callback wake(cancel, [multi] { curl_multi_wakeup(multi); });
  for (;;) {
    int running = 0;
    if (const CURLMcode code = curl_multi_perform(multi, &running); code != CURLM_OK)
      return fail(ErrorCode::Failed, About{"libcurl"},
                  std::string("libcurl: ") + curl_multi_strerror(code));
    int queued = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &queued))
      if (message->msg == CURLMSG_DONE) return message->data.result;
    if (cancel.stop_requested())
      return fail(ErrorCode::Cancelled, std::string(kCancelled), shown_url(request.url),
                  Advice::Stop);
    const Deadline deadline = next_deadline(request, transfer, start);
    const auto left =
        std::chrono::ceil<Milliseconds>(deadline.at - std::chrono::steady_clock::now());
    if (left <= Milliseconds::zero())
      return fail(ErrorCode::TimedOut, About{std::string(deadline.limit)}, deadline.words,
                  shown_url(request.url), Advice::Retry);
    curl_multi_poll(multi, nullptr, 0,
                    static_cast<int>(std::min(left, Milliseconds(60'000)).count()), nullptr);
  }
}

/// Makes `error` say that the request never left.
void set_not_sent(Error& error, std::string_view why, Advice advice = Advice::Retry) {
  error.code = ErrorCode::NoConnection;
  error.what = fmt::format("no connection: {}", why);
  error.advice = advice;
}

/// An error in place of curl's code, without the detail that may repeat the URL.
Error error_of(CURLcode code, const HttpRequest& request, const Transfer& transfer) {
  Error error{curl_easy_strerror(code), shown_url(request.url), Advice::Retry, false,
              ErrorCode::BrokenReply};
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      set_not_sent(error, "the address is neither an http nor an https address", Advice::Stop);
      break;
    case CURLE_COULDNT_RESOLVE_HOST:
      set_not_sent(error, "the host name cannot be resolved");
      break;
    case CURLE_COULDNT_CONNECT:
      set_not_sent(error, "no server answers at this address; is the server running?");
      break;
    case CURLE_OPERATION_TIMEDOUT:  // connecting is the only limit that curl enforces itself
      set_not_sent(error, "the connection was not established within " +
                              seconds_text(request.timeouts.connect));
      break;
    case CURLE_PEER_FAILED_VERIFICATION:
      set_not_sent(error, "the server's certificate is not trusted", Advice::Stop);
      break;
    case CURLE_SSL_CACERT_BADFILE:
      set_not_sent(error,
                   "this machine has no list of trusted certificates: apt-get install "
                   "ca-certificates, or name one in SSL_CERT_FILE",
                   Advice::Stop);
      break;
    default:
      error.about = transfer.has_head ? "connection" : "no answer";
      if (transfer.has_head)
        error.what = fmt::format("the connection to the server broke after {} of its answer",
                                 format_bytes(transfer.body_bytes));
      else
        error.what = fmt::format("no answer: {}", error.what);
  }
  return error;
}

class CurlClient final : public HttpClient {
 public:
  CurlClient() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    KW_ASSERT(started == CURLE_OK);
  }

  Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                        std::stop_token cancel) override {
    const HeaderList headers = KW_TRY(header_list(request));
    Transfer transfer;
    transfer.request = &request;
    transfer.on_body = &on_body;
    std::unique_ptr<Lane> lane = borrow();
    set_up(lane->easy.get(), request, headers, transfer);
    curl_multi_add_handle(lane->multi.get(), lane->easy.get());
    const Result<CURLcode> code = drive(*lane, request, transfer, cancel);
    curl_multi_remove_handle(lane->multi.get(), lane->easy.get());
    give_back(std::move(lane));
    if (!code) return std::unexpected(code.error());
    if (transfer.refused) return std::unexpected(*transfer.refused);
    if (*code != CURLE_OK) return std::unexpected(error_of(*code, request, transfer));
    return std::move(transfer.head);
  }

 private:
  std::unique_ptr<Lane> borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Lane>();
    std::unique_ptr<Lane> lane = std::move(idle_.back());
    idle_.pop_back();
    return lane;
  }
  void give_back(std::unique_ptr<Lane> lane) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace

std::unique_ptr<HttpClient> make_curl_client() { return std::make_unique<CurlClient>(); }

}  // namespace kw::net
