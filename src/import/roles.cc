// Tables of usual names of kernels' arguments.
// SPDX-License-Identifier: Apache-2.0
#include "import/roles.h"

#include <algorithm>
#include <array>
#include <span>

namespace kw::import {
namespace {

using Words = std::span<const std::string_view>;

constexpr auto kInput = std::to_array<std::string_view>(
    {"x", "in", "inp", "input", "inputs", "src", "source", "data", "vec", "values", "img", "image",
     "idata", "arr", "array", "matrix", "mat", "a"});
constexpr auto kOutput =
    std::to_array<std::string_view>({"y", "out", "output", "outputs", "dst", "dest", "result",
                                     "results", "res", "odata", "o", "ret", "sum", "total"});
constexpr auto kWeight =
    std::to_array<std::string_view>({"w", "weight", "weights", "gamma", "g", "scale"});
constexpr auto kBias = std::to_array<std::string_view>({"b", "bias", "beta", "shift"});
constexpr auto kCounts =
    std::to_array<std::string_view>({"h", "hist", "histogram", "bins", "counts", "bin"});
constexpr auto kAlpha = std::to_array<std::string_view>({"a", "alpha", "scale", "factor"});
constexpr auto kEpsilon = std::to_array<std::string_view>({"eps", "epsilon"});
constexpr auto kQuery = std::to_array<std::string_view>({"q", "query"});
constexpr auto kKey = std::to_array<std::string_view>({"k", "key"});
constexpr auto kValue = std::to_array<std::string_view>({"v", "value"});
constexpr auto kGroups = std::to_array<Words>(
    {kInput, kOutput, kWeight, kBias, kCounts, kAlpha, kEpsilon, kQuery, kKey, kValue});

constexpr auto kRows = std::to_array<std::string_view>(
    {"rows",      "row",        "m",      "batch",      "b",        "bs",     "batch_size",
     "batchsize", "n_rows",     "nrows",  "num_rows",   "numrows",  "height", "h",
     "outer",     "outer_size", "tokens", "num_tokens", "n_tokens", "ny",     "batch_dim"});
constexpr auto kCols = std::to_array<std::string_view>(
    {"cols",       "col",         "columns",      "d",         "dim",
     "hidden",     "hidden_size", "hidden_dim",   "n_cols",    "ncols",
     "num_cols",   "numcols",     "width",        "w",         "inner",
     "inner_size", "features",    "num_features", "c",         "channels",
     "row_size",   "dim_size",    "feature_size", "embed_dim", "normalized_size",
     "norm_size",  "vocab",       "vocab_size",   "classes",   "num_classes",
     "nx",         "row_length",  "reduce_size"});
constexpr auto kTotal = std::to_array<std::string_view>(
    {"n",      "size",           "len",         "length",     "count",     "numel",
     "total",  "num_elements",   "numelements", "n_elements", "elements",  "num",
     "nelem",  "total_elements", "total_size",  "sz",         "num_items", "element_count",
     "nitems", "array_size",     "num_el"});
constexpr auto kInner = std::to_array<std::string_view>({"k", "kdim", "inner_dim"});
constexpr auto kPitch = std::to_array<std::string_view>(
    {"pitch", "stride", "ld", "lda", "ldb", "ldc", "ldx", "ldy", "row_stride", "x_stride",
     "y_stride", "input_row_stride", "output_row_stride", "leading_dim", "in_stride",
     "out_stride"});

bool holds(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string bare_name(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::string_view word = small;
  for (const std::string_view prefix : {"d_", "h_", "dev_", "host_", "g_", "p_", "device_"})
    if (word.starts_with(prefix) && word.size() > prefix.size()) {
      word.remove_prefix(prefix.size());
      break;
    }
  for (const std::string_view suffix : {"_ptr", "_d", "_h", "_dev", "_device", "_data", "_t"})
    if (word.ends_with(suffix) && word.size() > suffix.size()) {
      word.remove_suffix(suffix.size());
      break;
    }
  return std::string(word);
}

int name_likeness(std::string_view program, std::string_view task) {
  const std::string a = bare_name(program);
  const std::string b = bare_name(task);
  if (a == b) return 10;
  for (const Words group : kGroups)
    if (holds(group, a) && holds(group, b)) return 6;
  return 0;
}

std::string_view size_role(std::string_view name) {
  const std::string word = bare_name(name);
  if (holds(kPitch, word)) return "pitch";
  if (holds(kTotal, word)) return "n";
  if (holds(kRows, word)) return "rows";
  if (holds(kCols, word)) return "cols";
  if (holds(kInner, word)) return "k";
  return "";
}

}  // namespace kw::import
