// Agent: a planner divides the work and picks what to do, a coder writes, a critic reads before
// anything is judged. After the architecture of a survey (arXiv 2601.15727); docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

// Our choices: the survey names the roles, the loop and a bounded memory, but gives no numbers.
constexpr std::size_t kShownToAgent = 8;  // latest attempts shown to planner and coder
constexpr int kReviews = 2;               // reviews of one plan; after that the referee decides
// Plans in a row without a new best after which a new design is asked for.
constexpr int kStagnates = 5;

class Agent final : public Authoring {
 public:
  Agent(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options), most_repairs_(options.repairs) {}

 protected:
  std::string doing() const override {
    return fmt::format("plan {}, {} since the last gain", plans_, barren_);
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    if (to_mend_) return mend(works_.at(*to_mend_));
    return plan();
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    latest_.push_back(tell.ask);
    if (latest_.size() > kShownToAgent) latest_.pop_front();
    if (tell.outcome_class == OutcomeClass::NewBest) barren_ = 0;
    if (!id || ask.role != Role::Write) return;
    to_mend_.reset();
    if (tell.is_correct() || !may_derive(tell.ask)) return;
    const bool is_turned_down = tell.stage == Stage::Propose && tell.outcome == Outcome::Rejected;
    is_turned_down ? ++reviews_ : ++repairs_;
    if (repairs_ <= most_repairs_) to_mend_ = id;
  }

  void steered() override {
    if (to_mend_ && !may_derive(works_.at(*to_mend_).ask)) to_mend_.reset();
  }

 private:
  View view(const char* role, const char* prompt) const {
    View view;
    view.role = role;
    view.prompt = prompt;
    view.is_bounded = true;
    view.lines.assign(latest_.begin(), latest_.end());
    // The best attempt is always shown, even if it is not among the latest ones.
    if (best().ask() != 0 && std::ranges::find(view.lines, best().ask()) == view.lines.end())
      view.lines.insert(view.lines.begin(), best().ask());
    return view;
  }

  void add_review(Ask& ask) const {
    if (reviews_ >= kReviews) return;
    View critic = view("critic", "agent_review");
    critic.lines.clear();
    ask.manner.review = {std::move(critic)};
  }

  Ask plan() {
    ++plans_;
    repairs_ = reviews_ = 0;
    const int parent = pinned() != 0 ? pinned() : best().ask();
    const bool is_stuck = parent != 0 && ++barren_ % kStagnates == 0;
    Ask ask =
        write(parent == 0 ? Errand::Write : Errand::Improve, parent,
              fmt::format("plan {}: {}{}", plans_,
                          parent == 0 ? std::string("a first kernel")
                                      : fmt::format("what to do next with attempt {}", parent),
                          is_stuck ? "; a new design, since nothing has helped" : ""));
    ask.manner.counsel = {view("planner", "agent_plan")};
    ask.manner.writer = view("coder", is_stuck ? "evolve_rewrite" : "agent_code");
    if (is_stuck) ask.manner.form = ReplyForm::Whole;
    add_review(ask);
    return ask;
  }

  Ask mend(const Work& work) const {
    const bool is_turned_down = work.outcome == Outcome::Rejected && work.stage == Stage::Propose;
    Ask ask = write(Errand::Repair, work.ask,
                    fmt::format("plan {}: {} attempt {}{}", plans_,
                                is_turned_down ? "answer the critic on" : "mend", work.ask,
                                reviews_ >= kReviews ? "; the referee decides" : ""));
    ask.manner.writer = view("coder", "agent_repair");
    add_review(ask);
    return ask;
  }

  const int most_repairs_;  // limit of repairs of one plan
  Works works_;
  std::deque<int> latest_;
  int plans_ = 0;
  int barren_ = 0;
  int repairs_ = 0;
  int reviews_ = 0;
  std::optional<WorkId> to_mend_;
};

}  // namespace

std::unique_ptr<Strategy> make_agent(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Agent>(std::move(ideas), options);
}

}  // namespace kw::search
