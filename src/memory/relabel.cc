// Compares names of techniques as sets of stemmed words.
// SPDX-License-Identifier: Apache-2.0
#include "memory/relabel.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "store/cards.h"

namespace kw::memory {
namespace {

constexpr std::size_t kNameBytes = 60;

}  // namespace

Relabeller::Words Relabeller::words_of(std::string_view name) {
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.insert(store::stem_of(word));
    word.clear();
  };
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else
      end_word();
  }
  end_word();
  return words;
}

Relabeller::Relabeller(const std::vector<std::string>& known) {
  for (const std::string& name : known) {
    Words words = words_of(name);
    if (!by_words_.emplace(words, names_.size()).second) continue;
    names_.push_back(name);
    words_.push_back(std::move(words));
  }
}

std::string Relabeller::label(std::string_view name) {
  const Words words = words_of(name);
  if (words.empty()) return {};
  if (const auto same = by_words_.find(words); same != by_words_.end()) return names_[same->second];
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (std::ranges::includes(words_[i], words) || std::ranges::includes(words, words_[i]))
      near.push_back(i);
  if (near.size() == 1) {
    by_words_.emplace(words, near.front());
    return names_[near.front()];
  }
  by_words_.emplace(words, names_.size());
  names_.push_back(sanitise(trim(name), kNameBytes));
  words_.push_back(words);
  return names_.back();
}

}  // namespace kw::memory
