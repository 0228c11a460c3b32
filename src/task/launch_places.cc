// Finds a launch in the parsed launch plan, and where its parts stand in the source.
// SPDX-License-Identifier: Apache-2.0
#include "task/launch_places.h"

namespace kw::task {
namespace {

const LaunchNode* find_launch(const PlanBlock& block, std::size_t at) {
  for (const PlanNode& node : block) {
    const LaunchNode* found = nullptr;
    if (const auto* launch = std::get_if<LaunchNode>(&node.what)) {
      found = node.at == at ? launch : nullptr;
    } else if (const auto* loop = std::get_if<ForNode>(&node.what)) {
      found = find_launch(loop->body, at);
      if (found == nullptr && loop->tail) found = find_launch(*loop->tail, at);
    } else if (const auto* fork = std::get_if<ForkNode>(&node.what)) {
      found = find_launch(fork->body, at);
    } else if (const auto* guard = std::get_if<WhenNode>(&node.what)) {
      for (const auto& branch : guard->branches)
        if (found == nullptr) found = find_launch(branch.body, at);
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

void add_values(const std::vector<PlanItem>& items, std::vector<std::size_t>& values) {
  for (const PlanItem& item : items) {
    if (item.kind == PlanItem::Kind::Struct)
      add_values(item.items, values);
    else
      values.push_back(item.at);
  }
}

}  // namespace

std::optional<LaunchPlaces> launch_places(const CandidateHeader& header, std::size_t written_at) {
  const LaunchNode* node = find_launch(header.plan, written_at);
  if (node == nullptr) return std::nullopt;
  LaunchPlaces places;
  places.kernel = node->kernel.at;
  places.block = node->block.front().at;
  places.shared = node->shared ? node->shared->at : node->kernel.at;
  add_values(node->arguments, places.values);
  places.end = node->end;
  return places;
}

}  // namespace kw::task
