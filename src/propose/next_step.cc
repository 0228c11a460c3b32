// Asks a model for the next optimisation step, and reads which step its reply names.
// SPDX-License-Identifier: Apache-2.0
#include "propose/next_step.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/foreign_text.h"
#include "base/text.h"
#include "memory/relabel.h"
#include "propose/schema.h"

namespace kw::propose {
namespace {

constexpr std::size_t kFactBytes = 300;
constexpr std::array kSchema{SchemaField{.name = "technique", .most = 12}};

std::unexpected<Error> no_answer(std::string about, const std::string& why) {
  return fail(ErrorCode::BrokenReply, About{std::move(about)}, why, "next step", Advice::GiveUp);
}

}  // namespace

Result<std::size_t> parse_next_step(std::string_view reply, const std::vector<NamedStep>& menu) {
  const auto fields = read_schema(reply, kSchema);
  if (!fields) return no_answer("form", fields.error());
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
  if (place == menu.size())
    return no_answer(sanitise(name, 60),
                     "'" + sanitise(name, 60) + "' is not among the steps that were offered");
  return place;
}

Result<NextStep> NextStep::open(const memory::DataFiles& data, llm::ChatModel& model,
                                const ReplySettings& reply) {
  return NextStep(KW_TRY(Question::open(data, "next_step", "next step",
                                        {"facts", "text", "steps", "name"}, model, reply)));
}

Result<std::size_t> NextStep::choose(const std::vector<std::string>& facts,
                                     const std::vector<NamedStep>& menu) {
  std::vector<memory::Fields> known, offered;
  for (const std::string& fact : facts)
    known.push_back({{"text", {sanitise_line(fact, kFactBytes)}}});
  for (const NamedStep& step : menu)
    offered.push_back(
        {{"name", {step.name}},
         {"text",
          {step.what.empty() ? std::string() : ": " + sanitise_line(step.what, kFactBytes)}}});
  const std::string reply = KW_TRY(question_.ask({{"facts", {known}}, {"steps", {offered}}}));
  return parse_next_step(reply, menu);
}

}  // namespace kw::propose
