// Determines which integers are secret, and removes them from sentences.
// SPDX-License-Identifier: Apache-2.0
#include "propose/veil.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/characters.h"
#include "base/contains.h"
#include "base/text.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

constexpr std::int64_t kLeastSecret = 4;  // smaller numbers are dimensions, steps and the like
constexpr std::int64_t kNearEnd = 64;     // coordinates nearer than this are counted from the end
constexpr std::string_view kSomewhere = "a hidden workload";

/// End of the integer that begins at `at`, or `at` where none begins. "0.5", "e7" and "x2" hold no
/// integer.
std::size_t end_of_integer(std::string_view text, std::size_t at) {
  if (!is_digit(text[at])) return at;
  if (at > 0 && (is_name_char(text[at - 1]) || text[at - 1] == '.')) return at;
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  const bool is_fraction = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
  return is_fraction || (end < text.size() && is_name_char(text[end])) ? at : end;
}

std::int64_t value_of(std::string_view digits) {
  std::int64_t value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Replaces counts such as "34 of 32895 elements looked at", which reveal a size, by a share.
void share_counts(std::string& text) {
  constexpr std::string_view kTail = " elements looked at";
  const std::size_t tail = text.find(kTail);
  if (tail == std::string::npos) return;
  std::size_t all = tail;
  while (all > 0 && is_digit(text[all - 1])) --all;
  constexpr std::string_view kOf = " of ";
  if (all == tail || !std::string_view(text).substr(0, all).ends_with(kOf)) return;
  std::size_t part = all - kOf.size();
  const std::size_t part_end = part;
  while (part > 0 && is_digit(text[part - 1])) --part;
  const auto digits = std::string_view(text);
  const double wrong = static_cast<double>(value_of(digits.substr(part, part_end - part)));
  const double looked = static_cast<double>(value_of(digits.substr(all, tail - all)));
  if (part == part_end || looked <= 0) return;
  const std::string words =
      wrong >= looked ? "all elements looked at"
                      : fmt::format("a share of {:.1g} of the elements looked at", wrong / looked);
  text.replace(part, tail + kTail.size() - part, words);
}

/// Removes the size from "the last index of dimension 1 (254)" and "the last 3 of 255 indices of
/// dimension 1".
void drop_extents(std::string& text) {
  if (const std::size_t at = text.find("last index of dimension "); at != std::string::npos) {
    const std::size_t open = text.find(" (", at);
    const std::size_t close = text.find(')', at);
    if (open != std::string::npos && close != std::string::npos && open < close)
      text.erase(open, close + 1 - open);
  }
  const std::size_t at = text.find(" indices of dimension ");
  if (at == std::string::npos) return;
  const std::size_t of = text.rfind(" of ", at - 1);
  if (of != std::string::npos && at - of < 25) text.erase(of, at - of);
}

/// Replaces secret integers by N. Guessed tile sizes, which end a sentence, are kept: they are
/// powers of two and not sizes of the workload.
std::string without_secrets(std::string_view text, const std::set<std::int64_t>& secrets) {
  constexpr std::string_view kTiles = "as if tiles had size ";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(kTiles)) {
      const std::size_t end = std::min(text.find('.', at), text.size());
      out += text.substr(at, end - at);
      at = end;
      continue;
    }
    const std::size_t end = end_of_integer(text, at);
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string_view digits = text.substr(at, end - at);
    out += secrets.contains(value_of(digits)) ? "N" : std::string(digits);
    at = end;
  }
  return out;
}

/// Counts coordinates near an end from that end: "[3, 254]" in a tensor of 129 x 255 becomes "[3,
/// end-0]". Lines that do not begin with coordinates are not changed.
std::string coordinates_from_end(std::string_view line, const std::vector<std::int64_t>& sizes) {
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return std::string(line);
  const auto parts = split(line.substr(1, close - 1), ',');
  if (parts.size() != sizes.size()) return std::string(line);
  std::vector<std::string> told;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const std::int64_t at = value_of(trim(parts[d]));
    const std::int64_t from_end = sizes[d] - 1 - at;
    const bool is_near_end = 2 * at > sizes[d] && from_end >= 0 && from_end < kNearEnd;
    told.push_back(is_near_end ? fmt::format("end-{}", from_end) : std::string(trim(parts[d])));
  }
  const std::string_view rest = line.substr(close + 1);
  const std::size_t blank = std::min(rest.find_first_not_of(' '), rest.size());
  return fmt::format("{:<{}}{}", "[" + join(told, ", ") + "] ", close + 1 + blank,
                     rest.substr(blank));
}

}  // namespace

Veil::Veil(const task::Definition& task) {
  for (const task::WorkloadSpec& spec : task.workloads) {
    if (spec.group != Group::Check) continue;
    const auto workload = task::resolve(task, spec);
    if (!workload) continue;  // A workload that cannot be evaluated is not mentioned in any text.
    Hidden hidden{spec.name, "'" + spec.name + "'", {}, {}};
    const auto keep = [&hidden](std::int64_t secret) {
      for (const std::int64_t value : {secret - 1, secret, secret + 1})
        if (value >= kLeastSecret) hidden.secrets.insert(value);
    };
    for (const auto& [name, value] : workload->dims) keep(value);
    for (const Tensor& tensor : workload->tensors) {
      for (const std::int64_t size : tensor.sizes) keep(size);
      for (const std::int64_t value :
           {tensor.pitch, tensor.rows(), tensor.extent(), tensor.bytes(),
            tensor.rows() * (tensor.sizes.empty() ? 1 : tensor.sizes.back())})
        keep(value);
      hidden.sizes[tensor.name] = tensor.sizes;
    }
    hidden_.push_back(std::move(hidden));
  }
}

const Veil::Hidden* Veil::find(std::string_view text) const {
  for (const Hidden& hidden : hidden_)
    if (text.find(hidden.quoted) != std::string_view::npos ||
        (text.starts_with(hidden.name) &&
         (text.size() == hidden.name.size() || text[hidden.name.size()] == ':')))
      return &hidden;
  return nullptr;
}

std::string Veil::cover(std::string_view text, std::string_view place) const {
  const Hidden* hidden = find(place);
  if (hidden == nullptr) return std::string(text);
  std::string covered(text);
  share_counts(covered);
  drop_extents(covered);
  covered = without_secrets(covered, hidden->secrets);
  replace_all(covered, "workload " + hidden->quoted, kSomewhere);
  replace_all(covered, hidden->quoted, kSomewhere);
  if (covered.starts_with(hidden->name + ":"))
    covered.replace(0, hidden->name.size(), "A hidden workload");
  return covered;
}

Finding Veil::cover(const Finding& finding) const {
  const std::string& place = find(finding.place) != nullptr ? finding.place : finding.text;
  const Hidden* hidden = find(place);
  if (hidden == nullptr) return finding;
  Finding covered = finding;
  covered.text = cover(finding.text, place);
  covered.place.clear();
  covered.numbers.clear();  // they are what the text is freed from
  const std::vector<std::int64_t>* sizes = nullptr;
  for (const auto& [tensor, known] : hidden->sizes)
    if (place.find("tensor '" + tensor + "'") != std::string::npos) sizes = &known;
  covered.frame.clear();
  for (const std::string_view line : split_lines(finding.frame))
    covered.frame +=
        (sizes == nullptr ? std::string(line) : coordinates_from_end(line, *sizes)) + "\n";
  return covered;
}

}  // namespace kw::propose
