// Reads models/prices.yaml, looks up prices, and computes costs.
// SPDX-License-Identifier: Apache-2.0
#include "llm/prices.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"
#include "llm/providers.h"

namespace kw::llm {
namespace {

/// The providers whose models have prices, in words: "openai or anthropic".
std::string priced_providers() {
  std::vector<std::string> names;
  for (const ProviderInfo& info : providers())
    if (!info.base_url.empty()) names.emplace_back(info.name);
  const std::string last = std::move(names.back());
  names.pop_back();
  return names.empty() ? last : join(names, ", ") + " or " + last;
}

/// Reads YAML nodes; its errors name file, line and column.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  /// `about` names the key that is wrong.
  std::unexpected<Error> bad(const YAML::Mark& mark, std::string about,
                             const std::string& what) const {
    return fail(ErrorCode::BadInput, About{std::move(about)}, what,
                fmt::format("{}:{}:{}", origin_, mark.line + 1, mark.column + 1));
  }

  Result<> known_keys(const YAML::Node& node, const std::vector<std::string>& known,
                      const char* what) const {
    if (!node.IsMap()) return bad(node.Mark(), "mapping", std::string("expected ") + what);
    for (const auto& entry : node) {
      const std::string key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end())
        return bad(entry.first.Mark(), sanitise(key, 60),
                   "unknown key '" + sanitise(key, 60) + "'" + suggestion(key, known));
    }
    return {};
  }

  Result<std::string> text(const YAML::Node& node, const char* key, bool is_required) const {
    const YAML::Node value = node[key];
    if (!value && !is_required) return std::string();
    if (!value || !value.IsScalar() || value.Scalar().empty())
      return bad(value ? value.Mark() : node.Mark(), key,
                 std::string("expected text for '") + key + "'");
    return value.Scalar();
  }

  /// A price in USD per million tokens; `otherwise` where the key is missing.
  Result<double> dollars(const YAML::Node& node, const char* key,
                         std::optional<double> otherwise) const {
    const YAML::Node value = node[key];
    if (!value && otherwise) return *otherwise;
    double number = -1;
    if (!value || !value.IsScalar() || !YAML::convert<double>::decode(value, number) ||
        !std::isfinite(number) || number < 0)
      return bad(
          value ? value.Mark() : node.Mark(), key,
          std::string("expected USD per million tokens, a number from 0, for '") + key + "'");
    return number;
  }

  /// Reads the rates of a chat model, or of an embedding model, which has no reply tokens.
  Result<> rates(const YAML::Node& node, Price& price) const {
    if (node.IsMap() && node["embedding"]) {
      KW_TRY(known_keys(node, {"embedding"}, "the price of embeddings alone"));
      price.prompt_usd = KW_TRY(dollars(node, "embedding", {}));
      price.cached_usd = price.cache_write_usd = price.prompt_usd;
      return {};
    }
    KW_TRY(
        known_keys(node, {"prompt", "cached", "cache_write", "completion", "embedding"}, "prices"));
    price.prompt_usd = KW_TRY(dollars(node, "prompt", {}));
    price.cached_usd = KW_TRY(dollars(node, "cached", price.prompt_usd));
    price.cache_write_usd = KW_TRY(dollars(node, "cache_write", price.prompt_usd));
    price.completion_usd = KW_TRY(dollars(node, "completion", {}));
    return {};
  }

