// Fuzzes answers of a model's server: any bytes, in any pieces and under any status, give a reply
// or an error, and neither contains the API key.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "llm/anthropic.h"
#include "llm/openai.h"
#include "net/fake_http_for_test.h"
#include "platform/clock.h"

namespace {

constexpr std::string_view kKey = "sk-fuzz-0123456789";

void ask(bool is_anthropic, int status, std::string_view body, std::size_t piece) {
  kw::net::FakeHttp http;
  kw::platform::FakeClock clock;
  for (int i = 0; i < 8; ++i) {  // a refusal may be answered with another request
    kw::net::FakeAnswer answer;
    answer.head.status = status;
    for (std::size_t at = 0; at < body.size(); at += piece)
      answer.pieces.emplace_back(body.substr(at, piece));
    http.add(std::move(answer));
  }
  kw::llm::Endpoint endpoint;
  endpoint.http = &http;
  endpoint.clock = &clock;
  endpoint.spec = *kw::llm::parse_model_spec(is_anthropic ? "anthropic:m" : "openai:m");
  endpoint.key = kw::llm::Secret(std::string(kKey));
  endpoint.redactor.add(endpoint.key);
  const auto model =
      is_anthropic ? kw::llm::make_anthropic_chat(endpoint) : kw::llm::make_openai_chat(endpoint);
  kw::ChatRequest request;
  request.messages = {{kw::ChatRole::System, "rules"}, {kw::ChatRole::User, "question"}};
  request.temperature = 0.5;
  request.effort = "high";
  kw::llm::Call call;
  const auto reply = model->complete(request, call);
  if (reply && reply->usage.total() < 0) __builtin_trap();
  if (!reply && (reply.error().what.empty() || reply.error().what.find(kKey) != std::string::npos ||
                 reply.error().what.find('\n') != std::string::npos))
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr int statuses[] = {200, 200, 200, 200, 400, 422, 429, 302};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = (data[0] & 16) != 0 ? 7 : size;
  ask((data[0] & 8) != 0, statuses[data[0] & 7], body, piece);
  return 0;
}
