// Drafts a plan: reads the source, interprets the function that launches kernels, matches it to the
// task, and writes the candidate file.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/foreign_text.h"
#include "base/text.h"
#include "import/device_text.h"
#include "import/plan_lines.h"
#include "import/words.h"
#include "task/header.h"
#include "task/plan_text.h"

namespace kw::import {
namespace {

using lex::Token;

constexpr std::size_t kLongestLine = 112;

/// The plan's text; a long directive is broken into two lines before its arguments.
std::string plan_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    std::string rest = line;
    std::string lead = "// kw: ";
    while (lead.size() + rest.size() > kLongestLine) {
      const std::size_t most = kLongestLine - lead.size();
      const std::size_t blank = rest.rfind(", ", most);
      const std::size_t open = rest.find('(');
      if (blank == std::string::npos || open == std::string::npos || blank < open) break;
      text += lead + rest.substr(0, blank + 1) + "\n";
      rest = rest.substr(blank + 2);
      lead = "// kw:   ";
    }
    text += lead + rest + "\n";
  }
  return text;
}

std::string type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
      return "double";
    case Dtype::F16:
      return "__half";
    case Dtype::BF16:
      return "__nv_bfloat16";
    default:
      return "float";
  }
}

/// The type for which scalar_t stands, and the aliases for types that the file defines.
TypeNames type_names(const ForeignSource& source, const std::vector<Item>& items,
                     const task::Definition* task) {
  TypeNames names;
  if (task != nullptr)
    for (const task::TensorSpec& tensor : task->tensors)
      if (is_real(tensor.dtype)) {
        names.real = type_of(tensor.dtype);
        break;
      }
  names.aliases["scalar_t"] = names.real;
  const auto& tokens = source.tokens;
  for (const Item& item : items) {
    if (item.kind != Item::Kind::Type || item.is_template) continue;
    // An alias for a type: `using real = float;` or `typedef unsigned int uint;`.
    const bool is_using = tokens[item.begin].is("using");
    if (!is_using && !tokens[item.begin].is("typedef")) continue;
    std::string type;
    for (std::size_t i = item.begin + (is_using ? 3 : 1); i < item.end && !tokens[i].is(";"); ++i) {
      if (tokens[i].kind != Token::Kind::Word) type = "?";
      if (!is_using && tokens[i].is(item.name)) break;
      type += (type.empty() ? "" : " ") + std::string(tokens[i].text);
    }
    if (type != item.name && bytes_of_type(device_type(type, names)) > 0)
      names.aliases[item.name] = device_type(type, names);
  }
  return names;
}

class Drafter {
 public:
  Drafter(std::string_view source, std::string_view file, const task::Definition* task)
      : file_(file),
        task_(task),
        source_(read_foreign(source)),
        items_(find_items(source_.tokens)) {
    types_ = type_names(source_, items_, task);
  }

  PlanDraft run(std::string_view wanted) {
    refuse_device_code();
    const Item* function = choose(wanted);
    if (function == nullptr) return std::move(draft_);
    draft_.function = function->name;
    for (const TemplateParameter& parameter : function->templates)
      if (parameter.kind == "typename") types_.aliases.try_emplace(parameter.name, types_.real);
    const HostProgram program = read_host_program(source_, items_, *function, types_);
    tell(program.missing);
    const bool launches = std::ranges::any_of(
        program.steps, [](const Step& step) { return step.kind == Step::Kind::Launch; });
    if (!launches && program.missing.empty())
      miss(source_.tokens[function->begin].offset, "no launch",
           fmt::format("the plan drafter found no kernel launch that it can follow in '{}'",
                       function->name));
    const Matching matching = match_task(program, source_, items_, task_);
    if (launches) tell(matching.missing);
    const PlanLines plan = write_plan(program, matching, source_, items_, task_, types_);
    tell(plan.missing);
    draft_.wanted = matching.wanted;
    write(program, matching, plan);
    return std::move(draft_);
  }

 private:
  /// `about`: the name or the words that the finding is about.
  void miss(std::size_t offset, std::string about, std::string text) {
    if (!told_.emplace(offset, text).second || draft_.missing.size() >= 40) return;
    draft_.missing.push_back(task::diagnostic_at(source_.text, file_, offset, std::move(text)));
    draft_.missing.back().about = std::move(about);
  }

  void tell(const std::vector<Remark>& remarks) {
    for (const Remark& remark : remarks) miss(remark.offset, remark.about, remark.text);
  }

  void assume(std::size_t offset, std::string_view text) {
    const Position place = position_of(source_.text, offset);
    const std::string line = fmt::format("{}:{}: {}", file_, place.line, text);
    if (std::ranges::find(draft_.assumptions, line) == draft_.assumptions.end())
      draft_.assumptions.push_back(line);
  }

