// Writes launches with their arguments, workspaces, fills and copies as lines of a plan.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "import/plan_elements.h"
#include "import/plan_places.h"
#include "import/plan_sizes.h"
#include "import/words.h"

namespace kw::import {
namespace {

using Kind = Value::Kind;

bool is_plain_number(std::string_view text) {
  return text == "true" || text == "false" ||
         (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos);
}

class Writer {
 public:
  Writer(const HostProgram& program, const Matching& matching, const ForeignSource& source,
         const std::vector<Item>& items, const task::Definition* task, const TypeNames& types)
      : program_(program),
        matching_(matching),
        source_(source),
        items_(items),
        task_(task),
        types_(types) {}

  PlanLines run() {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      if (matching_.buffers[i].is_workspace) add_workspace(i);
    // A plan finds its outputs full of poison values, so it must zero what the program zeroes.
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      if (buffer(i).is_zeroed && matching_.buffers[i].is_output)
        line(fmt::format("fill {} with 0", matching_.buffers[i].name));
    for (const Step& step : program_.steps) add_step(step);
    return std::move(out_);
  }

 private:
  void line(std::string text) {
    out_.lines.push_back(std::string(2 * depth_, ' ') + std::move(text));
  }

  std::string text(const Size& size) const { return text_of(size, false); }

  /// The text of an integer expression. `is_extent` says that it is the size of a grid, a block, or
  /// memory.
  std::string text_of(const Size& size, bool is_extent) const {
    return with_division_of_c(sizes_.final_size(size), is_extent).to_text();
  }

  const Buffer& buffer(std::size_t i) const { return program_.buffers[i]; }

  void add_workspace(std::size_t i) {
    const Buffer& b = buffer(i);
    const Element element = element_of(places_.element_type(i));
    const auto count = places_.count_of(i);
    if (element.type.empty())
      return out_.miss(
          b.offset, "workspace type",
          fmt::format("no workspace can hold '{}', of type {}", b.name, places_.element_type(i)));
    if (!count)
      return out_.miss(b.offset, "workspace size",
                       fmt::format("the size of buffer '{}' is not known", b.name));
    line(fmt::format("workspace {} {} [{}]{}", matching_.buffers[i].name, element.type,
                     count->to_text(), b.is_zeroed ? " zeroed" : ""));
  }

  void add_step(const Step& step) {
    switch (step.kind) {
      case Step::Kind::Launch:
        return add_launch(step);
      case Step::Kind::Fill:
        return line(
            fmt::format("fill {} with {}", places_.whole_place(step.target, step), step.fill));
      case Step::Kind::Copy:
        return line(fmt::format("copy {} to {}", places_.whole_place(step.source, step),
                                places_.whole_place(step.target, step)));
      case Step::Kind::For:
        line(fmt::format("for {} = {} .. {}{}", sizes_.loop_name(step.name), text(step.low),
                         text(step.high),
                         step.stride.is(1) ? "" : fmt::format(" step {}", text(step.stride))));
        ++depth_;
        return;
      case Step::Kind::Require:
        if (sizes_.final_size(step.low).is(0))
          out_.miss(step.offset, "false check", "the condition of this check is false");
        if (!sizes_.final_size(step.low).number()) line("require " + text(step.low));
        return;
      case Step::Kind::When:
        line("when " + text(step.low));
        ++depth_;
        return;
      case Step::Kind::Else:
        if (depth_ > 0) --depth_;
        line("else");
        ++depth_;
        return;
      case Step::Kind::End:
        if (depth_ > 0) --depth_;
        return line("end");
    }
  }

  std::string sizes_text(const std::vector<Size>& sizes) const {
    std::vector<std::string> parts;
    for (const Size& size : sizes) parts.push_back(text_of(size, true));
    return join(parts, ", ");
  }

  void add_launch(const Step& step) {
    const Item& kernel = *step.kernel;
    const auto bound = bind_templates(step);
    std::string line_text = "launch " + plan_name(kernel);
    if (kernel.is_template) {
      std::vector<std::string> parts;
      for (const TemplateParameter& parameter : kernel.templates) {
        const auto found = bound.find(parameter.name);
        if (found == bound.end() && is_plain_number(parameter.fallback)) {
          parts.push_back(parameter.fallback);
          continue;
        }
        if (found == bound.end() && parameter.has_default) break;
        if (found == bound.end()) {
          out_.miss(step.offset, "template argument",
                    fmt::format("the template argument '{}' of '{}' is not known", parameter.name,
                                kernel.name));
          return;
        }
        parts.push_back(found->second);
      }
      line_text += fmt::format("<{}>", join(parts, ", "));
    }
    line_text += fmt::format(" grid({}) block({})", sizes_text(step.grid), sizes_text(step.block));
    if (!sizes_.final_size(step.shared).is(0))
      line_text += fmt::format(" shared({})", text(step.shared));
    if (step.is_cooperative) line_text += " cooperative";
    if (step.arguments.size() > kernel.parameters.size())
      return out_.miss(step.offset, "argument count",
                       fmt::format("'{}' has {} parameters and is given {} arguments", kernel.name,
                                   kernel.parameters.size(), step.arguments.size()));
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < step.arguments.size(); ++i)
      arguments.push_back(
          argument(step, kernel.parameters[i], step.arguments[i], step.places[i], bound));
    line(line_text + fmt::format(" args({})", join(arguments, ", ")));
  }

