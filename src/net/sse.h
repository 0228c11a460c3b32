// SseReader: server-sent events from a byte stream, whatever its pieces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw::net {

struct SseEvent {
  std::string name;  ///< Empty where the stream gave none ("message" in browsers).
  std::string data;  ///< Lines joined by '\n'.
  bool operator==(const SseEvent&) const = default;
};

/// Incremental, by the rules of the HTML standard §9.2.6: lines end in LF, CR or CRLF, a leading
/// byte order mark is dropped, comments are ignored. Bytes are passed on as they are, so a
/// character cut between two pieces arrives whole.
class SseReader {
 public:
  using OnEvent = std::function<Result<>(const SseEvent&)>;

  /// Longest line and longest event accepted, in bytes.
  explicit SseReader(std::size_t cap = std::size_t{16} << 20) : cap_(cap) {}

  /// Calls `on_event` for every event that `bytes` completes; its error is returned at once. An
  /// event above the cap is an error.
  Result<> feed(std::string_view bytes, const OnEvent& on_event);

  /// Ends the stream. Unlike a browser it hands over an event whose final blank line is missing:
  /// some servers leave it out, and whoever reads the data can tell whether it is whole.
  Result<> finish(const OnEvent& on_event);

  /// The last "retry:" of the stream.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  Result<> end_line(const OnEvent& on_event);
  Result<> take_field(std::string_view line);
  Result<> dispatch(const OnEvent& on_event);

  std::size_t cap_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool was_cr_ = false;  ///< The last byte ended a line, so a line feed now belongs to it.
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace kw::net