  /// Reports device code that no plan can express.
  void refuse_device_code() {
    const auto& tokens = source_.tokens;
    for (const Item& item : items_) {
      if (item.kind != Item::Kind::Kernel && item.kind != Item::Kind::DeviceFunction) continue;
      for (std::size_t i = item.begin; i < item.end; ++i) {
        if (after_launch_open(tokens, i) != 0)
          miss(tokens[i].offset, "dynamic parallelism",
               "a kernel launches another kernel here (dynamic parallelism), which a launch plan "
               "cannot express");
        if (is_one_of(tokens[i].text, {"cudaTextureObject_t", "cudaSurfaceObject_t", "tex1Dfetch",
                                       "tex1D", "tex2D", "tex3D", "surf2Dread", "surf2Dwrite"}))
          miss(tokens[i].offset, "texture",
               "a launch plan cannot pass textures and surfaces: let the kernel read the memory "
               "itself");
      }
    }
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is("texture") && tokens[i + 1].is("<"))
        miss(tokens[i].offset, "texture",
             "a launch plan cannot pass textures and surfaces: let the kernel read the memory "
             "itself");
  }

  bool launches_itself(const Item& item) const {
    for (const Token& token : expand_macros(source_, item.body_open,
                                            std::min(item.body_close + 1, source_.tokens.size())))
      if (token.is("cudaLaunchKernel") || token.is("cudaLaunchCooperativeKernel")) return true;
    const auto tokens = expand_macros(source_, item.body_open, item.body_close);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (after_launch_open(tokens, i) != 0) return true;
    return false;
  }

  bool calls(const Item& item, const Item& other) const {
    for (std::size_t i = item.body_open; i + 1 < item.body_close; ++i)
      if (source_.tokens[i].is(other.name) &&
          (source_.tokens[i + 1].is("(") || source_.tokens[i + 1].is("<")))
        return true;
    return false;
  }

  static bool takes_memory(const Item& item) {
    return std::ranges::any_of(item.parameters, [](const FunctionParameter& p) {
      return p.stars > 0 || p.type.ends_with("Tensor");
    });
  }

  const Item* choose(std::string_view wanted) {
    std::vector<const Item*> direct;
    std::vector<const Item*> all;
    for (const Item& item : items_)
      if (item.kind == Item::Kind::HostFunction && item.is_defined() && launches_itself(item))
        direct.push_back(&item);
    all = direct;
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const Item& item : items_) {
        if (item.kind != Item::Kind::HostFunction || !item.is_defined() ||
            std::ranges::find(all, &item) != all.end())
          continue;
        if (std::ranges::none_of(all, [&](const Item* other) { return calls(item, *other); }))
          continue;
        all.push_back(&item);
        has_grown = true;
      }
    }
    const std::size_t start = source_.tokens.empty() ? 0 : source_.tokens[0].offset;
    if (!wanted.empty()) {
      for (const Item* item : all)
        if (item->name == wanted) return item;
      std::vector<std::string> names;
      for (const Item* item : all) names.push_back(item->name);
      miss(start, std::string(wanted),
           fmt::format("this file has no host function '{}' that launches kernels{}",
                       sanitise(wanted, 60), suggestion(wanted, names)));
      return nullptr;
    }
    if (all.empty()) {
      miss(start, "<<< >>>", "no host function of this file launches a kernel by <<< >>>");
      return nullptr;
    }
    return choose_from(all, direct);
  }

  const Item* choose_from(const std::vector<const Item*>& all,
                          const std::vector<const Item*>& direct) {
    std::vector<const Item*> roots;
    for (const Item* item : all)
      if (std::ranges::none_of(all, [&](const Item* other) {
            return other != item && other->name != "main" && calls(*other, *item);
          }))
        roots.push_back(item);
    if (roots.empty()) roots = all;
    // If main() passes its memory to a function that launches kernels, that function is chosen
    // instead of main(), because its parameters tell more.
    const bool has_better = std::ranges::any_of(
        roots, [](const Item* item) { return item->name != "main" && takes_memory(*item); });
    const bool main_launches =
        std::ranges::any_of(direct, [](const Item* item) { return item->name == "main"; });
    if (has_better && !main_launches)
      std::erase_if(roots, [](const Item* item) { return item->name == "main"; });
    if (main_launches && roots.size() > 1)
      std::erase_if(roots,
                    [](const Item* item) { return item->name != "main" && item->name != "solve"; });
    const std::string own = task_ == nullptr ? "" : task_->task.function;
    for (const std::string_view name :
         {std::string_view("solve"), std::string_view(own), std::string_view("forward")})
      for (const Item* item : roots)
        if (item->name == name && !name.empty()) return item;
    for (const Item* item : roots)
      if (item->name.find("forward") != std::string::npos) return told(roots, item);
    return told(roots, roots.front());
  }

  const Item* told(const std::vector<const Item*>& roots, const Item* chosen) {
    std::vector<std::string> others;
    for (const Item* item : roots)
      if (item != chosen) others.push_back(item->name);
    if (!others.empty())
      assume(source_.tokens[chosen->begin].offset,
             fmt::format(
                 "the plan is drafted from the host function '{}'; --function chooses another: {}",
                 chosen->name, join(others, ", ")));
    return chosen;
  }

  void write(const HostProgram& program, const Matching& matching, const PlanLines& plan) {
    for (const Remark& note : program.notes) assume(note.offset, note.text);
    for (const Remark& note : matching.assumptions) assume(note.offset, note.text);
    for (const Remark& note : plan.assumptions) assume(note.offset, note.text);
    const std::size_t start = source_.tokens[program.function->begin].offset;
    for (const std::string& name : source_.options)
      assume(start, fmt::format("the plan assumes that the macro '{}' is not defined and leaves "
                                "code under its #ifdef out",
                                name));
    std::vector<const Item*> launched;
    for (const Step& step : program.steps)
      if (step.kind == Step::Kind::Launch) launched.push_back(step.kernel);
    check_overloads(launched);
    const DeviceText device = device_text(source_, items_, launched, types_);
    if (!device.left_out.empty())
      assume(start, fmt::format("kernels that nothing launches are left out: {}",
                                join(device.left_out, ", ")));
    if (!draft_.missing.empty()) return;
    std::string text =
        fmt::format("// The plan was drafted by `kw plan draft` from {} of {}.\n",
                    sanitise_line(program.function->name, 200), sanitise_line(file_, 200));
    text += plan_text(plan.lines) + "\n" + device.text;
    // The drafted file must parse; otherwise the findings of the parser show what the draft could
    // not express.
    if (const auto header = task::parse_header(text, "the drafted file", kDraftTarget); !header)
      for (const Finding& finding : header.error()) draft_.missing.push_back(finding);
    else
      draft_.source = std::move(text);
  }

  /// Refuses two launched kernels of one name, which cannot both have C linkage.
  void check_overloads(const std::vector<const Item*>& launched) {
    for (const Item* kernel : launched)
      for (const Item& item : items_)
        if (item.kind == Item::Kind::Kernel && item.is_defined() && &item != kernel &&
            item.name == kernel->name && item.scope == kernel->scope)
          miss(source_.tokens[item.begin].offset, "kernel name",
               fmt::format("two kernels have the name '{}': give each kernel a name of its own",
                           item.name));
  }

  std::string file_;
  const task::Definition* task_;
  ForeignSource source_;
  std::vector<Item> items_;
  TypeNames types_;
  std::set<std::pair<std::size_t, std::string>> told_;
  PlanDraft draft_;
};

}  // namespace

