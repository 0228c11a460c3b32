// A model that answers calls from a parsed script.
// SPDX-License-Identifier: Apache-2.0
#include "llm/scripted.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/text.h"
#include "llm/estimate.h"
#include "llm/prices.h"
#include "llm/providers.h"
#include "llm/waiting.h"
#include "llm/wire.h"

namespace kw::llm {
namespace {

/// The character at which a reply is split into the pieces of a stream.
constexpr char kPieceEnd = '\n';

class ScriptedChat final : public ChatModel {
 public:
  ScriptedChat(std::vector<ScriptEntry> script, ScriptedOptions options)
      : script_(std::move(script)), options_(std::move(options)), position_(options_.position) {}

  Result<ChatReply> complete(const ChatRequest& request, Call& call) override {
    call.report = {};
    const std::int64_t started = options_.clock->now_ns();
    const ScriptEntry& entry = *KW_TRY(next());
    KW_TRY(wait_for(*options_.clock, {entry.delay, name()}, call.cancel));
    switch (entry.fault) {
      case ScriptEntry::Fault::None:
        break;
      case ScriptEntry::Fault::Status:
        return refuse(entry, call);
      case ScriptEntry::Fault::Hang:
        KW_TRY(wait_for(*options_.clock, {options_.hang, name()}, call.cancel));
        call.report.spent.prompt_tokens = likely_tokens(bytes_of(request));
        return fail(ErrorCode::TimedOut, About{"hang"},
                    "no answer came, because the script of replies hangs at this entry",
                    options_.name, Advice::Retry);
      case ScriptEntry::Fault::Cut:
        speak(entry.reply, call);
        call.report.spent = usage_of(entry.reply, request);
        return fail(ErrorCode::BrokenReply, About{"end"},
                    "the stream ended before the reply was complete", options_.name, Advice::Retry);
    }
    speak(entry.reply, call);
    ChatReply reply = entry.reply;
    if (reply.model.empty()) reply.model = "scripted";
    reply.usage = usage_of(reply, request);
    reply.cost_usd = options_.price ? cost_usd(reply.usage, *options_.price) : 0;
    reply.latency_ns = options_.clock->now_ns() - started;
    return reply;
  }

  const std::string& name() const override { return options_.name; }

 private:
  Result<const ScriptEntry*> next() {
    const std::lock_guard guard(mutex_);
    std::int64_t left = position_++;
    for (const ScriptEntry& entry : script_) {
      if (entry.repeat == 0 || left < entry.repeat) return &entry;
      left -= entry.repeat;
    }
    return fail(
        ErrorCode::Missing, About{fmt::format("entry {}", position_)},
        fmt::format("the script of replies has ended: it has no entry for call {}", position_),
        options_.name, Advice::Stop);
  }

  Result<ChatReply> refuse(const ScriptEntry& entry, Call& call) const {
    ServerError error;
    error.status = entry.status;
    error.message = entry.reply.text.empty() ? "scripted" : std::string(trim(entry.reply.text));
    error.retry_after = call.report.retry_after = entry.retry_after;
    Endpoint endpoint;
    endpoint.spec.provider = provider_of(Answers::Script);
    Error out = to_error(error, endpoint);
    out.where = options_.name;
    return std::unexpected(std::move(out));
  }

  static void speak(const ChatReply& reply, const Call& call) {
    call.tell(Delta::Kind::Thinking, reply.thinking);
    for (std::string_view rest = reply.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find(kPieceEnd), rest.size() - 1) + 1;
      call.tell(Delta::Kind::Text, rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }

  static Usage usage_of(const ChatReply& reply, const ChatRequest& request) {
    if (reply.usage != Usage{}) return reply.usage;
    Usage usage;
    usage.prompt_tokens = likely_tokens(bytes_of(request));
    usage.completion_tokens = likely_tokens(reply.text.size() + reply.thinking.size());
    usage.is_estimated = true;
    return usage;
  }

  const std::vector<ScriptEntry> script_;
  const ScriptedOptions options_;
  std::mutex mutex_;
  std::int64_t position_;
};

}  // namespace

std::unique_ptr<ChatModel> make_scripted_chat(std::vector<ScriptEntry> script,
                                              ScriptedOptions options) {
  return std::make_unique<ScriptedChat>(std::move(script), std::move(options));
}

}  // namespace kw::llm
