// Interprets a host function with names in place of unknown numbers: its parts, and their order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "import/host_arithmetic.h"
#include "import/host_branches.h"
#include "import/host_calls.h"
#include "import/host_casts.h"
#include "import/host_declarations.h"
#include "import/host_effects.h"
#include "import/host_effort.h"
#include "import/host_expressions.h"
#include "import/host_file.h"
#include "import/host_functions.h"
#include "import/host_lambdas.h"
#include "import/host_launches.h"
#include "import/host_loops.h"
#include "import/host_memory.h"
#include "import/host_names.h"
#include "import/host_paths.h"
#include "import/host_places.h"
#include "import/host_program.h"
#include "import/host_record.h"
#include "import/host_runtime.h"
#include "import/host_statements.h"
#include "import/host_switches.h"
#include "import/host_text.h"
#include "import/host_torch.h"
#include "import/host_variables.h"

namespace kw::import {

/// The parts of one interpretation: the state comes first, then the readers. A part that needs few
/// others names them in its constructor. The readers call one another as the text is nested, so
/// each of them knows all parts, and its header says what it changes.
struct HostParts {
  HostParts(const ForeignSource& source, const std::vector<Item>& items, const TypeNames& names)
      : file{source, items}, types(names) {}
  HostParts(const HostParts&) = delete;
  HostParts& operator=(const HostParts&) = delete;

  HostFile file;
  TypeNames types;
  Effort effort;
  HostText text{types};
  Cursor cursor;
  CallStack stack;
  HostVariables variables;
  HostRecord record;
  HostPaths paths{file, record, variables};
  HostEffects effects{file, text, record, variables};
  ExpressionReader expressions{*this};
  PlaceReader places{*this};
  NameReader names{*this};
  TypeCasts casts{record, paths, variables};
  DeclarationReader declarations{*this};
  StatementReader statements{*this};
  BranchReader branches{*this};
  LoopReader loops{*this};
  SwitchReader switches{*this};
  CallReader calls{*this};
  ArithmeticCalls arithmetic{file, text, cursor, casts};
  FunctionReader functions{*this};
  LambdaReader lambdas{*this};
  RuntimeCalls runtime{*this};
  TorchCalls torch{*this};
  LaunchReader launches{*this};
  DeviceMemory memory{record, paths, variables};
};

/// Follows one function from its parameters to its end.
class HostReader {
 public:
  HostReader(const ForeignSource& source, const std::vector<Item>& items, const TypeNames& types)
      : all_(source, items, types) {}

  HostProgram run(const Item& function);

 private:
  void add_file_variables();
  void bind_parameters(const Item& function);
  Value value_of(const FunctionParameter& parameter, const std::string& type, std::size_t offset);

  HostParts all_;
};

}  // namespace kw::import
