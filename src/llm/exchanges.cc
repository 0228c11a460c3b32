// Makes keys for exchanges, stores exchanges, and serves them again.
// SPDX-License-Identifier: Apache-2.0
#include "llm/exchanges.h"

#include <cstring>
#include <utility>

#include "base/hash.h"
#include "record/codec.h"

namespace kw::llm {
namespace {

constexpr std::size_t kExchangeCap = std::size_t{64} << 20;
constexpr const char* kExchangeSuffix = ".json";

Result<Exchange> read_exchange(const platform::Path& path) {
  auto exchange = decode<Exchange>(KW_TRY(platform::read_file(path, kExchangeCap)));
  if (!exchange)
    return fail(ErrorCode::Malformed, About{"exchange"},
                "the file does not hold a stored exchange with a model: " + exchange.error().what,
                path.string());
  return *std::move(exchange);
}

/// Passes a stored reply on as if the model were writing it now.
ChatReply serve(Exchange exchange, ReplyOrigin origin, const Call& call) {
  call.tell(Delta::Kind::Thinking, exchange.reply.thinking);
  call.tell(Delta::Kind::Text, exchange.reply.text);
  exchange.reply.origin = origin;
  return std::move(exchange.reply);
}

/// The stored exchange with this key; an error where its request is another one, as when a file was
/// put into the folder by mistake.
Result<std::optional<Exchange>> find_same(ExchangeStore& store, const std::string& key,
                                          const ChatRequest& request) {
  auto found = KW_TRY(store.find(key));
  if (found && found->request != request)
    return fail(ErrorCode::Changed, About{"request"},
                "the stored exchange with a model of this key belongs to another request", key,
                Advice::Stop);
  return found;
}

Exchange make_exchange(std::string key, const std::string& model, const std::string& scope,
                       const ChatRequest& request, const ChatReply& reply,
                       const platform::Clock& clock) {
  return {std::move(key), model, scope, request, reply, platform::utc_text(clock.wall_seconds())};
}

}  // namespace

Result<std::optional<Exchange>> FolderExchanges::find(const std::string& key) {
  const platform::Path path = folder_ / (key + kExchangeSuffix);
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble)) return std::nullopt;
  return KW_TRY(read_exchange(path));
}

Result<std::vector<Exchange>> FolderExchanges::all() const {
  std::vector<Exchange> exchanges;
  std::error_code trouble;
  if (!std::filesystem::exists(folder_, trouble)) return exchanges;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, trouble))
    if (entry.path().extension() == kExchangeSuffix)
      exchanges.push_back(KW_TRY(read_exchange(entry.path())));
  if (trouble)
    return fail(ErrorCode::Io, About{"folder"}, trouble.message(), folder_.string(), Advice::Stop);
  return exchanges;
}

Result<> FolderExchanges::keep(const Exchange& exchange) {
  KW_TRY(platform::make_dirs(folder_));
  return platform::write_file_atomic(folder_ / (exchange.key + kExchangeSuffix), encode(exchange));
}

std::string KeyMaker::next(const std::string& model, const std::string& scope,
                           const ChatRequest& request) {
  const Sha256 content =
      Sha256Stream().update_part(model).update_part(scope).update_part(encode(request)).finish();
  std::uint64_t beginning = 0;
  std::memcpy(&beginning, content.bytes.data(), sizeof beginning);
  const std::lock_guard guard(mutex_);
  const std::int32_t occurrence = ++asked_[beginning];
  return content.hex() + "-" + std::to_string(occurrence);
}

CacheModel::CacheModel(std::unique_ptr<ChatModel> inner, ExchangeStore& store,
                       platform::Clock& clock)
    : inner_(std::move(inner)), store_(store), clock_(clock) {}

Result<ChatReply> CacheModel::complete(const ChatRequest& request, Call& call) {
  const std::string key = keys_.next(name(), "", request);
  if (auto found = KW_TRY(find_same(store_, key, request))) {
    ChatReply reply = serve(*std::move(found), ReplyOrigin::Cache, call);
    if (reply.cost_usd) reply.cost_usd = 0;  // the reply was paid for when it was first asked for
    return reply;
  }
  auto reply = inner_->complete(request, call);
  if (reply && reply->stop == StopReason::End && why_unusable(*reply).empty())
    KW_TRY(store_.keep(make_exchange(key, name(), "", request, *reply, clock_)));
  return reply;
}

RecordModel::RecordModel(std::unique_ptr<ChatModel> inner, ExchangeStore& store,
                         platform::Clock& clock)
    : inner_(std::move(inner)), store_(store), clock_(clock) {}

Result<ChatReply> RecordModel::complete(const ChatRequest& request, Call& call) {
  const std::string key = keys_.next(name(), call.scope, request);
  if (auto found = KW_TRY(find_same(store_, key, request)))
    return serve(*std::move(found), ReplyOrigin::Replay, call);
  auto reply = inner_->complete(request, call);
  if (reply) KW_TRY(store_.keep(make_exchange(key, name(), call.scope, request, *reply, clock_)));
  return reply;
}

}  // namespace kw::llm
