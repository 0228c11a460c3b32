// Makes verdicts from what was seen.
// SPDX-License-Identifier: Apache-2.0
#include "record/verdict.h"

#include <utility>

namespace kw {

Verdict make_verdict(Stage stage, Outcome outcome, Evidence seen, Reason reason,
                     std::string about) {
  std::string words = words_of(seen);
  return {stage, outcome, std::move(words), reason, std::move(about), std::move(seen)};
}

void set_place(Verdict& verdict, std::string place) {
  verdict.seen.place = std::move(place);
  say_again(verdict);
}

void say_again(Verdict& verdict) { verdict.evidence = words_of(verdict.seen); }

}  // namespace kw
