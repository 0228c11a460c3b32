// Parses the steps and declarations of a launch plan; used by plan_parse.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "task/plan_operands.h"

namespace kw::task {

// Each parser takes the text of a directive after its first word; `at` is the byte of the source at
// which the directive begins. Nothing: the directive is wrong, and `in` has complained about it.

std::optional<WorkspaceNode> parse_workspace(const OperandReader& in, PlanPiece rest,
                                             std::size_t at);
std::optional<TableNode> parse_table(const OperandReader& in, PlanPiece rest, std::size_t at);
std::optional<MapNode> parse_map(const OperandReader& in, PlanPiece rest, std::size_t at);
std::optional<LaunchNode> parse_launch(const OperandReader& in, PlanPiece rest, std::size_t at);
std::optional<FillNode> parse_fill(const OperandReader& in, PlanPiece rest, std::size_t at);
std::optional<CopyNode> parse_copy(const OperandReader& in, PlanPiece rest, std::size_t at);

}  // namespace kw::task