bool is_host_launched(std::string_view source) {
  if (source.size() > task::kMaxSourceBytes) return false;
  const ForeignSource read = read_foreign(source);
  for (const std::string_view line : split_lines(read.text))
    if (task::directive_of(line).value_or("").starts_with("launch")) return false;
  for (const Item& item : find_items(read.tokens)) {
    if (item.kind != Item::Kind::HostFunction || !item.is_defined()) continue;
    const auto tokens = expand_macros(read, item.body_open, item.body_close);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (after_launch_open(tokens, i) != 0 || tokens[i].is("cudaLaunchKernel") ||
          tokens[i].is("cudaLaunchCooperativeKernel"))
        return true;
  }
  return false;
}

PlanDraft draft_plan(std::string_view source, std::string_view file, const task::Definition* task,
                     std::string_view function) {
  PlanDraft draft;
  const auto refuse = [&](std::string about, std::string text) {
    Finding finding;
    finding.kind = FindingKind::Diagnostic;
    finding.text = std::move(text);
    finding.place = std::string(file);
    finding.about = std::move(about);
    draft.missing.push_back(std::move(finding));
    return draft;
  };
  if (source.size() > task::kMaxSourceBytes)
    return refuse("bytes",
                  fmt::format("the source file has {}; at most {} are read",
                              format_bytes(source.size()), format_bytes(task::kMaxSourceBytes)));
  if (trim(source).empty()) return refuse("empty", "the source file is empty");
  return Drafter(source, file, task).run(function);
}

}  // namespace kw::import
