// Fuzzes replies of models: any bytes give a source or evidence, and the result of edits stays
// below a bound.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "propose/next_step.h"
#include "propose/reply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // In the input, a leading "!" means that the reply was cut off, and text before a line of four
  // percent signs is the parent.
  std::string_view text(reinterpret_cast<const char*>(data), size);
  kw::propose::ReplyContext context;
  context.function = "twice";
  context.is_cut_off = text.starts_with('!');
  const std::size_t split = text.find("%%%%\n");
  if (split != std::string_view::npos) {
    context.parent = text.substr(0, split);
    text.remove_prefix(split + 5);
  }
  const auto reply = kw::propose::parse_reply(text, context);
  if (reply.source.empty() == reply.evidence.empty()) __builtin_trap();
  if (reply.plan.size() > kw::propose::kPlanBytes) __builtin_trap();
  if (reply.source.size() > 2 * size + context.parent.size() + 1) __builtin_trap();
  const std::vector<std::string> names = {"task.yaml", "reference.cpp"};
  const auto parsed = kw::propose::parse_files(text, names, context.is_cut_off);
  if (parsed.files.empty() == parsed.evidence.empty() || parsed.files.size() > names.size())
    __builtin_trap();
  const std::vector<kw::propose::NamedStep> menu = {{"tiling", ""}, {"loop unrolling", ""}};
  const auto step = kw::propose::parse_next_step(text, menu);
  if (step && *step >= menu.size()) __builtin_trap();
  return 0;
}
