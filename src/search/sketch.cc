// Splits a source into words, and computes MinHash values of its runs of words.
// SPDX-License-Identifier: Apache-2.0
#include "search/sketch.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/characters.h"
#include "lex/lexer.h"

namespace kw::search {
namespace {

// Words per run; runs of this length tell reordered lines from rewritten ones.
constexpr std::size_t kRun = 5;

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of MurmurHash3 (Appleby)
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // offset basis of the FNV-1a hash
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// Hashes of the words and single characters of punctuation in a source without comments; literals
/// are split like code.
std::vector<std::uint64_t> words_of(std::string_view source) {
  std::vector<std::uint64_t> words;
  const lex::Tokens tokens = lex::significant(source);
  for (const lex::Token& token : tokens)
    for (std::size_t i = 0; i < token.text.size();) {
      std::size_t end = i;
      while (end < token.text.size() && is_name_char(token.text[end])) ++end;
      end = std::max(end, i + 1);
      const std::string_view word = token.text.substr(i, end - i);
      if (!std::string_view(" \t\r\n").contains(word.front())) words.push_back(hash_of(word));
      i = end;
    }
  return words;
}

}  // namespace

Sketch sketch_of(std::string_view source) {
  const std::vector<std::uint64_t> words = words_of(source);
  Sketch least{};
  if (words.empty()) return least;
  least.fill(std::numeric_limits<std::uint32_t>::max());
  const std::size_t run = std::min(kRun, words.size());
  for (std::size_t i = 0; i + run <= words.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < run; ++k) hash = mixed(hash ^ words[i + k]);
    for (std::size_t place = 0; place < least.size(); ++place) {
      hash = mixed(hash + place + 1);
      least[place] = std::min(least[place], static_cast<std::uint32_t>(hash));
    }
  }
  return least;
}

double similarity(const Sketch& a, const Sketch& b) {
  if (a == Sketch{} || b == Sketch{}) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace kw::search
