// The prompt for a next step and what its reply names.
// SPDX-License-Identifier: Apache-2.0
#include "propose/next_step.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "memory/relabel.h"
#include "propose/schema.h"

namespace kw::propose {
namespace {

constexpr std::int64_t kMostAnswerTokens = 4096;  // thinking included
constexpr std::size_t kFactBytes = 300;
constexpr const char* kAskFolder = "prompts/next_step";
constexpr std::array kSchema{SchemaField{.name = "technique", .most = 12}};

std::unexpected<Error> no_answer(const std::string& why) {
  return fail(why, "next step", Advice::GiveUp);
}

}  // namespace

Result<std::size_t> parse_next_step(std::string_view reply, const std::vector<NamedStep>& menu) {
  const auto fields = read_schema(reply, kSchema);
  if (!fields) return no_answer(fields.error());
  const std::string name(trim(fields->at("technique")));
  const auto place_of = [&](const std::string& wanted) {
    return static_cast<std::size_t>(std::ranges::find(menu, wanted, &NamedStep::name) -
                                    menu.begin());
  };
  std::size_t place = place_of(name);
  if (place == menu.size()) {
    std::vector<std::string> names;
    for (const NamedStep& step : menu) names.push_back(step.name);
    place = place_of(memory::Relabeller(names).label(name));
  }
  if (place == menu.size()) return no_answer("'" + sanitise(name, 60) + "' was not offered");
  return place;
}

Result<NextStep> NextStep::open(const memory::DataFiles& data, llm::ChatModel& model) {
  const std::vector<std::string> known = {"facts", "text", "steps", "name"};
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : data.under(kAskFolder))
    if (path.ends_with(".md")) files.emplace(path.substr(0, path.size() - 3), text);
  if (!files.contains("ask"))
    return fail("this template is missing", std::string(kAskFolder) + "/ask.md");
  memory::TemplateKind kind;
  kind.folder = kAskFolder;
  return NextStep(KW_TRY(memory::Templates::parse(std::move(files), known, kind)), model);
}

Result<std::size_t> NextStep::choose(const std::vector<std::string>& facts,
                                     const std::vector<NamedStep>& menu) {
  std::vector<memory::Fields> known, offered;
  for (const std::string& fact : facts) known.push_back({{"text", {sanitise(fact, kFactBytes)}}});
  for (const NamedStep& step : menu)
    offered.push_back(
        {{"name", {step.name}},
         {"text", {step.what.empty() ? std::string() : ": " + sanitise(step.what, kFactBytes)}}});
  ChatRequest request;
  request.messages = {{ChatRole::User, KW_TRY(templates_.render(
                                           "ask", {{"facts", {known}}, {"steps", {offered}}}))}};
  request.max_tokens = kMostAnswerTokens;
  llm::Call call;
  call.scope = "next step " + std::to_string(++asked_);
  const ChatReply reply = KW_TRY(model_->complete(request, call));
  if (const std::string why = llm::why_unusable(reply); !why.empty()) return no_answer(why);
  return parse_next_step(reply.text, menu);
}

}  // namespace kw::propose
