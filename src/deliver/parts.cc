// Writes text that several forms of an export share: literals, declarations, flags.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/parts.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "compile/flags.h"
#include "deliver/texts.h"
#include "record/target.h"

namespace kw::deliver {

std::string quoted(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  for (const char c : sanitise_line(text, limit)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('@');
    const auto close = open == std::string_view::npos ? open : text.find('@', open + 1);
    if (close == std::string_view::npos) break;
    const auto found = values.find(std::string(text.substr(open + 1, close - open - 1)));
    // An @ that does not begin the name of a value, such as that of a Python decorator, stays as
    // written.
    out += text.substr(0, found == values.end() ? open + 1 : open);
    if (found != values.end()) out += found->second;
    text.remove_prefix(found == values.end() ? open + 1 : close + 1);
  }
  return out + std::string(text);
}

std::string cpp_type(Dtype dtype) {
  if (is_half(dtype)) return "";
  if (dtype == Dtype::I32) return "std::int32_t";
  const std::string type(row_of(dtype).c_type);
  return (type.ends_with("_t") ? "std::" : "") + type;
}

std::string c_type(const Parameter& parameter) {
  const std::string element(is_half(parameter.dtype) ? "void" : row_of(parameter.dtype).c_type);
  if (!parameter.is_tensor) return element;
  return (parameter.role == TensorRole::In ? "const " : "") + element + "*";
}

std::string c_parameters(const Task& task, std::string_view more, std::string_view prefix) {
  std::vector<std::string> parts;
  for (const Parameter& p : task.signature)
    parts.push_back(c_type(p) + " " + std::string(prefix) + p.name);
  if (!more.empty()) parts.emplace_back(more);
  return join(parts, ", ");
}

std::string argument_names(const Task& task) {
  std::vector<std::string> parts;
  for (const Parameter& p : task.signature) parts.push_back(p.name);
  return join(parts, ", ");
}

std::vector<std::string> cpu_flags(const Candidate& kernel) {
  const auto shared = row_of(kernel.target).code_flags;
  std::vector<std::string> flags(shared.begin(), shared.end());
  for (const std::string& option : kernel.options)
    for (const std::string& flag : compile::option_flags(option)) flags.push_back(flag);
  return flags;
}

std::vector<std::string> link_libraries(const Candidate& kernel) {
  std::vector<std::string> flags;
  for (const std::string& library : kernel.libraries)
    if (auto flag = compile::library_flag(library); !flag.empty()) flags.push_back(std::move(flag));
  return flags;
}

namespace {

std::vector<std::string> story_lines(const Delivery& d) {
  const Story& story = d.story;
  std::vector<std::string> lines;
  std::string knobs = knobs_text(d.kernel.knobs, " = ", ", ");
  lines.push_back("kernel:  " + story.kernel + (knobs.empty() ? "" : ", " + knobs));
  if (!story.speed.empty()) lines.push_back("speed:   " + story.speed);
  if (!story.device.empty()) lines.push_back("device:  " + story.device);
  if (d.launches_by_plan()) {
    std::vector<std::string> archs;
    for (const Built& built : d.built) archs.push_back(built.arch);
    if (!archs.empty()) lines.push_back("archs:   " + join(archs, ", "));
  } else {
    lines.push_back("flags:   " + join(cpu_flags(d.kernel), " "));
  }
  lines.push_back("date:    " + story.date);
  lines.push_back(
      "licence: " + (story.licence.empty() ? "not named by the kernel's author" : story.licence) +
      " (the kernel); Apache-2.0 (all other text, see LICENSE)");
  // Names of files and machines come from outside; a line end in them would end the comment.
  for (std::string& line : lines) line = sanitise_line(line);
  return lines;
}

std::string tensor_words(const Delivery& d) {
  std::string text;
  for (const task::TensorSpec& tensor : d.definition.tensors) {
    std::vector<std::string> sizes;
    for (const auto& size : tensor.shape) sizes.push_back(size.expr.text());
    text += fmt::format(
        "//   {} {}[{}]{}: {}, aligned to {} bytes{}\n", kw::name_of(tensor.dtype), tensor.name,
        join(sizes, ", "),
        tensor.pitch ? ", rows " + tensor.pitch->expr.text() + " elements apart" : "",
        tensor.role == TensorRole::In    ? "read"
        : tensor.role == TensorRole::Out ? "written"
                                         : "read and written",
        tensor.alignment,
        tensor.role == TensorRole::In || tensor.is_whole_compared || !tensor.regions.empty()
            ? ""
            : ", scratch");
  }
  return text;
}

std::string scalar_words(const Delivery& d) {
  std::string text;
  for (const task::ScalarSpec& scalar : d.definition.scalars) {
    const std::string formula = scalar.integer.expr.text();
    if (!is_real(scalar.dtype) && formula != scalar.name)
      text += fmt::format("//   {} = {}\n", scalar.name, formula);
  }
  return text;
}

}  // namespace

std::string head_comment(const Delivery& d, std::string_view what) {
  std::string text =
      fmt::format("// {}: {}. {}\n", d.name, sanitise_line(d.task().summary, 200), what);
  text += fmt::format(
      "// SPDX-License-Identifier: {}\n//\n// Written by kw export; knobs are pinned, "
      "and nothing of Kernelwright is needed.\n",
      d.story.licence.empty() ? "Apache-2.0" : d.story.licence);
  for (const std::string& line : story_lines(d)) text += "//   " + line + "\n";
  return text;
}

std::string story_text(const Delivery& d) {
  return "```\n" + join(story_lines(d), "\n") + "\n```\n";
}

std::string argument_comment(const Delivery& d) { return tensor_words(d) + scalar_words(d); }

void add_papers(const Delivery& d, Files& files) {
  files["LICENSE"] = embedded_text("LICENSE");
  if (!d.story.certificate.empty()) files["certificate.json"] = d.story.certificate;
}

std::string licence_of(std::string_view source) {
  constexpr std::string_view kMark = "SPDX-License-Identifier:";
  const auto at = source.find(kMark);
  if (at == std::string_view::npos) return {};
  const auto rest = source.substr(at + kMark.size());
  auto line = trim(rest.substr(0, rest.find('\n')));
  if (line.ends_with("*/")) line = trim(line.substr(0, line.size() - 2));
  return sanitise(line, 80);
}

Result<Files> deliver(Form form, const Delivery& d) {
  if (!d.launches_by_plan())
    for (const Parameter& p : d.task().signature)
      if (is_half(p.dtype))
        return fail_input(ErrorCode::Unsupported, About{p.name},
                          fmt::format("{} is {}, for which C++ on a processor has no type", p.name,
                                      kw::name_of(p.dtype)));
  if (form == Form::CMake) return cmake_files(d);
  if (form == Form::Torch) return torch_files(d);
  if (form == Form::Source) return source_files(d);
  std::string header = KW_TRY(header_text(d));
  Files files{{d.name + ".h", std::move(header)}};
  add_papers(d, files);
  return files;
}

}  // namespace kw::deliver
