// Interprets the calls of a host function: finds out what is called, and who interprets it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

Value CallReader::call(const std::string& name, const std::vector<std::string>& templates,
                       std::size_t offset) {
  const std::size_t open = all_.cursor.at;
  // The called name may be a variable that holds a lambda or a kernel.
  if (const Variable* variable = all_.variables.find(name);
      variable != nullptr && variable->value.is(Kind::Lambda)) {
    const Value body = variable->value;
    return all_.lambdas.call(body, all_.expressions.arguments(), open, offset);
  }
  std::vector<Value> values = all_.expressions.arguments();
  const std::string last = last_part(name);
  for (const Value& value : values)
    if (value.is(Kind::Lambda) && (name.empty() || last.find("DISPATCH") != std::string::npos)) {
      all_.types.aliases.try_emplace("scalar_t", all_.types.real);
      return all_.lambdas.call(value, {}, open, offset);
    }
  const bool is_own = !name.starts_with("std::") && !name.starts_with("at::") &&
                      !name.starts_with("cuda") &&
                      all_.file.function_named(last, values.size()) != nullptr;
  if (!is_own) {
    if (auto value = all_.arithmetic.call(last, values)) return *value;
    if (name == "dim3" || name == "uint3") {
      Value list;
      list.kind = Kind::List;
      list.parts = std::move(values);
      return all_.casts.cast({"dim3", 0, false, 1}, std::move(list), offset);
    }
    if (bytes_of_type(device_type(name, all_.types)) > 0 && values.size() == 1)
      return all_.casts.cast({device_type(name, all_.types), 0, false, 1}, values.front(), offset);
    if (auto value = all_.runtime.call(last, values, offset)) return *value;
    if (auto value = all_.torch.call_torch(name, values, offset)) return *value;
  }
  if (auto value = all_.functions.call_own(name, templates, values, open, offset)) return *value;
  const std::size_t told = all_.record.program().missing.size();
  refuse_call(name, offset);
  if (all_.record.program().missing.size() == told && !is_harmless(last)) {
    const std::size_t after = all_.cursor.at;
    all_.effects.forget_arguments(open + 1, std::min(all_.text.closing(open), all_.cursor.end),
                                  values, name);
    all_.cursor.at = after;
  }
  // A macro in capitals with one argument is taken for an error check, which returns its argument.
  if (values.size() == 1 && templates.empty() && !values[0].is(Kind::Text)) {
    const bool is_check = std::ranges::all_of(
        last, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); });
    if (is_check) return values[0];
  }
  return unknown(offset, fmt::format("what '{}' returns is not known before the plan runs",
                                     sanitise(name, 60)));
}

/// Whether a library function only reads its arguments, and no memory of the device.
bool CallReader::is_harmless(const std::string& name) const {
  return is_one_of(name,
                   {"printf",       "fprintf",   "puts",       "fflush", "atoi",          "atof",
                    "stoi",         "stof",      "strtol",     "strcmp", "strlen",        "rand",
                    "srand",        "time",      "clock",      "exit",   "abort",         "free",
                    "pow",          "powf",      "log2",       "log2f",  "round",         "roundf",
                    "lround",       "fmin",      "fmax",       "fminf",  "fmaxf",         "clamp",
                    "tanh",         "tanhf",     "string",     "getenv", "fopen",         "fclose",
                    "move",         "forward",   "to_string",  "size",   "now",           "setw",
                    "setprecision", "make_pair", "make_tuple", "print",  "duration_cast", "perror",
                    "device_of",    "sleep",     "usleep",     "isnan",  "isinf"});
}

void CallReader::refuse_call(const std::string& name, std::size_t offset) {
  const std::string last = last_part(name);
  if (name.starts_with("cub::") || name.starts_with("thrust::") || last.starts_with("cublas") ||
      last.starts_with("cudnn") || last.starts_with("cusparse") || last.starts_with("cufft") ||
      last.starts_with("curand") || name.starts_with("cutlass::"))
    return all_.record.miss(offset, "library call",
                            fmt::format("a launch plan cannot call '{}', which is a function of a "
                                        "library: write what it does as a kernel",
                                        name));
  if (last.starts_with("cudaGraph") || last.find("BeginCapture") != std::string::npos)
    return all_.record.miss(
        offset, "CUDA graph",
        "a launch plan has no calls of CUDA graphs, because each plan is run as a graph: "
        "launch the kernels directly");
  if (is_one_of(last, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol",
                       "cudaGetSymbolAddress"}))
    return all_.record.miss(
        offset, "device variable",
        "a launch plan cannot fill a __device__ or __constant__ variable: pass a pointer "
        "or a value to the kernel");
  if (last.find("Texture") != std::string::npos || last.find("Surface") != std::string::npos ||
      last.starts_with("cudaBindTexture"))
    return all_.record.miss(
        offset, "texture",
        "a launch plan cannot pass textures and surfaces: let the kernel read the memory itself");
}

Value CallReader::swap() {
  // Both arguments are in the parentheses that were just closed.
  const std::size_t close = all_.cursor.at - 1;
  std::size_t open = close;
  int depth = 0;
  while (open > 0) {
    if (all_.text.at(open).is(")")) ++depth;
    if (all_.text.at(open).is("(") && --depth == 0) break;
    --open;
  }
  const std::size_t after = all_.cursor.at;
  const auto parts = all_.text.parts_between(open + 1, close, ",");
  Value values[2];
  bool is_known = parts.size() == 2;
  for (std::size_t k = 0; is_known && k < 2; ++k) {
    const auto [from, to] = parts[k];
    const auto found = all_.variables.locate(std::string(all_.text.at(from).text));
    if (!found) {
      is_known = false;
      break;
    }
    Value copy = all_.variables.scopes()[found->first][found->second].value;
    std::size_t i = from + 1;
    const Value* part = all_.places.part_of(copy, i, to);
    is_known = part != nullptr;
    if (is_known) values[k] = *part;
  }
  for (std::size_t k = 0; is_known && k < 2; ++k) {
    const auto found = all_.variables.locate(std::string(all_.text.at(parts[k].first).text));
    std::size_t i = parts[k].first + 1;
    *all_.places.part_of(all_.variables.scopes()[found->first][found->second].value, i,
                         parts[k].second) = values[1 - k];
  }
  if (!is_known) all_.effects.forget_arguments(open + 1, close, {}, "swap");
  all_.cursor.at = after;
  return Value();
}

}  // namespace kw::import
