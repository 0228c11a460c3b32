// The live view of a run: one rewriting line on a terminal, plain lines elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run.h"

namespace kw::cli {

/// Writes to standard error, so that standard output stays the result.
class LiveView final : public engine::Observer {
 public:
  /// Quiet: notices only (for --json).
  explicit LiveView(bool is_quiet);

  void on_baseline(const engine::BaselineStanding& baseline) override;
  void on_start(const RunSummary& run, const std::string& baseline) override;
  void on_ask(int number, const search::Ask& ask, const std::string& idea) override;
  void on_written(int number, const engine::WrittenSource& source, const Spending& spent) override;
  /// A piece of a model's reply.
  void on_delta(const llm::Delta& delta);
  void on_attempt(const Attempt& attempt, const engine::Standing& standing) override;
  void on_order(const Order& order) override;
  void on_confirm(const Attempt& attempt) override;
  void on_notice(const std::string& text) override;
  /// Ends a line that is still being rewritten.
  void end();

 private:
  /// A line that stays.
  void say(const std::string& text);
  /// A line that the next one replaces; nothing where there is no terminal.
  void show(const std::string& text);

  bool is_quiet_;
  bool is_terminal_;
  bool is_open_ = false;
  std::string asking_;          ///< What a model is asked for now.
  std::size_t characters_ = 0;  ///< Of its reply so far.
};

}  // namespace kw::cli
