// Asks a model one small question, and describes whether it answered.
// SPDX-License-Identifier: Apache-2.0
#include "llm/check.h"

#include <utility>

#include "llm/providers.h"

namespace kw::llm {
namespace {

constexpr std::int64_t kOneToken = 1;
/// The smallest bound on a reply that some servers accept.
constexpr std::int64_t kFewestOfSome = 16;

ModelCheck failed(const Error& error, std::optional<Trouble> trouble) {
  ModelCheck check;
  check.is_asked = true;
  check.trouble = trouble.value_or(Trouble::Network);
  check.words = describe(error);
  return check;
}

ModelCheck not_asked(std::string words) {
  ModelCheck check;
  check.is_good = true;
  check.words = std::move(words);
  return check;
}

}  // namespace

ModelCheck check_model(const ModelSpec& spec, const ModelSurroundings& around,
                       std::stop_token cancel) {
  const ProviderInfo& info = info_of(spec.provider);
  if (info.answers == Answers::Person)
    return not_asked("a person answers for this model, so nothing was asked");
  const auto model = info.open(spec, around);
  if (!model) return failed(model.error(), Trouble::Key);
  if (info.answers == Answers::Script)
    return not_asked("a script file answers for this model: it was read, and nothing was asked");
  Call call;
  call.scope = "check";
  call.cancel = std::move(cancel);
  ChatRequest request;
  request.messages = {{ChatRole::User, "Say ok."}};
  const std::int64_t started = around.clock->now_ns();
  Result<ChatReply> reply;
  for (const std::int64_t tokens : {kOneToken, kFewestOfSome}) {
    request.max_tokens = tokens;
    reply = (*model)->complete(request, call);
    if (reply || reply.error().code != ErrorCode::Refused) break;
  }
  // A thinking model that reached the limit of output tokens has accepted key and name.
  if (!reply && reply.error().code != ErrorCode::OutOfTokens)
    return failed(reply.error(), call.report.trouble);
  ModelCheck check;
  check.is_asked = check.is_good = true;
  check.took_ns = static_cast<double>(around.clock->now_ns() - started);
  check.words = reply ? reply->model : spec.name;
  if (!reply) return check;
  check.usage = reply->usage;
  check.cost_usd = reply->cost_usd;
  return check;
}

ModelCheck check_embedder(const ModelSpec& spec, const ModelSurroundings& around,
                          std::stop_token cancel) {
  const auto opened = open_plain_embeddings(spec, around);
  if (!opened)
    return failed(opened.error(),
                  opened.error().code == ErrorCode::Unsupported ? Trouble::Name : Trouble::Key);
  const auto& model = *opened;
  Call call;
  call.scope = "check";
  call.cancel = std::move(cancel);
  const std::int64_t started = around.clock->now_ns();
  const auto vectors = model->embed({"ok"}, call);
  if (!vectors) return failed(vectors.error(), call.report.trouble);
  ModelCheck check;
  check.is_asked = check.is_good = true;
  check.took_ns = static_cast<double>(around.clock->now_ns() - started);
  check.words = vectors->model;
  check.usage = vectors->usage;
  check.cost_usd = vectors->cost_usd;
  return check;
}

}  // namespace kw::llm
