// Text of C code as YAML in drafted files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// A size as YAML text: a name stays as written, an expression such as "n + 1" is quoted.
std::string yaml_text(const std::string& expression);

/// The sizes in brackets, each as yaml_text().
std::string yaml_list(const std::vector<std::string>& expressions);

/// The text in double quotes, escaped as YAML and JSON require.
std::string yaml_string(std::string_view text);

}  // namespace kw::task
