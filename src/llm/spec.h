// ModelSpec: which model, from whom, in which role, as written after --model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/enums.h"

namespace kw::llm {

enum class Provider { OpenAi, Anthropic, Manual, Scripted };

/// `[role=]provider:name[@base-url]`: "openai:gpt-4.1", "judge=anthropic:claude-opus-4-5",
/// "openai:qwen@http://localhost:8000/v1", "manual:DIR", "scripted:FILE".
struct ModelSpec {
  Provider provider = Provider::OpenAi;
  std::string role;      ///< Empty: proposes candidates.
  std::string name;      ///< Of the model; the folder or file of manual and scripted.
  std::string base_url;  ///< Without a final slash; empty for manual and scripted.

  bool is_remote() const;  ///< Asks a server.
  bool has_own_base_url() const;
  /// "openai:gpt-4.1", with "@base-url" (no password) where it is not the provider's own.
  std::string text() const;
};

/// `default_base_url` (from --base-url) serves remote specs that name none; empty:
/// the provider's own.
Result<ModelSpec> parse_model_spec(std::string_view text, std::string_view default_base_url = {});

}  // namespace kw::llm

template <>
struct kw::EnumNames<kw::llm::Provider> {
  static constexpr std::array<std::string_view, 4> names{"openai", "anthropic", "manual",
                                                         "scripted"};
};
