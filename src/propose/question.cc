// Renders a question's prompt, asks a model, and rejects empty replies.
// SPDX-License-Identifier: Apache-2.0
#include "propose/question.h"

#include <array>

namespace kw::propose {

Result<Question> Question::open(const memory::DataFiles& data, const std::string& folder,
                                const std::string& name, const std::vector<std::string>& known,
                                llm::ChatModel& model, const ReplySettings& reply) {
  constexpr std::array<std::string_view, 1> wanted{"ask"};
  memory::TemplateKind kind;
  kind.folder = "prompts/" + folder;
  return Question(KW_TRY(memory::Templates::open(data, known, wanted, kind)), name, model, reply);
}

Result<std::string> Question::ask(const memory::Fields& fields) {
  ChatRequest request;
  request.messages = {{ChatRole::User, KW_TRY(templates_.render("ask", fields))}};
  request.set(reply_);
  llm::Call call;
  call.scope = name_ + " " + std::to_string(++asked_);
  ChatReply reply = KW_TRY(model_->complete(request, call));
  if (const std::string why = llm::why_unusable(reply); !why.empty())
    return fail(ErrorCode::BrokenReply, About{"unusable"}, why, name_, Advice::GiveUp);
  return std::move(reply.text);
}

}  // namespace kw::propose
