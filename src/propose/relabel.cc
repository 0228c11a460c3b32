// Asks a model to name optimisation steps consistently, and reads its reply.
// SPDX-License-Identifier: Apache-2.0
#include "propose/relabel.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"

namespace kw::propose {
namespace {

constexpr std::size_t kMethodBytes = 60;
constexpr std::size_t kWhatBytes = 300;

/// The text from the first opening bracket to the last closing one.
std::string_view list_in(std::string_view reply) {
  const std::size_t from = reply.find('['), to = reply.rfind(']');
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return {};
  return reply.substr(from, to - from + 1);
}

}  // namespace

Result<std::vector<std::string>> parse_labels(std::string_view reply,
                                              const std::vector<std::string>& names,
                                              std::size_t steps) {
  const auto refused = [](const std::string& about, const std::string& why) {
    return fail(ErrorCode::BrokenReply, About{about}, why, "relabelling");
  };
  const auto list = nlohmann::json::parse(list_in(reply), nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return refused("list", "the reply holds no JSON list");
  if (list.size() != steps) return refused("length", "the reply has not one item for each step");
  std::vector<std::string> labels;
  for (const auto& item : list) {
    const auto text_at = [&](const char* key) {
      const auto found = item.is_object() ? item.find(key) : item.end();
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    std::string name = sanitise(trim(text_at("method")), kMethodBytes);
    if (name.empty()) return refused("method", "an item names no method");
    if (text_at("existed") == "yes" && !contains(names, name))
      return refused(name, "'" + name + "' is said to be in use and is not");
    labels.push_back(std::move(name));
  }
  return labels;
}

Result<ModelRelabeller> ModelRelabeller::open(const memory::DataFiles& data, llm::ChatModel& model,
                                              const ReplySettings& reply) {
  return ModelRelabeller(KW_TRY(Question::open(
      data, "relabel", "relabelling", {"names", "text", "steps", "number", "name"}, model, reply)));
}

Result<std::vector<std::string>> ModelRelabeller::label(const std::vector<std::string>& names,
                                                        const std::vector<NamedStep>& steps) {
  std::vector<memory::Fields> in_use, items;
  for (const std::string& name : names)
    in_use.push_back({{"text", {sanitise_line(name, kMethodBytes)}}});
  for (std::size_t i = 0; i < steps.size(); ++i)
    items.push_back({{"number", {std::to_string(i + 1)}},
                     {"name", {sanitise_line(steps[i].name, kMethodBytes)}},
                     {"text", {sanitise_line(steps[i].what, kWhatBytes)}}});
  const std::string reply = KW_TRY(question_.ask({{"names", {in_use}}, {"steps", {items}}}));
  return parse_labels(reply, names, steps.size());
}

}  // namespace kw::propose
