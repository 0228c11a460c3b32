// Coder-judge: a coder writes, a judge reads the result and names one thing to change. Preset paper
// is CudaForge (arXiv 2511.01884), sketch a simpler loop; docs/strategies.md describes both.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

class CoderJudge final : public Authoring {
 public:
  CoderJudge(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options),
        is_paper_(options.preset == "paper"),
        judge_(options.judges_by_rules  ? "rules"
               : options.judges_learned ? "learned"
                                        : "judge"),
        rounds_(options.rounds) {}

 protected:
  std::string doing() const override {
    if (is_done()) return fmt::format("{} rounds", rounds_);
    return fmt::format("round {} of {}", round_ + 1, rounds_);
  }

  bool is_done() const override { return round_ >= rounds_; }

  bool tunes_at_end() const override { return true; }

  std::optional<Ask> next() override {
    if (is_waiting() || is_done()) return std::nullopt;
    Ask ask = !latest_ ? seed() : is_paper_ ? paper() : sketch();
    ask.why = fmt::format("round {} of {}: {}", round_ + 1, rounds_, ask.why);
    return ask;
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (!id) return;
    if (ask.role == Role::Write) ++round_;
    if (!may_derive(tell.ask)) return;
    const bool is_faster = tell.is_correct() &&
                           (!best_work_ || works_.at(*id).speedup > works_.at(*best_work_).speedup);
    if (is_faster) best_work_ = id;
    // The first round begins at the fastest expert kernel; each later round continues from the last
    // kernel.
    if (ask.role == Role::Write || is_faster) latest_ = id;
  }

  void steered() override {
    best_work_ = works_.of(best().ask());
    if (pinned() != 0) latest_ = best_work_ = works_.of(pinned());
    if (latest_ && !may_derive(works_.at(*latest_).ask) && !may_derive(works_.at(*latest_).point))
      latest_ = best_work_;
  }

 private:
  static Ask seed() { return write(Errand::Write, 0, "the seed"); }

  View judge_view(const char* prompt) const {
    View view;
    view.role = judge_;
    view.prompt = prompt;
    view.is_bounded = true;
    return view;
  }

  /// The view of the coder, who is shown only the latest kernel and the judge's advice.
  static View coder_view(const char* prompt) {
    View view;
    view.role = "coder";
    view.prompt = prompt;
    view.is_bounded = true;
    view.hides_profile = true;
    return view;
  }

  /// The next ask of preset `paper`, as in CudaForge: the current kernel is always the last one,
  /// even if slower or broken. A failed kernel gets a correction, a working one an optimisation;
  /// the profile shown is of the same kernel.
  Ask paper() const {
    const Work& work = works_.at(*latest_);
    Ask ask = write(
        work.is_correct() ? Errand::Improve : Errand::Repair, work.point,
        fmt::format("{} of {}", work.is_correct() ? "optimisation" : "correction", words_of(work)));
    ask.manner.counsel = {judge_view(work.is_correct() ? "judge_speed" : "judge_fix")};
    ask.manner.writer = coder_view(work.is_correct() ? "forge_speed" : "forge_fix");
    return ask;
  }

  /// The next ask of preset `sketch`, which always starts from the best kernel and the last
  /// instructions. If the last kernel did not compile, the compiler's error serves as instructions.
  Ask sketch() const {
    const Work& last = works_.at(*latest_);
    // If no kernel was correct yet, the last one is the starting point.
    const Work& from = best_work_ ? works_.at(*best_work_) : last;
    const bool compiles = last.is_correct() || last.stage > Stage::Compile;
    Ask ask = write(from.is_correct() ? Errand::Improve : Errand::Repair, from.point,
                    fmt::format("from the best, {}; {} of {}", words_of(from),
                                compiles ? "instructions after" : "the error", words_of(last)));
    ask.manner.writer = coder_view("forge_gap");
    View view = judge_view("judge_gap");
    if (!compiles) view.role = "rules";  // the error is the instruction, so nobody is asked
    view.about = last.point;
    ask.manner.counsel = {std::move(view)};
    return ask;
  }

  const bool is_paper_;
  const std::string judge_;
  const int rounds_;
  Works works_;
  int round_ = 0;
  std::optional<WorkId> latest_;
  std::optional<WorkId> best_work_;
};

}  // namespace

std::unique_ptr<Strategy> make_coder_judge(std::vector<Idea> ideas,
                                           const StrategyOptions& options) {
  return std::make_unique<CoderJudge>(std::move(ideas), options);
}

}  // namespace kw::search