  Result<> group(const YAML::Node& node, std::vector<Price>& prices) const {
    KW_TRY(known_keys(node, {"provider", "base_url", "as_of", "source", "models"}, "a group"));
    Price common;
    common.provider = KW_TRY(text(node, "provider", true));
    if (const auto provider = provider_named(common.provider);
        !provider || info_of(*provider).base_url.empty())
      return bad(node["provider"].Mark(), "provider",
                 "the provider of a group of prices is " + priced_providers());
    common.base_url = KW_TRY(text(node, "base_url", false));
    while (common.base_url.ends_with('/')) common.base_url.pop_back();
    common.as_of = KW_TRY(text(node, "as_of", true));
    common.source = KW_TRY(text(node, "source", true));
    const YAML::Node models = node["models"];
    if (!models || !models.IsMap())
      return bad(node.Mark(), "models", "a group of prices needs a mapping 'models'");
    for (const auto& entry : models) {
      Price price = common;
      price.model = entry.first.Scalar();
      KW_TRY(rates(entry.second, price));
      prices.push_back(std::move(price));
    }
    return {};
  }

 private:
  std::string_view origin_;
};

/// Whether the suffix is a date as vendors append it to names: "-2025-04-14" or "-20250929".
bool is_date_suffix(std::string_view suffix) {
  if (!suffix.starts_with('-')) return false;
  suffix.remove_prefix(1);
  std::size_t digits = 0;
  for (std::size_t i = 0; i < suffix.size(); ++i) {
    const bool is_dash = suffix.size() == 10 && (i == 4 || i == 7);
    if (is_dash ? suffix[i] != '-' : (suffix[i] < '0' || suffix[i] > '9')) return false;
    digits += is_dash ? 0 : 1;
  }
  return digits == 8;
}

constexpr double kMillion = 1e6;

bool is_of_server(const Price& price, const ModelSpec& spec) {
  const bool is_here =
      price.base_url.empty() ? spec.has_own_base_url() : price.base_url == spec.base_url;
  return price.provider == info_of(spec.provider).name && is_here;
}

}  // namespace

Result<PriceTable> PriceTable::parse(std::string_view text, std::string_view origin) {
  const Reader reader(origin);
  std::vector<Price> prices;
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    KW_TRY(reader.known_keys(root, {"groups"}, "a mapping with 'groups'"));
    if (!root["groups"].IsSequence())
      return reader.bad(root.Mark(), "groups", "the file of prices needs a list 'groups'");
    for (const YAML::Node& node : root["groups"]) KW_TRY(reader.group(node, prices));
  } catch (const YAML::Exception& error) {
    return reader.bad(error.mark, "YAML", error.msg);
  }
  return PriceTable(std::move(prices));
}

std::string PriceTable::near_names(const ModelSpec& spec) const {
  std::vector<std::string> names;
  for (const Price& price : prices_)
    if (is_of_server(price, spec)) names.push_back(price.model);
  return suggestion(spec.name, names);
}

std::optional<Price> PriceTable::find(const ModelSpec& spec) const {
  if (!spec.is_remote()) {
    Price free;
    free.provider = info_of(spec.provider).name;
    free.model = spec.name;
    free.source = "free of charge, because the model runs locally";
    return free;
  }
  const Price* dated = nullptr;
  for (const Price& price : prices_) {
    if (!is_of_server(price, spec)) continue;
    if (price.model == spec.name) return price;
    if (spec.name.starts_with(price.model) &&
        is_date_suffix(std::string_view(spec.name).substr(price.model.size())))
      dated = &price;
  }
  if (dated != nullptr) return *dated;
  return std::nullopt;
}

double cost_usd(const Usage& usage, const Price& price) {
  const double plain = static_cast<double>(std::max<std::int64_t>(
      0, usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens));
  return (plain * price.prompt_usd + static_cast<double>(usage.cached_tokens) * price.cached_usd +
          static_cast<double>(usage.cache_write_tokens) * price.cache_write_usd +
          static_cast<double>(usage.completion_tokens) * price.completion_usd) /
         kMillion;
}

double worst_cost_usd(const Usage& usage, const Price& price) {
  const double prompt = std::max({price.prompt_usd, price.cached_usd, price.cache_write_usd});
  return (static_cast<double>(usage.prompt_tokens) * prompt +
          static_cast<double>(usage.completion_tokens) * price.completion_usd) /
         kMillion;
}

}  // namespace kw::llm