  /// The template arguments of a launch as the plan writes them, by template parameter.
  std::map<std::string, std::string> bind_templates(const Step& step) {
    std::map<std::string, std::string> bound;
    const Item& kernel = *step.kernel;
    for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
      const TemplateParameter& parameter = kernel.templates[i];
      if (i < step.templates.size()) {
        bound[parameter.name] = step.templates[i];
        continue;
      }
      if (parameter.kind != "typename") continue;
      // A type parameter is deduced from a pointer argument's element type, as a compiler would.
      for (std::size_t k = 0; k < std::min(kernel.parameters.size(), step.arguments.size()); ++k) {
        const FunctionParameter& own = kernel.parameters[k];
        const Value& value = step.arguments[k];
        if (own.type != parameter.name || own.stars != 1 || value.buffer < 0) continue;
        const bool has_type = value.is(Kind::Pointer) && !value.word.empty() &&
                              value.word != "auto" && value.word != "void";
        bound[parameter.name] = fmt::format(
            "\"{}\"",
            has_type ? value.word : places_.element_type(static_cast<std::size_t>(value.buffer)));
        break;
      }
    }
    return bound;
  }

  std::string argument(const Step& step, const FunctionParameter& parameter, const Value& value,
                       std::size_t offset, const std::map<std::string, std::string>& bound) {
    if (parameter.stars > 0) {
      if (value.is(Kind::Pointer) || value.is(Kind::Tensor)) return places_.place_of(value, offset);
      if (value.is(Kind::Null)) return "null";
      return refuse(parameter, value, offset);
    }
    std::string type = device_type(parameter.type, types_);
    if (const auto found = bound.find(type); found != bound.end()) {
      type = found->second;
      if (type.starts_with('"')) type = type.substr(1, type.size() - 2);
    }
    if (type.find("Accessor") != std::string::npos) {
      out_.miss(offset, "accessor",
                fmt::format("'{}' takes a PyTorch accessor: let it take a pointer and sizes",
                            step.kernel->name));
      return "null";
    }
    if (bytes_of_type(type) == 0 && (value.is(Kind::Struct) || value.is(Kind::List)))
      return structure(step, type, value, offset, bound);
    return scalar(parameter, type, value, offset);
  }

  std::string refuse(const FunctionParameter& parameter, const Value& value, std::size_t offset) {
    if (value.word != kToldElsewhere)
      out_.miss(value.is(Kind::Unknown) && value.offset != 0 ? value.offset : offset,
                "launch argument",
                fmt::format("what is passed as '{}' is not known{}", parameter.name,
                            value.word.empty() ? "" : ": " + value.word));
    return "null";
  }

  std::string scalar(const FunctionParameter& parameter, const std::string& type,
                     const Value& value, std::size_t offset) {
    const Element element = element_of(type);
    const bool is_number = value.is(Kind::Int) || value.is(Kind::Real);
    if (!is_number) return refuse(parameter, value, offset);
    if (element.type.empty() || element.count != 1) {
      out_.miss(offset, "value type",
                fmt::format("a plan cannot pass '{}' by value", type.empty() ? "auto" : type));
      return "null";
    }
    if (element.type == "f16" || element.type == "bf16") {
      out_.miss(offset, "half by value",
                fmt::format("a plan cannot pass {} by value: pass a float", element.type));
      return "null";
    }
    const bool wants_real = element.type == "f32" || element.type == "f64";
    const Size plain = sizes_.final_size(value.size);
    const Size size = wants_real ? real_of(plain) : with_division_of_c(plain, false);
    const std::string words = size.to_text();
    if (!wants_real && value.is(Kind::Real)) return refuse(parameter, value, offset);
    if (task_ != nullptr)
      for (const task::ScalarSpec& scalar : task_->scalars)
        if (scalar.name == words) {
          if (kw::name_of(scalar.dtype) == element.type) return words;
          return fmt::format("{}({})", element.type, words);
        }
    return element.type == "i32" ? words : fmt::format("{}({})", element.type, words);
  }

