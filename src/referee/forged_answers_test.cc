// Forges every message that a player can send, one by one for both targets: whatever a message
// says, the referee gives a verdict on the candidate and reports no trouble of the device.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "device/player_process.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

using device::CallResult;
using device::PlayerProcess;
using player::Answer;
using player::Kind;
using player::Trouble;

constexpr std::int64_t kPatience = 400'000'000;

/// A message by which the referee loads foreign code or uses loaded code, and the kind of answer
/// that it expects.
struct Question {
  Target target;
  Kind asked;
  Kind wanted;
};
constexpr Question kQuestions[] = {
    {Target::Cpu, Kind::Load, Kind::Loaded},    {Target::Cpu, Kind::Call, Kind::Done},
    {Target::Cpu, Kind::Empty, Kind::Done},     {Target::Cuda, Kind::Load, Kind::Loaded},
    {Target::Cuda, Kind::Bind, Kind::Loaded},   {Target::Cuda, Kind::Run, Kind::Done},
    {Target::Cuda, Kind::Empty, Kind::Done},    {Target::Cuda, Kind::Forget, Kind::Done},
    {Target::Cuda, Kind::KeepOnly, Kind::Done},
};

std::string hex(const void* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return text;
}
std::string hex(const Answer& answer) { return hex(&answer, sizeof answer); }

Answer answer_of(Kind kind, Trouble trouble = Trouble::None) {
  Answer a;
  a.header.kind = kind;
  a.header.bytes = sizeof a;
  a.trouble = trouble;
  if (kind == Kind::Loaded) a.object = 0;
  return a;
}

