// Writes prompts to files of a folder, and reads replies from there.
// SPDX-License-Identifier: Apache-2.0
#include "llm/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>
#include <utility>

#include "base/text.h"
#include "net/http.h"
#include "platform/locks.h"

namespace kw::llm {
namespace {

constexpr std::string_view kPromptEnd = ".prompt.md";
constexpr std::string_view kReplyEnd = ".reply.md";
constexpr std::size_t kReplyCap = std::size_t{4} << 20;

std::string_view heading_of(ChatRole role) {
  if (role == ChatRole::System) return "# Instructions";
  return role == ChatRole::User ? "# Message" : "# Your earlier answer";
}

/// The text of a prompt file, which a person copies into a chat; equal scope and request give equal
/// bytes.
std::string prompt_text(const ChatRequest& request, const std::string& scope) {
  std::string text =
      "<!-- " + (scope.empty() ? std::string("prompt") : sanitise(scope, 200)) + " -->\n";
  for (const ChatMessage& message : request.messages) {
    if (request.messages.size() > 1)
      text.append("\n").append(heading_of(message.role)).append("\n");
    text.append("\n").append(message.text);
    if (!text.ends_with('\n')) text += '\n';
  }
  return text;
}

/// The number of a prompt file, such as 7 for "007.prompt.md".
std::optional<int> number_of(std::string_view name) {
  if (!name.ends_with(kPromptEnd)) return std::nullopt;
  name.remove_suffix(kPromptEnd.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 1) return std::nullopt;
  return number;
}

class ManualChat final : public ChatModel {
 public:
  ManualChat(ManualOptions options, platform::FileLock lock)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        name_("manual:" + options_.folder.string()) {}

  Result<ChatReply> complete(const ChatRequest& request, Call& call) override {
    call.report = {};
    const std::int64_t started = options_.clock->now_ns();
    const int number = KW_TRY(put_prompt(prompt_text(request, call.scope)));
    const platform::Path reply = path_of(number, kReplyEnd);
    call.say(fmt::format("waiting for {}: give {} to a model and save its answer there",
                         reply.string(), path_of(number, kPromptEnd).filename().string()));
    ChatReply answer;
    answer.text = KW_TRY(await(reply, started, call));
    answer.model = "manual";
    answer.cost_usd = 0;
    answer.latency_ns = options_.clock->now_ns() - started;
    call.tell(Delta::Kind::Text, answer.text);
    return answer;
  }

  const std::string& name() const override { return name_; }

 private:
  platform::Path path_of(int number, std::string_view end) const {
    return options_.folder / fmt::format("{:03}{}", number, end);
  }

  /// Writes the prompt to a file unless an equal one exists that this process has not used. Returns
  /// the file's number.
  Result<int> put_prompt(const std::string& text) {
    const std::lock_guard guard(mutex_);
    int last = 0;
    for (const std::string& file : KW_TRY(platform::list_dir(options_.folder))) {
      const auto number = number_of(file);
      if (!number) continue;
      last = std::max(last, *number);
      if (used_.contains(*number)) continue;
      if (KW_TRY(platform::read_file(options_.folder / file)) != text) continue;
      used_.insert(*number);
      return *number;
    }
    used_.insert(last + 1);
    KW_TRY(platform::write_file_atomic(path_of(last + 1, kPromptEnd), text));
    return last + 1;
  }

  Result<std::string> await(const platform::Path& path, std::int64_t started, Call& call) {
    std::string before;
    for (;;) {
      std::error_code trouble;
      if (std::filesystem::exists(path, trouble)) {
        std::string now = KW_TRY(platform::read_file(path, kReplyCap));
        // An editor or a copy may still be writing the file, so only text that stayed the same is
        // taken.
        if (!trim(now).empty() && now == before) return now;
        before = std::move(now);
      }
      if (call.cancel.stop_requested()) {
        call.report.is_pending = true;
        return fail(ErrorCode::Cancelled, std::string(net::kCancelled), path.string(),
                    Advice::Stop);
      }
      if (options_.timeout &&
          std::chrono::nanoseconds(options_.clock->now_ns() - started) > *options_.timeout)
        return fail(ErrorCode::TimedOut, About{"reply"},
                    "nobody saved a reply in this file within the time limit", path.string(),
                    Advice::GiveUp);
      options_.clock->sleep_for(options_.poll);
    }
  }

  const ManualOptions options_;
  const platform::FileLock lock_;
  const std::string name_;
  std::mutex mutex_;
  std::set<int> used_;  ///< Numbers under which this process has asked.
};

}  // namespace

Result<std::unique_ptr<ChatModel>> make_manual_chat(ManualOptions options) {
  KW_TRY(platform::make_dirs(options.folder));
  auto lock = KW_TRY(platform::FileLock::acquire(options.folder / ".lock", "kw, manual model"));
  return std::make_unique<ManualChat>(std::move(options), std::move(lock));
}

}  // namespace kw::llm
