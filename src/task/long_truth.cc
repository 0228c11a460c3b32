// Generates the code that widens tensors before a reference runs and rounds them afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "task/long_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "lex/lexer.h"
#include "task/units.h"

namespace kw::task {
namespace {

constexpr const char* kWidened = R"(#include <stdint.h>
#include <stdlib.h>

namespace {
class KwWidened {
 public:
  KwWidened(const double* from, int64_t count)
      : count_(count), data_(static_cast<long double*>(malloc((count + 1) * sizeof *data_))) {
    if (data_ == nullptr) abort();
    for (int64_t i = 0; i < count_; ++i) data_[i] = from[i];
  }
  KwWidened(const KwWidened&) = delete;
  ~KwWidened() { free(data_); }
  long double* data() { return data_; }
  // Writes only what has changed, so that all else keeps its bits: NaN would not survive conversion.
  void round_to(double* to) const {
    for (int64_t i = 0; i < count_; ++i) {
      const long double before = to[i];
      const bool is_same =
          data_[i] == before ? __builtin_signbit(data_[i]) == __builtin_signbit(before)
                             : __builtin_isnan(data_[i]) && __builtin_isnan(before);
      if (!is_same) to[i] = static_cast<double>(data_[i]);
    }
  }

 private:
  int64_t count_;
  long double* data_;
};
}  // namespace
)";

std::string extent_of(const Parameter& tensor) { return "kw_extent_" + tensor.name; }

}  // namespace

Task with_extents(Task task) {
  std::vector<Parameter> extents;
  for (const Parameter& p : task.signature)
    if (p.is_tensor) extents.push_back({extent_of(p), false, Dtype::I64, TensorRole::In});
  task.signature.insert(task.signature.end(), extents.begin(), extents.end());
  return task;
}

std::string long_truth_text(const Task& task) {
  std::string widened, rounded;
  std::vector<std::string> given, passed;
  for (const Parameter& p : task.signature) {
    const bool is_widened = p.is_tensor && is_real(p.dtype);
    given.push_back(p.name);
    passed.push_back(is_widened ? fmt::format("kw_{}.data()", p.name) : p.name);
    if (!is_widened) continue;
    widened += fmt::format("  KwWidened kw_{0}({0}, {1});\n", p.name, extent_of(p));
    if (p.role != TensorRole::In) rounded += fmt::format("  kw_{0}.round_to({0});\n", p.name);
  }
  const std::string_view macro(kTruthInDouble);
  return fmt::format(
      "{}\nstatic void {}({}) {{\n#ifdef {}\n  reference<double>({});\n#else\n"
      "{}  reference<long double>({});\n{}#endif\n}}\n\n",
      kWidened, kLongTruth, parameter_list(with_extents(task), "double"),
      macro.substr(0, macro.find('=')), join(given, ", "), widened, join(passed, ", "), rounded);
}

std::optional<int> line_of_double(const Definition& definition) {
  if (!has_long_truth(definition.task)) return std::nullopt;
  const std::string_view text = definition.reference;
  bool is_long = false;
  for (const lex::Token& token : lex::significant(text)) {
    if (token.is("double") && !is_long)
      return 1 + static_cast<int>(std::ranges::count(text.substr(0, token.offset), '\n'));
    is_long = token.is("long");
  }
  return std::nullopt;
}

}  // namespace kw::task
