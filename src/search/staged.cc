// Staged: one evolving kernel, one transformation a step, failures diagnosed and patched. After
// CuTeGen (arXiv 2604.01489); what was published and what is our choice: docs/strategies.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

// Values that CuTeGen publishes.
constexpr int kRegenerations = 3;  // regenerations of one step
constexpr int kFixes = 5;          // fixes of each regeneration
constexpr int kChains = 3;         // published: the best of three chains counts
/// The deepest step whose ask does not show a profile (as in CuTeGen's
/// scripts/run_profiled_sample.py).
int withheld_until(WorkClass work) {
  switch (work) {
    case WorkClass::Matmul:
    case WorkClass::Convolution:
      return 6;
    case WorkClass::Elementwise:
      return 2;
    case WorkClass::Other:
      return 5;
  }
  return 5;
}

/// How far a source got: 0 failed to compile, 1 failed later, 2 correct. Of several failing
/// sources, the one that got farthest is patched.
int rank_of(const Work& work) {
  if (work.is_correct()) return 2;
  return work.stage > Stage::Compile ? 1 : 0;
}

class Staged final : public Authoring {
 public:
  /// `begins_chain`: whether each idea begins chains, in the order of the ideas.
  Staged(std::vector<Idea> ideas, std::vector<bool> begins_chain, const StrategyOptions& options)
      : Authoring(std::move(ideas), options),
        depths_(options.rounds),
        work_class_(options.work),
        profile_after_(withheld_until(options.work)),
        begins_chain_(std::move(begins_chain)) {
    const auto cards = options.techniques.empty() ? technique_cards(options.target, options.work)
                                                  : options.techniques;
    for (const TechniqueCard& card : cards) menu_.push_back({card.name, card.what});
  }

 protected:
  std::string doing() const override {
    if (is_done()) return fmt::format("{} chains ended; {}", chain_, ended_);
    return fmt::format("chain {}, step {} of {}", chain_ + 1, depth_, depths_);
  }

  bool is_done() const override { return chain_ == kChains; }
  bool tunes_at_end() const override { return true; }

  std::optional<Ask> next() override {
    if (is_waiting() || is_done()) return std::nullopt;
    if (failing_) return patch(works_.at(*failing_));
    if (depth_ == 0) return first();
    return transform();
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (ask.role == Role::Idea) {
      // An expert kernel counts as a first kernel that passed; a chain begins at the fastest of
      // those that may begin one.
      const auto idea = static_cast<std::size_t>(ask.idea);
      if (tell.is_correct() && idea < begins_chain_.size() && begins_chain_[idea] &&
          (!kernel_ || works_.at(*id).speedup > works_.at(*kernel_).speedup))
        kernel_ = id, depth_ = 1;
      return;
    }
    if (!id || ask.role != Role::Write) return;
    if (!may_derive(tell.ask)) return give_up_step();
    if (tell.is_correct()) return pass(*id);
    follow_failure(*id);
  }

  void steered() override {
    failing_.reset();
    fixes_ = regenerations_ = 0;
    if (pinned() != 0) {
      kernel_ = works_.of(pinned());
      depth_ = std::max(depth_, 1);
    } else if (kernel_ && !may_derive(works_.at(*kernel_).point)) {
      kernel_ = works_.of(best().ask());
    }
    if (!kernel_) depth_ = 0;
  }

 private:
  Ask first() const {
    Ask ask = write(Errand::Write, 0,
                    fmt::format("chain {}: the simplest kernel that is correct (try {} of {})",
                                chain_ + 1, regenerations_ + 1, kRegenerations));
    ask.manner.writer = view("staged_first");
    return ask;
  }

  Ask transform() const {
    const Work& work = works_.at(*kernel_);
    Ask ask = write(
        Errand::Improve, pinned() != 0 ? pinned() : work.point,
        fmt::format("step {} of {} ({}): one transformation of {}, the last that passed{} (try {} "
                    "of {})",
                    depth_, depths_, name_of(work_class_), words_of(work),
                    depth_ <= profile_after_ ? ", profile withheld" : "", regenerations_ + 1,
                    kRegenerations));
    ask.manner.writer = view("staged_step");
    ask.manner.menu = menu_;
    ask.manner.form = ReplyForm::Edits;
    return ask;
  }

  /// An ask for a diagnosis and a local patch that keeps the kernel's design.
  Ask patch(const Work& failing) const {
    Ask ask = write(
        Errand::Repair, failing.ask,
        fmt::format("step {}: fix {} of {} of {}", depth_, fixes_ + 1, kFixes, words_of(failing)));
    ask.manner.writer = view("staged_patch");
    View diagnose = view("staged_diagnose");
    diagnose.role = "debugger";
    ask.manner.counsel = {std::move(diagnose)};
    ask.manner.form = ReplyForm::Edits;
    ask.manner.keeps_kernel = true;
    return ask;
  }

  /// A view that shows no other kernels, since only one kernel evolves.
  View view(const char* prompt) const {
    View view;
    view.prompt = prompt;
    view.is_bounded = true;
    view.hides_profile = depth_ <= profile_after_;
    return view;
  }

  void pass(WorkId id) {
    kernel_ = id;
    failing_.reset();
    fixes_ = regenerations_ = 0;
    if (++depth_ > depths_) end_chain(fmt::format("the last after all {} steps", depths_));
  }

  void follow_failure(WorkId id) {
    const Work& work = works_.at(id);
    // A reply without a source counts as a try, but leaves the source to be patched as it is.
    const bool is_source = work.stage != Stage::Propose;
    if (failing_) ++fixes_;
    if (is_source && (!failing_ || rank_of(work) >= rank_of(works_.at(*failing_)))) failing_ = id;
    if (failing_ && fixes_ < kFixes) return;
    failing_.reset();
    fixes_ = 0;
    if (++regenerations_ == kRegenerations) give_up_step();
  }

  void give_up_step() {
    const int at = depth_;
    failing_.reset();
    fixes_ = regenerations_ = 0;
    end_chain(fmt::format("the last at step {}, which could not be made to work", at));
  }

  /// Ends the chain; the next one begins from the task alone.
  void end_chain(std::string how) {
    ended_ = std::move(how);
    ++chain_;
    depth_ = 0;
    kernel_.reset();
    if (pinned() != 0 && !is_done()) steered();
  }

  const int depths_;
  const WorkClass work_class_;
  const int profile_after_;
  std::vector<MenuItem> menu_;
  std::vector<bool> begins_chain_;  // by idea
  Works works_;
  int chain_ = 0;
  int depth_ = 0;                 // 0: the first kernel is asked for
  std::optional<WorkId> kernel_;  // the last kernel that passed; the run keeps the best
  std::optional<WorkId> failing_;
  int fixes_ = 0;
  int regenerations_ = 0;
  std::string ended_;
};

}  // namespace

std::unique_ptr<Strategy> make_staged(std::vector<Idea> ideas, const StrategyOptions& options) {
  std::vector<bool> begins_chain;
  for (const Idea& idea : ideas) begins_chain.push_back(idea.begins_chains);
  return std::make_unique<Staged>(std::move(ideas), std::move(begins_chain), options);
}

}  // namespace kw::search