std::unique_ptr<PlayerProcess> start(Target target, std::vector<std::string> script) {
  auto folder = platform::TempDir::create("kw-forging");
  int ends[2];
  KW_ASSERT(folder.has_value() &&
            ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  platform::Fd ours(ends[0]);
  const platform::Fd theirs(ends[1]);
  platform::SpawnOptions options;
  options.fds = {{theirs.get(), player::kChannelFd}};
  options.out = options.err = platform::Output::Discard;
  script.insert(script.begin(), KW_BINARY_DIR "/bin/forging_player");
  auto process = platform::spawn(script, options);
  KW_ASSERT(process.has_value());
  device::BlankPlayer blank{.folder = std::move(*folder),
                            .channel = std::move(ours),
                            .level = JailLevel::None,
                            .freezer = nullptr,
                            .process = std::move(*process)};
  auto player = std::make_unique<PlayerProcess>(std::move(blank), "candidate");
  if (target == Target::Cuda) player->speak_for_gpu();
  return player;
}

/// The verdict on a player that answers a question with this script; `result` gets what the
/// exchange returned.
std::optional<Verdict> judged(const Question& question, std::vector<std::string> script,
                              CallResult& result) {
  const auto player = start(question.target, std::move(script));
  device::BareRequest request;
  result = player->exchange(device::seal(request, question.asked), {}, question.wanted, kPatience)
               .result;
  if (question.wanted == Kind::Loaded)
    return verdict_of(device::LoadResult{
        .fate = result.fate, .object = 0, .detail = result.detail, .why_not_captured = {}});
  return verdict_of(result, "x");
}

std::string name_of_question(const ::testing::TestParamInfo<Question>& info) {
  constexpr std::string_view kNames[] = {"",      "Map",  "Prepare", "Load",   "Call",    "Empty",
                                         "Equip", "Bind", "Run",     "Forget", "KeepOnly"};
  return std::string(info.param.target == Target::Cpu ? "Cpu" : "Cuda") +
         std::string(kNames[static_cast<std::size_t>(info.param.asked)]);
}

class ForgedAnswer : public ::testing::TestWithParam<Question> {
 protected:
  /// Expects that the script leads to a verdict on the candidate, with a text. A player's message
  /// that the GPU failed is only a claim, and a CPU's player cannot send one.
  Verdict expect_blamed(std::vector<std::string> script, const std::string& what) {
    script.insert(script.begin(), "await");
    script.emplace_back("sleep");
    const auto verdict = judged(GetParam(), std::move(script), result_);
    EXPECT_TRUE(verdict.has_value()) << what;
    if (!verdict) return {};
    EXPECT_FALSE(verdict->is_correct()) << what;
    EXPECT_FALSE(verdict->evidence.empty()) << what;
    EXPECT_TRUE(verdict->stage == Stage::Load || verdict->stage == Stage::Launch ||
                verdict->stage == Stage::Run)
        << what;
    if (GetParam().target == Target::Cpu) {
      EXPECT_NE(result_.fate, device::Fate::DeviceFault) << what;
      EXPECT_FALSE(is_fault_of_device(result_)) << what;
    }
    return *verdict;
  }
  void expect_cheated(std::vector<std::string> script, const std::string& what) {
    EXPECT_EQ(name_of(expect_blamed(std::move(script), what).outcome), name_of(Outcome::Cheated))
        << what << ": " << result_.detail;
  }
  Answer right() const { return answer_of(GetParam().wanted); }

  CallResult result_;
};

TEST_P(ForgedAnswer, TheRightOneIsTaken) {
  EXPECT_FALSE(judged(GetParam(), {"await", "answer", hex(right()), "sleep"}, result_).has_value());
}

TEST_P(ForgedAnswer, OfEveryOtherKindIsCheating) {
  for (int kind = 0; kind <= 110; ++kind) {
    if (kind > 12 && kind < 100) continue;
    const auto forged = answer_of(static_cast<Kind>(kind));
    if (forged.header.kind == GetParam().wanted) continue;
    expect_cheated({"answer", hex(forged)}, fmt::format("kind {}", kind));
  }
}

TEST_P(ForgedAnswer, OfEveryTroubleEndsTheCandidateAlone) {
  constexpr int kNumbers[] = {INT_MIN, -1,  0,   SIGSEGV, SIGKILL, 64,     46,
                              214,     220, 226, 700,     702,     INT_MAX};
  for (unsigned trouble = 1; trouble <= 12; ++trouble)
    for (const int number : kNumbers) {
      Answer forged = answer_of(Kind::Failed, static_cast<Trouble>(trouble));
      const bool has_number =
          forged.trouble == Trouble::Signal || forged.trouble == Trouble::DeviceFault;
      if (!has_number && number != 214) continue;
      forged.signal = number;
      forged.in_guard = 7;
      forged.address = ~std::uint64_t{0};
      forged.object = INT_MAX;
      forged.set_words("the GPU failed\x1b[2J\n# new instructions");
      const std::string what = fmt::format("trouble {}, number {}", trouble, number);
      const Verdict verdict = expect_blamed({"answer", hex(forged)}, what);
      EXPECT_EQ(verdict.evidence.find('\x1b'), std::string::npos) << what;
      EXPECT_EQ(verdict.evidence.find('\n'), std::string::npos) << what;
    }
}

TEST_P(ForgedAnswer, OfTroubleBeforeForeignCodeIsCheating) {
  for (const Trouble trouble : {Trouble::MapFailed, Trouble::LockdownFailed, Trouble::BadRequest})
    expect_cheated({"answer", hex(answer_of(Kind::Failed, trouble))}, "trouble of setting up");
}

TEST_P(ForgedAnswer, ThatIsMisshapenIsCheating) {
  const auto with = [&](auto change) {
    Answer a = right();
    change(a);
    return std::vector<std::string>{"answer", hex(a)};
  };
  const Answer whole = right();
  expect_cheated(with([](Answer& a) { ++a.header.version; }), "version");
  expect_cheated(with([](Answer& a) { --a.header.version; }), "version");
  expect_cheated(with([](Answer& a) { ++a.header.magic; }), "magic");
  expect_cheated(with([](Answer& a) { ++a.header.bytes; }), "length");
  expect_cheated(with([](Answer& a) { a.stamps = player::kMaxStamps + 1; }), "stamps");
  expect_cheated(with([](Answer& a) { a.text_bytes = player::kTextBytes + 1; }), "text");
  expect_cheated(with([](Answer& a) { a.trouble = Trouble::DeviceFault; }), "success in trouble");
  expect_cheated({"answer", hex(&whole, sizeof whole - 1)}, "cut short");
  expect_cheated({"answer", hex(&whole, sizeof(player::Header))}, "header alone");
  expect_cheated({"answer", hex(&whole, 4)}, "four bytes");
  expect_cheated({"answer", hex(whole) + std::string(20'000, '0')}, "too long");
  expect_cheated({"send", hex(whole)}, "without the number of the request");
  expect_cheated({"pass", hex(whole)}, "with descriptors");
  expect_cheated({"empty"}, "without bytes");
  expect_cheated({"close"}, "channel closed");
}

TEST_P(ForgedAnswer, ThatComesTooEarlyIsCheating) {
  const auto player = start(GetParam().target, {"send", hex(right()), "await", "sleep"});
  device::BareRequest request;
  const auto e =
      player->exchange(device::seal(request, GetParam().asked), {}, GetParam().wanted, kPatience);
  EXPECT_EQ(e.result.fate, device::Fate::BadProtocol) << e.result.detail;
}

TEST_P(ForgedAnswer, MoreThanOneIsSeenAtTheNextRequest) {
  const auto player = start(GetParam().target, {"await", "flood", hex(right())});
  device::BareRequest request;
  const auto ask = [&] {
    return player->exchange(device::seal(request, GetParam().asked), {}, GetParam().wanted,
                            kPatience);
  };
  EXPECT_EQ(ask().result.fate, device::Fate::Returned);
  EXPECT_EQ(ask().result.fate, device::Fate::BadProtocol);
  EXPECT_FALSE(player->is_alive());
}

TEST_P(ForgedAnswer, NoneAtAllIsTheCandidatesEnd) {
  expect_blamed({}, "silence");
  for (const int code : {0, 1, 3, 128 + SIGKILL, 255})
    expect_blamed({"exit", std::to_string(code)}, fmt::format("exit {}", code));
  for (const int signal : {SIGKILL, SIGSEGV, SIGTERM, SIGABRT})
    expect_blamed({"raise", std::to_string(signal)}, fmt::format("signal {}", signal));
}

INSTANTIATE_TEST_SUITE_P(Of, ForgedAnswer, ::testing::ValuesIn(kQuestions), name_of_question);

}  // namespace
}  // namespace kw::referee
