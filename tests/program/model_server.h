// A local server that speaks OpenAI's or Anthropic's protocol, with replies that a test prepares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/test_server.h"

namespace kw::program {

/// Streams `text` in pieces in the form of OpenAI's chat completions, with token usage at the end.
inline net::TestAnswer streamed(const std::string& text, int prompt_tokens = 1000,
                                int completion_tokens = 200) {
  constexpr std::size_t kPiece = 40;
  net::TestAnswer answer;
  const auto event = [&](const nlohmann::json& body) {
    answer.pieces.push_back("data: " + body.dump() + "\n\n");
  };
  for (std::size_t at = 0; at < text.size(); at += kPiece)
    event({{"model", "test-model-2026-01-01"},
           {"choices", {{{"index", 0}, {"delta", {{"content", text.substr(at, kPiece)}}}}}}});
  event({{"choices",
          {{{"index", 0}, {"delta", nlohmann::json::object()}, {"finish_reason", "stop"}}}}});
  event({{"choices", nlohmann::json::array()},
         {"usage", {{"prompt_tokens", prompt_tokens}, {"completion_tokens", completion_tokens}}}});
  answer.pieces.push_back("data: [DONE]\n\n");
  return answer;
}

/// Streams `text` in pieces in the form of Anthropic's messages; the usage says that a part of the
/// prompt came from the server's cache.
inline net::TestAnswer streamed_messages(const std::string& text, int prompt_tokens = 1000,
                                         int completion_tokens = 200) {
  constexpr std::size_t kPiece = 40;
  constexpr int kCached = 600;
  net::TestAnswer answer;
  const auto event = [&](const nlohmann::json& body) {
    answer.pieces.push_back("event: " + body["type"].get<std::string>() + "\ndata: " + body.dump() +
                            "\n\n");
  };
  event({{"type", "message_start"},
         {"message",
          {{"model", "test-model-20260101"},
           {"usage",
            {{"input_tokens", prompt_tokens - kCached},
             {"cache_read_input_tokens", kCached},
             {"output_tokens", 1}}}}}});
  event({{"type", "content_block_start"},
         {"index", 0},
         {"content_block", {{"type", "text"}, {"text", ""}}}});
  for (std::size_t at = 0; at < text.size(); at += kPiece)
    event({{"type", "content_block_delta"},
           {"index", 0},
           {"delta", {{"type", "text_delta"}, {"text", text.substr(at, kPiece)}}}});
  event({{"type", "content_block_stop"}, {"index", 0}});
  event({{"type", "message_delta"},
         {"delta", {{"stop_reason", "end_turn"}}},
         {"usage", {{"output_tokens", completion_tokens}}}});
  event({{"type", "message_stop"}});
  return answer;
}

enum class Protocol { OpenAi, Anthropic };

class ModelServer {
 public:
  explicit ModelServer(Protocol protocol = Protocol::OpenAi) : protocol_(protocol) {}
  std::string base_url() const { return server_.url() + "/v1"; }
  void reply(const std::string& text) {
    server_.add(protocol_ == Protocol::OpenAi ? streamed(text) : streamed_messages(text));
  }
  void add(net::TestAnswer answer) { server_.add(std::move(answer)); }
  std::size_t calls() const { return server_.requests().size(); }
  /// Text of the last message in the nth request, counted from 0.
  std::string prompt(std::size_t n) const { return body(n)["messages"].back()["content"]; }
  nlohmann::json body(std::size_t n) const {
    return nlohmann::json::parse(server_.requests().at(n).body);
  }
  std::vector<net::TestRequest> requests() const { return server_.requests(); }

 private:
  Protocol protocol_;
  net::TestServer server_;
};

}  // namespace kw::program
