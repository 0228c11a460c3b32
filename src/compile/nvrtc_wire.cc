// Encodes and decodes messages of kw-nvrtc: a count of parts, then each part after its length.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_wire.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kw::compile {
namespace {

void put_number(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

/// Takes a message apart. After one wrong length every further read is refused.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) {
      is_good_ = false;
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!is_good_ || size > rest_.size()) {
      is_good_ = false;
      return {};
    }
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  std::vector<std::string> texts() {
    const std::uint64_t count = number();
    if (count > kNvrtcParts) is_good_ = false;
    std::vector<std::string> out;
    for (std::uint64_t i = 0; is_good_ && i < count; ++i) out.push_back(text());
    return out;
  }
  /// Whether the whole message was read without an error and no bytes are left.
  bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

void put_texts(std::string& out, const std::vector<std::string>& texts) {
  put_number(out, texts.size());
  for (const std::string& text : texts) put_text(out, text);
}

/// The first word of a message tells its kind, so that a job is never taken for an answer.
constexpr std::uint64_t kJobMark = (std::uint64_t{kNvrtcMagic} << 32) | 1;
constexpr std::uint64_t kAnswerMark = (std::uint64_t{kNvrtcMagic} << 32) | 2;

template <class T>
std::optional<T> decode_fixed(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  if (bytes.size() != sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  if (value.magic != kNvrtcMagic) return std::nullopt;
  return value;
}

}  // namespace

void NvrtcGreeting::set_words(std::string_view words) {
  text_bytes = static_cast<std::uint32_t>(std::min(words.size(), sizeof text));
  std::memcpy(text, words.data(), text_bytes);
}

std::string encode(const NvrtcJob& job) {
  std::string out;
  put_number(out, kJobMark);
  put_number(out, job.prefix_bytes);
  put_number(out, job.log_bytes);
  put_number(out, job.object_bytes);
  put_text(out, job.source);
  put_number(out, job.headers.size());
  for (const auto& [name, text] : job.headers) {
    put_text(out, name);
    put_text(out, text);
  }
  put_texts(out, job.options);
  put_texts(out, job.names);
  return out;
}

std::optional<NvrtcJob> decode_job(std::string_view bytes) {
  if (bytes.size() > kNvrtcJobBytes) return std::nullopt;
  Reader in(bytes);
  if (in.number() != kJobMark) return std::nullopt;
  NvrtcJob job;
  job.prefix_bytes = in.number();
  job.log_bytes = in.number();
  job.object_bytes = in.number();
  job.source = in.text();
  const std::uint64_t headers = in.number();
  if (headers > kNvrtcParts) return std::nullopt;
  for (std::uint64_t i = 0; i < headers; ++i) {
    std::string name = in.text();
    job.headers.emplace_back(std::move(name), in.text());
  }
  job.options = in.texts();
  job.names = in.texts();
  if (!in.is_done() || job.prefix_bytes > job.source.size()) return std::nullopt;
  return job;
}

std::string encode(const NvrtcAnswer& answer) {
  std::string out;
  put_number(out, kAnswerMark);
  put_number(out, static_cast<std::uint64_t>(answer.result));
  put_number(out, answer.log_was_cut);
  put_number(out, answer.object_is_big);
  put_text(out, answer.result_name);
  put_text(out, answer.log);
  put_text(out, answer.object);
  put_texts(out, answer.symbols);
  return out;
}

std::optional<NvrtcAnswer> decode_answer(std::string_view bytes, std::size_t names) {
  Reader in(bytes);
  if (in.number() != kAnswerMark) return std::nullopt;
  NvrtcAnswer answer;
  const std::uint64_t result = in.number();
  const std::uint64_t log_was_cut = in.number();
  const std::uint64_t object_is_big = in.number();
  if (result > 1000 || log_was_cut > 1 || object_is_big > 1) return std::nullopt;
  answer.result = static_cast<std::int32_t>(result);
  answer.log_was_cut = static_cast<std::uint32_t>(log_was_cut);
  answer.object_is_big = static_cast<std::uint32_t>(object_is_big);
  answer.result_name = in.text();
  answer.log = in.text();
  answer.object = in.text();
  answer.symbols = in.texts();
  if (!in.is_done()) return std::nullopt;
  const bool is_whole = answer.result == 0 && !object_is_big;
  if (is_whole ? answer.object.empty() || answer.symbols.size() != names : !answer.object.empty())
    return std::nullopt;
  return answer;
}

std::optional<NvrtcGreeting> decode_greeting(std::span<const std::byte> bytes) {
  auto greeting = decode_fixed<NvrtcGreeting>(bytes);
  if (greeting &&
      (greeting->version != kNvrtcVersion || greeting->text_bytes > sizeof greeting->text))
    greeting.reset();
  return greeting;
}

std::optional<NvrtcPacket> decode_packet(std::span<const std::byte> bytes) {
  auto packet = decode_fixed<NvrtcPacket>(bytes);
  if (packet && packet->version != kNvrtcVersion) packet.reset();
  return packet;
}

std::optional<NvrtcFate> decode_fate(std::span<const std::byte> bytes) {
  return decode_fixed<NvrtcFate>(bytes);
}

}  // namespace kw::compile
