// Runs text cases: setup, command lines, expectations.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "../program/kw.h"
#include "case.h"

namespace kw::program {
namespace {

using nlohmann::json;

/// Thrown if a statement's expectation is not met, or its action is impossible.
using Complaint = std::runtime_error;

std::string shown(const Ran& ran) {
  return "\nstandard output:\n" + ran.out + "standard error:\n" + ran.err;
}

class Player {
 public:
  /// Executes a statement. Returns true if the rest of the case must be skipped; the reason is then
  /// printed.
  bool carry_out(const Statement& statement);
  /// Fails if the last command's exit code was not 0 and the case did not mention it.
  void settle();

 private:
  void start(const std::string& words);
  void expect_line(const std::string& pattern, const std::string& stream, std::size_t& from) const;
  void expect_only_line(const std::string& pattern, const std::string& stream) const;
  void expect_nothing(const std::string& what) const;
  void expect_json(const std::string& text) const;
  void change(const Statement& statement) const;
  void write_bytes(const std::string& text) const;
  void copy(const std::string& text) const;
  std::string path(const std::string& file) const { return (workspace_.path() / file).string(); }
  const Ran& ran() const {
    if (!ran_) throw Complaint("no command before this");
    return *ran_;
  }

  Workspace workspace_;
  Words env_;
  std::optional<Ran> ran_;
  std::size_t out_seen_ = 0;  ///< Up to where the lines of an output were matched.
  std::size_t err_seen_ = 0;
  bool is_code_known_ = false;
  bool needs_jail_ = false;
};

void Player::settle() {
  if (ran_ && !is_code_known_ && ran_->code != 0)
    throw Complaint("the command above ended with " + std::to_string(ran_->code) + shown(*ran_));
}

void Player::start(const std::string& words) {
  settle();
  ran_ = workspace_.kw(split_words(words), env_);
  out_seen_ = err_seen_ = 0;
  is_code_known_ = false;
}

void Player::expect_line(const std::string& pattern, const std::string& stream,
                         std::size_t& from) const {
  for (std::size_t at = from; at < stream.size();) {
    const std::size_t end = std::min(stream.find('\n', at), stream.size());
    if (matches(pattern, std::string_view(stream).substr(at, end - at))) {
      from = end + 1;
      return;
    }
    at = end + 1;
  }
  throw Complaint("no such line after those before it" + shown(ran()));
}

void Player::expect_only_line(const std::string& pattern, const std::string& stream) const {
  if (std::count(stream.begin(), stream.end(), '\n') != 1 || !stream.ends_with('\n') ||
      !matches(pattern, std::string_view(stream).substr(0, stream.size() - 1)))
    throw Complaint("not this one line" + shown(ran()));
}

void Player::expect_nothing(const std::string& what) const {
  if (what != "out" && what != "err") throw Complaint("'no' wants out, err or file:");
  if (!(what == "out" ? ran().out : ran().err).empty())
    throw Complaint("something was printed" + shown(ran()));
}

void Player::expect_json(const std::string& text) const {
  const json object = json::parse(ran().out, nullptr, false);
  if (!object.is_object() || ran().out.find('\n') != ran().out.size() - 1)
    throw Complaint("standard output is not exactly one object on one line" + shown(ran()));
  if (text.empty()) return;
  const std::size_t equals = text.find(" = ");
  const json::json_pointer place(text.substr(0, equals));
  if (!object.contains(place)) throw Complaint("no such key in\n" + object.dump(2));
  if (equals == std::string::npos) return;
  const json& value = object[place];
  const std::string wanted = text.substr(equals + 3);
  const bool holds = value.is_string() ? matches(wanted, value.get<std::string>())
                                       : value == json::parse(wanted, nullptr, false);
  if (!holds) throw Complaint("it is " + value.dump());
}

void Player::change(const Statement& s) const {
  const std::size_t colon = s.rest.find(": ");
  const std::size_t arrow = s.rest.find(" => ");
  if (colon == std::string::npos || arrow == std::string::npos)
    throw Complaint("'change' wants FILE: OLD => NEW");
  const std::string file = s.rest.substr(0, colon);
  const std::string from = s.rest.substr(colon + 2, arrow - colon - 2);
  std::string text = workspace_.read(file);
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw Complaint("the file does not hold this");
  workspace_.write(file, text.replace(at, from.size(), s.rest.substr(arrow + 4)));
}

void Player::write_bytes(const std::string& rest) const {
  const auto words = split_words(rest);
  std::string bytes;
  for (std::size_t i = 1; i < words.size(); ++i)
    bytes += static_cast<char>(std::stoi(words[i], nullptr, 16));
  workspace_.write(words.at(0), bytes);
}

void Player::copy(const std::string& rest) const {
  const auto words = split_words(rest);
  const platform::Path to = path(words.at(1));
  std::filesystem::create_directories(to.parent_path());
  std::filesystem::copy(platform::Path(KW_SOURCE_DIR) / words.at(0), to,
                        std::filesystem::copy_options::recursive);
}

bool Player::carry_out(const Statement& s) {
  const std::map<std::string, std::function<void()>> verbs{
      {"needs", [&] { needs_jail_ = needs_jail_ || s.rest == "jail"; }},
      {"env", [&] { env_.push_back(s.rest); }},
      {"write", [&] { workspace_.write(s.rest, s.block); }},
      {"bytes", [&] { write_bytes(s.rest); }},
      {"copy", [&] { copy(s.rest); }},
      {"remove", [&] { std::filesystem::remove_all(path(s.rest)); }},
      {"change", [&] { change(s); }},
      {"size",
       [&] {
         const auto words = split_words(s.rest);
         workspace_.write(words.at(0), "");
         std::filesystem::resize_file(path(words.at(0)), std::stoull(words.at(1)));
       }},
      {"kw", [&] { start(s.rest); }},
      {"exit",
       [&] {
         is_code_known_ = true;
         if (std::to_string(ran().code) != s.rest)
           throw Complaint("it was " + std::to_string(ran().code) + shown(ran()));
       }},
      {"out:", [&] { expect_line(s.rest, ran().out, out_seen_); }},
      {"err:", [&] { expect_line(s.rest, ran().err, err_seen_); }},
      {"out-only:", [&] { expect_only_line(s.rest, ran().out); }},
      {"err-only:", [&] { expect_only_line(s.rest, ran().err); }},
      {"json", [&] { expect_json(s.rest); }},
      {"file:",
       [&] {
         if (workspace_.read(s.rest).empty()) throw Complaint("it is missing or empty");
       }},
      {"no",
       [&] {
         if (!s.rest.starts_with("file: ")) return expect_nothing(s.rest);
         if (std::filesystem::exists(path(s.rest.substr(6)))) throw Complaint("it exists");
       }},
  };
  const auto verb = verbs.find(s.verb);
  if (verb == verbs.end()) throw Complaint("unknown statement");
  verb->second();
  return s.verb == "kw" && needs_jail_ && lacks_jail(*ran_);
}

}  // namespace

void run_case(const std::string& file) {
  const auto text = platform::read_file(file);
  ASSERT_TRUE(text) << file;
  int line = 0;
  try {
    Player player;
    for (const Statement& statement : parse_case(*text)) {
      line = statement.line;
      if (player.carry_out(statement)) GTEST_SKIP() << "no jail here can hold a candidate";
    }
    player.settle();
  } catch (const std::exception& e) {
    ADD_FAILURE_AT(file.c_str(), line) << e.what();
  }
}

}  // namespace kw::program
