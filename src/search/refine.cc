// Refine: tries the expert kernels first; then has a source written, repairs it while it fails,
// tunes it when it works, and improves the best one.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/methods.h"

namespace kw::search {
namespace {

/// Asks for one source at a time, because each request depends on the previous result. Only the
/// run's rules end it.
class Refine final : public Authoring {
 public:
  Refine(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options), repairs_(options.repairs) {
    begin_anew();
  }

 protected:
  std::string doing() const override { return next_.why; }

  void steered() override {
    if (next_.errand == Errand::Write || next_.errand == Errand::Improve ||
        !may_derive(next_.parent))
      begin_anew();
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    return next_;
  }

  void judged(const Ask& ask, const Tell& tell) override {
    // A failed source is not repaired if a person's orders no longer allow deriving from it.
    if (ask.role == Role::Write && may_derive(tell.ask) && !tell.is_correct())
      follow_failure(ask, tell);
    else
      begin_anew();
  }

 private:
  void begin_anew() {
    failures_ = 0;
    last_failure_.reset();
    if (pinned() != 0)
      next_ = write(Errand::Improve, pinned(),
                    fmt::format("improve attempt {}, which a person has pinned", pinned()));
    else if (best().ask() != 0)
      next_ = write(Errand::Improve, best().ask(),
                    fmt::format("improve the best, attempt {}", best().ask()));
    else
      next_ = write(Errand::Write, 0, "a first kernel");
  }

  void follow_failure(const Ask& ask, const Tell& tell) {
    if (++failures_ > repairs_) {
      begin_anew();
      if (repairs_ > 0) next_.why += fmt::format("; {} repairs did not help", repairs_);
      return;
    }
    // The first failure of a new approach is repaired, whatever its class.
    const bool is_loop = ask.errand != Errand::Rethink && last_failure_ == tell.outcome;
    last_failure_ = tell.outcome;
    if (is_loop)
      next_ = write(Errand::Rethink, tell.ask,
                    fmt::format("another approach: {} twice in a row", name_of(tell.outcome)));
    else
      next_ = write(Errand::Repair, tell.ask,
                    fmt::format("mend attempt {}: {} (repair {} of {})", tell.ask,
                                name_of(tell.outcome), failures_, repairs_));
  }

  const int repairs_;
  Ask next_;
  int failures_ = 0;  // failed sources since the last correct source or new approach
  std::optional<Outcome> last_failure_;
};

}  // namespace

std::unique_ptr<Strategy> make_refine(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Refine>(std::move(ideas), options);
}

}  // namespace kw::search
