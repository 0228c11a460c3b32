// Interprets a host function from its parameters to its end.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_reader.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/text.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

HostProgram HostReader::run(const Item& function) {
  all_.record.program().function = &function;
  all_.record.program().is_main = function.name == "main";
  add_file_variables();
  all_.variables.open();
  all_.functions.bind_templates(function, {}, {}, all_.variables.scopes());
  all_.functions.check_text(function);
  all_.text.switch_to(&all_.functions.body_of(function));
  all_.stack.callers.push_back(&function);
  bind_parameters(function);
  all_.variables.open();
  all_.statements.block(0, all_.text.tokens().size());
  all_.paths.close_branches(0);
  all_.record.note_result(all_.paths.merged_result());
  all_.record.check_memory();
  if (all_.record.is_main()) all_.record.drop_repeats();
  if (all_.effort.is_spent())
    all_.record.miss(all_.file.source.tokens[function.begin].offset, "steps",
                     "this host function does more steps than the plan drafter can follow");
  return std::move(all_.record.program());
}

/// Adds those global variables that functions of the file may change. A variable has its initial
/// value where main() begins, or if nothing in the file changes it.
void HostReader::add_file_variables() {
  all_.variables.open();
  const Tokens& of_file = all_.file.source.tokens;
  const Tokens* own = all_.text.switch_to(&of_file);
  std::set<std::string> written;
  for (const Item& item : all_.file.items) {
    if (!item.is_function() || item.kind == Item::Kind::Kernel || !item.is_defined()) continue;
    written.merge(all_.text.names_written(item.body_open, item.body_close));
  }
  for (const Item& item : all_.file.items) {
    if (item.kind != Item::Kind::Variable || !written.contains(item.name)) continue;
    bool is_fixed = false;
    for (std::size_t i = item.begin; i < item.end && !all_.text.at(i).is("="); ++i)
      is_fixed =
          is_fixed || is_one_of(all_.text.at(i), {"const", "constexpr", "__device__",
                                                  "__constant__", "__shared__", "__managed__"});
    if (is_fixed) continue;
    const TypeAt type = all_.text.type_at(item.begin, item.end);
    Value value = all_.record.is_main()
                      ? all_.names.global(item.name)
                      : unknown(all_.text.place(item.begin),
                                fmt::format("what '{}' holds is set elsewhere in the file",
                                            sanitise(item.name, 60)));
    all_.variables.scopes()[0][item.name] = {std::move(value), type.type, type.stars};
  }
  all_.text.switch_to(own);
}

/// The value of a parameter of a function that is not main(). Memory becomes a buffer, and a number
/// a name.
Value HostReader::value_of(const FunctionParameter& parameter, const std::string& type,
                           std::size_t offset) {
  Value value;
  if (is_tensor_type(parameter.type) || parameter.stars == 1) {
    Buffer buffer;
    buffer.name = parameter.name;
    buffer.element = is_tensor_type(parameter.type) || type == "void" ? "" : type;
    buffer.is_const = parameter.is_const && parameter.stars == 1;
    buffer.is_tensor = parameter.stars == 0;
    buffer.offset = offset;
    const int index = all_.record.add_buffer(std::move(buffer));
    if (parameter.stars == 0) return all_.record.tensor(index);
    value.kind = Kind::Pointer;
    value.buffer = index;
    value.word = type;
    return value;
  }
  if (is_stream_type(parameter.type)) {
    value.kind = Kind::Stream;
    return value;
  }
  const bool is_real =
      type == "float" || type == "double" || type == "__half" || type == "__nv_bfloat16";
  if (parameter.stars == 0 && is_real) {
    all_.record.program().reals.push_back(parameter.name);
    return real(Size::name(parameter.name));
  }
  if (parameter.stars == 0 && bytes_of_type(type) > 0) {
    all_.record.program().integers.push_back(parameter.name);
    return integer(Size::name(parameter.name));
  }
  return unknown(offset, fmt::format("what '{}' of type {} holds is not known", parameter.name,
                                     parameter.type));
}

void HostReader::bind_parameters(const Item& function) {
  const std::size_t offset = all_.file.source.tokens[function.parameters_open].offset;
  for (const FunctionParameter& parameter : function.parameters) {
    if (all_.record.is_main()) {
      Value given = unknown(offset, "what main() is given is not known before the plan runs");
      if (parameter.stars > 0) given.kind = Kind::Host;
      all_.variables.innermost()[parameter.name] = {std::move(given), parameter.type,
                                                    parameter.stars};
      continue;
    }
    const std::string type = device_type(parameter.type, all_.types);
    all_.variables.innermost()[parameter.name] = {value_of(parameter, type, offset), type,
                                                  parameter.stars};
  }
}

HostProgram read_host_program(const ForeignSource& source, const std::vector<Item>& items,
                              const Item& function, const TypeNames& type_names) {
  return HostReader(source, items, type_names).run(function);
}

}  // namespace kw::import