  /// The text of a real-valued expression. Integer parts that divide or compare get names by `let`
  /// lines before the launch, since a real expression of the plan language would divide them as
  /// real numbers.
  Size real_of(const Size& size) {
    using Op = Size::Op;
    const bool is_real_function =
        size.op() == Op::Call &&
        is_one_of(size.word(), {"sqrt", "exp", "log", "sin", "cos", "pow", "min", "max", "abs"});
    if (size.parts().empty()) return size;
    if (!is_real_function && !is_one_of(size.word(), {"+", "-", "*", "//"})) {
      const std::string value = with_division_of_c(size, false).to_text();
      const auto [known, is_new] =
          wholes_.try_emplace(value, fmt::format("whole_{}", wholes_.size() + 1));
      // A name that a `let` line in a block defined is valid only in that block, so it may have to
      // be defined again.
      if (std::ranges::find(lets_, known->second) == lets_.end()) {
        line(fmt::format("let {} = {}", known->second, value));
        if (depth_ == 0) lets_.push_back(known->second);
      }
      return Size::name(known->second);
    }
    std::vector<Size> parts;
    for (const Size& part : size.parts()) parts.push_back(real_of(part));
    if (size.op() == Op::Call) return Size::call(size.word(), std::move(parts));
    return size.op() == Op::Unary ? Size::unary(size.word(), parts[0])
                                  : Size::binary(size.word(), parts[0], parts[1]);
  }

  /// The fields of a struct that the file defines, in the order of declaration.
  std::vector<FunctionParameter> fields_of(const std::string& name) const {
    std::vector<FunctionParameter> fields;
    for (const Item& item : items_) {
      if (item.kind != Item::Kind::Type || item.name != name) continue;
      const auto& tokens = source_.tokens;
      std::size_t open = item.begin;
      while (open < item.end && !tokens[open].is("{")) ++open;
      const std::size_t close = std::min(lex::find_closing(tokens, open), item.end);
      for (std::size_t i = open + 1; i < close;) {
        std::size_t stop = i;
        while (stop < close && !tokens[stop].is(";") && !tokens[stop].is(",") &&
               !tokens[stop].is("{") && !tokens[stop].is("("))
          ++stop;
        const bool is_method = stop < close && (tokens[stop].is("{") || tokens[stop].is("("));
        if (is_method) return {};
        auto parsed = read_parameters(tokens, i - 1, stop);
        for (FunctionParameter& field : parsed) {
          // In `int n, m;` the name m has no type before it, so its type is that of n.
          if (field.name.empty() && !fields.empty() && i > open + 1 && tokens[i - 1].is(",")) {
            field.name = field.type;
            field.type = fields.back().type;
          }
          fields.push_back(std::move(field));
        }
        i = stop + 1;
      }
      return fields;
    }
    return fields;
  }

  std::string structure(const Step& step, const std::string& type, const Value& value,
                        std::size_t offset, const std::map<std::string, std::string>& bound) {
    const auto fields = fields_of(type);
    if (fields.empty()) {
      out_.miss(offset, "struct type",
                fmt::format("a launch plan cannot pass '{}' by value: the file does not define "
                            "the type, or it has a method or no fields",
                            type));
      return "null";
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto named = std::ranges::find(value.names, fields[i].name);
      const std::size_t at =
          value.names.empty() ? i : static_cast<std::size_t>(named - value.names.begin());
      if (at >= value.parts.size()) {
        out_.miss(offset, "unset field",
                  fmt::format("the field '{}' of '{}' is not set", fields[i].name, type));
        return "null";
      }
      parts.push_back(argument(step, fields[i], value.parts[at], offset, bound));
    }
    return fmt::format("struct({})", join(parts, ", "));
  }

  const HostProgram& program_;
  const Matching& matching_;
  const ForeignSource& source_;
  const std::vector<Item>& items_;
  const task::Definition* task_;
  const TypeNames& types_;
  PlanLines out_;
  PlanSizes sizes_{program_, matching_, source_, task_};
  PlanPlaces places_{program_, matching_, sizes_, types_, out_};
  std::map<std::string, std::string> wholes_;  ///< Names of integer expressions, by their text.
  std::vector<std::string> lets_;              ///< Names whose `let` line is outside of any block.
  std::size_t depth_ = 0;
};

}  // namespace

std::string plan_name(const Item& kernel) {
  return kernel.is_c && !kernel.is_template ? kernel.name : kernel.full_name();
}

PlanLines write_plan(const HostProgram& program, const Matching& matching,
                     const ForeignSource& source, const std::vector<Item>& items,
                     const task::Definition* task, const TypeNames& types) {
  return Writer(program, matching, source, items, task, types).run();
}

}  // namespace kw::import
