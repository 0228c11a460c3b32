// Requests embeddings by OpenAI's protocol.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "llm/openai.h"
#include "llm/prices.h"
#include "llm/reply_parts.h"

namespace kw::llm {
namespace {

/// Well below the 2048 texts that OpenAI accepts; small local servers accept fewer.
constexpr std::size_t kTextsPerCall = 256;

class VectorReader final : public ReplyReader {
 public:
  explicit VectorReader(std::size_t texts) : vectors(texts) {}

  Result<> on_event(const net::SseEvent&) override {
    return fail(ErrorCode::BrokenReply, About{"event stream"},
                "the server sent an event stream where embeddings were expected");
  }

  Result<> on_whole(const Json& body) override {
    if (is_error(body)) {
      refusal = error_in_reply(body);
      return fail(ErrorCode::ServerFailed, About{refusal->message}, refusal->message);
    }
    const auto data = body.is_object() ? body.find("data") : body.end();
    if (!body.is_object() || data == body.end() || !data->is_array())
      return fail(ErrorCode::BrokenReply, About{"data"},
                  "the server's answer holds no 'data': is this an embeddings server?");
    for (std::size_t i = 0; i < data->size(); ++i) KW_TRY(take((*data)[i], i));
    usage.prompt_tokens = count_at(object_at(body, "usage"), "prompt_tokens");
    model = string_at(body, "model");
    return {};
  }

  Result<> finish() override {
    for (const auto& vector : vectors)
      if (vector.empty() || vector.size() != vectors.front().size())
        return fail(ErrorCode::BrokenReply, About{"vectors"},
                    "the server sent vectors of different lengths, or too few of them");
    return {};
  }

  std::vector<std::vector<float>> vectors;
  Usage usage;
  std::string model;
  std::optional<ServerError> refusal;  ///< An error that came under status 200.

 private:
  Result<> take(const Json& item, std::size_t position) {
    const bool has_index = item.is_object() && item.contains("index");
    const std::size_t index =
        has_index ? static_cast<std::size_t>(count_at(item, "index")) : position;
    const auto values = item.is_object() ? item.find("embedding") : item.end();
    if (index >= vectors.size() || !item.is_object() || values == item.end() || !values->is_array())
      return fail(
          ErrorCode::BrokenReply, About{"embedding"},
          "the server's answer holds an embedding that nobody asked for, or one without numbers");
    std::vector<float>& vector = vectors[index];
    vector.clear();
    vector.reserve(values->size());
    for (const Json& value : *values) {
      if (!value.is_number())
        return fail(ErrorCode::BrokenReply, About{"number"},
                    "an embedding in the server's answer holds something that is no number");
      vector.push_back(value.get<float>());
    }
    return {};
  }
};

class OpenAiEmbeddings final : public EmbeddingModel {
 public:
  explicit OpenAiEmbeddings(Endpoint endpoint)
      : endpoint_(std::move(endpoint)), name_(endpoint_.spec.text()) {}

  Result<Embeddings> embed(const std::vector<std::string>& texts, Call& call) override {
    Embeddings all;
    for (std::size_t from = 0; from < texts.size(); from += kTextsPerCall) {
      const std::size_t count = std::min(kTextsPerCall, texts.size() - from);
      KW_TRY(embed_batch({texts.data() + from, count}, call, all));
    }
    if (endpoint_.price) all.cost_usd = cost_usd(all.usage, *endpoint_.price);
    return all;
  }

  const std::string& name() const override { return name_; }

 private:
  Result<> embed_batch(std::span<const std::string> texts, Call& call, Embeddings& all) {
    call.report = {};
    Json body;
    body["model"] = endpoint_.spec.name;
    body["input"] = Json(std::vector<std::string>(texts.begin(), texts.end()));
    std::vector<net::Header> headers;
    if (endpoint_.key.is_set())
      headers.push_back({"Authorization", "Bearer " + endpoint_.key.reveal()});
    VectorReader reader(texts.size());
    const auto posted = post(endpoint_, "/embeddings", headers, body, reader, call);
    const auto& refusal = posted ? posted->refusal : reader.refusal;
    if (refusal || !posted) call.report.trouble = refusal ? trouble_of(*refusal) : Trouble::Network;
    if (refusal) return std::unexpected(to_error(*refusal, endpoint_));
    if (!posted) return std::unexpected(posted.error());
    for (auto& vector : reader.vectors) all.vectors.push_back(std::move(vector));
    all.usage.prompt_tokens += reader.usage.prompt_tokens;
    all.model = reader.model;
    return {};
  }

  Endpoint endpoint_;
  std::string name_;
};

}  // namespace

std::unique_ptr<EmbeddingModel> make_openai_embeddings(Endpoint endpoint) {
  return std::make_unique<OpenAiEmbeddings>(std::move(endpoint));
}

}  // namespace kw::llm
