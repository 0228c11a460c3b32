// Parsing of server-sent events: lines, fields, events.
// SPDX-License-Identifier: Apache-2.0
#include "net/sse.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/text.h"

namespace kw::net {

Result<> SseReader::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (std::exchange(was_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t feed = std::min(bytes.find('\n'), bytes.size());
    const std::size_t end = std::min(bytes.substr(0, feed).find('\r'), feed);
    if (line_.size() + end > cap_)
      return fail(
          ErrorCode::TooLarge, About{"line"},
          "a line of the server's event stream is longer than the limit of " + format_bytes(cap_));
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) return {};
    was_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    KW_TRY(end_line(on_event));
  }
  return {};
}

Result<> SseReader::finish(const OnEvent& on_event) {
  if (!line_.empty()) KW_TRY(end_line(on_event));
  return dispatch(on_event);
}

Result<> SseReader::end_line(const OnEvent& on_event) {
  const std::string line = std::exchange(line_, {});
  std::string_view text = line;
  if (std::exchange(is_first_line_, false) && text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  if (text.empty()) return dispatch(on_event);
  return take_field(text);
}

Result<> SseReader::take_field(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (event_.data.size() + value.size() + 1 > cap_)
      return fail(ErrorCode::TooLarge, About{"event"},
                  "an event of the server's event stream is longer than the limit of " +
                      format_bytes(cap_));
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.name = value;
  } else if (name == "retry") {
    long long milliseconds = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (error == std::errc() && end == value.data() + value.size() && milliseconds >= 0)
      retry_ = std::chrono::milliseconds(milliseconds);
  }
  return {};  // comments (an empty name), ids and unknown fields are ignored
}

Result<> SseReader::dispatch(const OnEvent& on_event) {
  const SseEvent event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return {};
  return on_event(event);
}

}  // namespace kw::net
