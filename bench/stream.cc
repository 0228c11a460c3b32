// bench-stream N: asks a local server for N streamed replies. Prints three times in ns for each:
// what the client took beyond the server's own time, the server's time, and how late a piece
// arrived (median).
// SPDX-License-Identifier: Apache-2.0
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "llm/open_model.h"
#include "llm/providers.h"
#include "net/curl.h"

namespace {

using namespace kw;
using Instant = std::chrono::steady_clock::time_point;

constexpr int kPieces = 400;
constexpr std::chrono::milliseconds kPause(1);  // between pieces, for about 1,000 tokens a second

Instant now() { return std::chrono::steady_clock::now(); }

long long ns(std::chrono::nanoseconds span) { return span.count(); }

/// A server that speaks OpenAI's protocol and records when it sent each piece. It serves one
/// request at a time.
class Server {
 public:
  Server() {
    server_.set_tcp_nodelay(true);
    server_.Post(".*", [this](const httplib::Request&, httplib::Response& out) {
      arrived = now();
      sent.clear();
      out.set_chunked_content_provider(
          "text/event-stream",
          [this](std::size_t, httplib::DataSink& sink) { return write(sink); });
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Server() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }

  Instant arrived;            ///< When the latest request arrived.
  Instant ended;              ///< When the last bytes of the reply are about to be sent.
  std::vector<Instant> sent;  ///< When each piece of text was sent.

 private:
  bool write(httplib::DataSink& sink) {
    const auto say = [&sink](const std::string& json) {
      const std::string event = "data: " + json + "\n\n";
      return sink.write(event.data(), event.size());
    };
    for (int i = 0; i < kPieces; ++i) {
      std::this_thread::sleep_until(arrived + kPause * (i + 1));
      sent.push_back(now());
      if (!say(R"({"choices":[{"index":0,"delta":{"content":" float x = 1;"}}]})")) return false;
    }
    say(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":6000,"completion_tokens":1600}})");
    const std::string last = "data: [DONE]\n\n";
    ended = now();  // recorded before the client can see the end
    sink.write(last.data(), last.size());
    sink.done();
    return true;
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

long long median(std::vector<long long> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<> measure(int count) {
  Server server;
  const auto dir = KW_TRY(platform::TempDir::create("kw-bench-stream"));
  llm::FolderExchanges records(dir.path());
  llm::Ledger ledger(SpendLimits{.tokens = std::int64_t{1} << 40});
  const auto http = net::make_curl_client();
  llm::ModelSurroundings around;
  around.http = http.get();
  around.clock = &platform::real_clock();
  around.ledger = &ledger;
  around.records = &records;
  around.keys.set(*llm::provider_named("openai"), llm::Secret("bench"));
  const auto model =
      KW_TRY(llm::open_model(KW_TRY(llm::parse_model_spec("openai:bench", server.url())), around));
  ChatRequest request;
  request.messages = {{ChatRole::System, std::string(8'000, 's')},
                      {ChatRole::User, std::string(16'000, 'u')}};
  for (int i = 0; i < count; ++i) {
    std::vector<Instant> seen;
    llm::Call call;
    call.scope = "attempt " + std::to_string(i + 1);
    call.on_delta = [&seen](const llm::Delta&) { seen.push_back(now()); };
    const Instant began = now();
    KW_TRY(model->complete(request, call));
    const auto total = now() - began;
    const auto own = server.ended - server.arrived;
    std::vector<long long> late;
    for (std::size_t k = 0; k < std::min(seen.size(), server.sent.size()); ++k)
      late.push_back(ns(seen[k] - server.sent[k]));
    std::printf("%lld\t%lld\t%lld\n", ns(total - own), ns(own), median(std::move(late)));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-stream N\n");
    return 2;
  }
  const auto measured = measure(std::atoi(argv[1]));
  if (measured) return 0;
  std::fprintf(stderr, "bench-stream: %s\n", describe(measured.error()).c_str());
  return 3;
}
