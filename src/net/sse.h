// SseReader: server-sent events from a stream of bytes, wherever its pieces are cut.
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
  std::string name;  ///< Empty where the stream gave no name ("message" in browsers).
  std::string data;  ///< Lines joined by '\n'.
  bool operator==(const SseEvent&) const = default;
};

/// An incremental parser by the rules of the HTML standard, section 9.2.6: lines end in LF, CR or
/// CRLF, a leading byte order mark is dropped, comments are ignored. Bytes are passed on unchanged,
/// so a character that is cut between two pieces arrives whole.
class SseReader {
 public:
  using OnEvent = std::function<Result<>(const SseEvent&)>;

  /// `cap`: longest line and longest event to accept, in bytes.
  explicit SseReader(std::size_t cap = std::size_t{16} << 20) : cap_(cap) {}

  /// Calls `on_event` for every event that `bytes` completes; its error is returned at once. An
  /// event above the cap is an error.
  Result<> feed(std::string_view bytes, const OnEvent& on_event);

  /// Ends the stream. Unlike a browser, delivers an event whose final blank line is missing: some
  /// servers leave it out, and whoever reads the data can tell whether it is complete.
  Result<> finish(const OnEvent& on_event);

  /// Value of the last "retry:" line of the stream.
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
  /// The last byte was a CR that ended a line, so a line feed now belongs to it.
  bool was_cr_ = false;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace kw::net
