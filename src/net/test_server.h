// A local HTTP server that misbehaves on request; for tests of net and llm only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kw::net {

/// One prepared answer, and how its connection ends.
struct TestAnswer {
  enum class End {
    Complete,
    Cut,    ///< The connection breaks after the last piece.
    Hang,   ///< Nothing more comes until the server is destroyed.
    Flood,  ///< The last piece is repeated until the client goes.
  };
  int status = 200;
  std::string content_type = "text/event-stream";
  std::vector<std::string> pieces{};  ///< Pieces of the body, each sent in its own chunk.
  End end = End::Complete;
  std::vector<std::pair<std::string, std::string>> headers{};
  bool is_buffered = false;        ///< The body is sent whole, with its length, as a proxy does.
  std::function<void()> before{};  ///< Called once the request is here, before anything is sent.
};

struct TestRequest {
  std::string path;
  std::string body;
  std::multimap<std::string, std::string> headers{};

  std::string header(const std::string& name) const {
    for (const auto& [key, value] : headers)
      if (key == name) return value;
    return {};
  }
};

/// Listens on 127.0.0.1 at a free port and gives its answers in order; after the last one, status
/// 500.
class TestServer {
 public:
  TestServer() {
    const auto handle = [this](const httplib::Request& in, httplib::Response& out) {
      answer(in, out);
    };
    server_.Post(".*", handle);
    server_.Get(".*", handle);
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_timeout(1);
    server_.new_task_queue = [] { return new httplib::ThreadPool(4); };
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    {
      const std::lock_guard guard(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  void add(TestAnswer answer) {
    const std::lock_guard guard(mutex_);
    answers_.push_back(std::move(answer));
  }

  std::vector<TestRequest> requests() const {
    const std::lock_guard guard(mutex_);
    return requests_;
  }

 private:
  void answer(const httplib::Request& in, httplib::Response& out) {
    TestAnswer next{500, "text/plain", {"no answer was prepared"}, {}, {}, true};
    {
      const std::lock_guard guard(mutex_);
      requests_.push_back({in.path, in.body, {in.headers.begin(), in.headers.end()}});
      if (!answers_.empty()) {
        next = std::move(answers_.front());
        answers_.pop_front();
      }
    }
    if (next.before) next.before();
    out.status = next.status;
    for (const auto& [name, value] : next.headers) out.set_header(name.c_str(), value);
    if (next.is_buffered) {
      std::string whole;
      for (const std::string& piece : next.pieces) whole += piece;
      out.set_content(whole, next.content_type.c_str());
      return;
    }
    out.set_chunked_content_provider(next.content_type.c_str(),
                                     [this, next](std::size_t, httplib::DataSink& sink) {
                                       for (const std::string& piece : next.pieces)
                                         if (!sink.write(piece.data(), piece.size())) return false;
                                       return end(next, sink);
                                     });
  }

  bool end(const TestAnswer& answer, httplib::DataSink& sink) {
    if (answer.end == TestAnswer::End::Complete) {
      sink.done();
      return true;
    }
    std::unique_lock lock(mutex_);
    if (answer.end == TestAnswer::End::Hang) over_.wait(lock, [this] { return is_over_; });
    while (answer.end == TestAnswer::End::Flood && !is_over_) {
      lock.unlock();
      const std::string& piece = answer.pieces.back();
      if (!sink.write(piece.data(), piece.size())) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
    return false;
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::deque<TestAnswer> answers_;
  std::vector<TestRequest> requests_;
};

}  // namespace kw::net
