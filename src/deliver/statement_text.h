// C++ statements of a generated function, indented by the blocks around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kw::deliver {

/// Collects the statements of a function that uses a `Call k` of texts/call.in.
class StatementText {
 public:
  void line(const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
  }
  /// Writes a statement, and a return from the generated function in case the statement fails.
  void checked(const std::string& text) {
    line(text);
    line("if (k.failed()) return;");
  }
  /// Indents the lines that follow by one block more, or less.
  void indent() { ++depth_; }
  void outdent() { --depth_; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 1;
};

}  // namespace kw::deliver
