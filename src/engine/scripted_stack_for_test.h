// Scripted models behind the retries that real models have, on a clock that does not wait.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llm/retried_for_test.h"
#include "llm/scripted.h"

namespace kw::engine {

class ScriptedStack {
 public:
  /// `clock` must outlive the stack.
  explicit ScriptedStack(platform::Clock& clock) : clock_(clock) {}

  /// The model lives as long as the stack.
  llm::ChatModel& model(const std::string& name, const std::string& script) {
    auto entries = llm::parse_script(script, name);
    KW_ASSERT(entries.has_value());
    llm::ScriptedOptions options;
    options.name = name;
    options.clock = &clock_;
    scripted_.push_back(llm::make_scripted_chat(std::move(*entries), std::move(options)));
    tried_.push_back(std::make_unique<llm::Retried>(*scripted_.back()));
    return *tried_.back();
  }

 private:
  platform::Clock& clock_;
  std::vector<std::unique_ptr<llm::ChatModel>> scripted_;
  std::vector<std::unique_ptr<llm::Retried>> tried_;
};

}  // namespace kw::engine
