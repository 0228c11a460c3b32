// Merges lessons with the same key, and their lists of where each was seen.
// SPDX-License-Identifier: Apache-2.0
#include "record/lesson.h"

#include <algorithm>

namespace kw {
namespace {

constexpr int kSeenForCaution = 2;

bool has(const std::vector<Sighting>& all, const Sighting& one) {
  return std::any_of(all.begin(), all.end(), [&](const Sighting& s) {
    return s.run == one.run && s.attempt == one.attempt;
  });
}

}  // namespace

bool is_told(const Lesson& lesson) {
  return lesson.state != LessonState::Dropped &&
         (lesson.kind != LessonKind::Caution || lesson.seen >= kSeenForCaution);
}

Lesson merged(Lesson known, const Lesson& news) {
  if (known.state != LessonState::Live) return known;
  known.text = news.text;
  known.device = news.device;
  if (!news.source_sha256.empty()) known.source_sha256 = news.source_sha256;
  if (news.gain.value > 0) known.gain = news.gain;
  for (const Sighting& sighting : news.seen_in) {
    if (has(known.seen_in, sighting)) continue;
    ++known.seen;
    known.seen_in.push_back(sighting);
    // Where a lesson was seen first is kept, since it says where the lesson comes from.
    if (known.seen_in.size() > kMostSightings) known.seen_in.erase(known.seen_in.begin() + 1);
  }
  return known;
}

}  // namespace kw
