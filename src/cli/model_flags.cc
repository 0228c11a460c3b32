// Models as the command line names them.
// SPDX-License-Identifier: Apache-2.0
#include "cli/model_flags.h"

#include <fmt/format.h>

#include "cli/session.h"

namespace kw::cli {

void ModelFlags::declare(Flags& flags) {
  flags.texts("--model", models,
              "[ROLE=]openai:NAME | anthropic:NAME | manual:DIR | scripted:FILE, repeatable");
  flags.text("--base-url", base_url,
             "Where openai: and anthropic: models are, if not at the vendor");
}

Result<std::vector<llm::ModelSpec>> ModelFlags::specs() const {
  std::vector<llm::ModelSpec> specs;
  for (const std::string& text : models)
    specs.push_back(KW_TRY(as_input(llm::parse_model_spec(text, base_url))));
  return specs;
}

Result<llm::PriceTable> open_prices(const memory::DataFiles& data) {
  const auto files = data.under("models");
  const auto found = files.find("prices.yaml");
  if (found == files.end()) return llm::PriceTable();
  return as_input(llm::PriceTable::parse(found->second, "models/prices.yaml"));
}

std::string price_text(const std::optional<Price>& price) {
  if (!price) return "unknown";
  if (price->prompt_usd == 0 && price->completion_usd == 0) return "free";
  return fmt::format("${:g} in, ${:g} cached, ${:g} out", price->prompt_usd, price->cached_usd,
                     price->completion_usd);
}

}  // namespace kw::cli
