// Bandit: sorts kernels into clusters by measured features and learns for each cluster which
// technique pays. After KernelBand (arXiv 2511.18868); docs/strategies.md says what was published.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/contains.h"
#include "search/authoring.h"
#include "search/clusters.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

// KernelBand publishes k-means on runtime features, upper confidence bounds over cluster ×
// technique, the reward (T - T') / T, and this value: a technique is masked where the cluster's
// kernels use more than this share of its resource.
constexpr double kSaturated = 0.75;
// KernelBand does not publish these values; they are our choice.
constexpr std::size_t kClusters = 3;
constexpr std::size_t kKept = 48;  // fastest kernels, from which everything is made
constexpr int kClusterEvery = 8;   // new kernels after which the clusters are computed anew
constexpr double kWidth = 0.35;    // width of the confidence bound; rewards lie in -0.5 to 0.6
constexpr double kHope = 0.15;     // reward expected of a technique that nobody has tried
constexpr double kWorst = -0.5;    // reward of a failure, and lower limit for a slower kernel
constexpr int kTriesOfOne = 2;     // limit of tries of a technique on one kernel
constexpr int kMendsOfTry = 2;     // repairs of a failure before it counts

struct Arm {
  double sum = 0;
  int count = 0;
};

class Bandit final : public Authoring {
 public:
  Bandit(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options),
        rng_(options.seed),
        cards_(options.techniques.empty() ? technique_cards(options.target, options.work)
                                          : options.techniques),
        of_technique_(cards_.size()) {}

 protected:
  std::string doing() const override {
    return fmt::format("{} kernels kept in {} clusters, {} techniques, {} tries", kept_.size(),
                       clusters_, cards_.size(), tries_);
  }

  std::optional<Ask> next() override {
    if (is_waiting()) return std::nullopt;
    if (const auto id = std::exchange(to_mend_, std::nullopt)) {
      const Work& work = works_.at(*id);
      if (may_derive(work.ask)) {
        Ask ask = write(Errand::Repair, work.ask, fmt::format("mend {}", words_of(work)));
        ask.manner.technique = work.technique;
        ask.manner.method = method_of(work.technique);
        return ask;
      }
    }
    if (kept_.empty()) return write(Errand::Write, 0, "a first kernel");
    return pull(choose());
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (id && tell.is_correct()) keep(*id);
    if (!id || ask.role != Role::Write) return;
    const Work& work = works_.at(*id);
    if (!work.is_correct() && work.failures <= kMendsOfTry && may_derive(work.ask)) {
      to_mend_ = id;
      return;
    }
    credit(*id);
  }

  void steered() override {
    kept_.clear();
    for (WorkId id = 0; id < works_.size(); ++id)
      if (works_.at(id).is_correct()) keep(id);
    if (to_mend_ && !may_derive(works_.at(*to_mend_).ask)) to_mend_.reset();
  }

 private:
  /// A technique that may be applied in one cluster.
  struct Choice {
    std::size_t cluster = 0;
    std::size_t technique = 0;
    WorkId kernel = 0;
    double mean = 0;
    double bound = 0;
    int count = 0;
    bool is_masked = false;
  };

  std::string method_of(const std::string& technique) const {
    const auto card = std::ranges::find(cards_, technique, &TechniqueCard::name);
    return card == cards_.end() ? std::string() : card->what;
  }

  void keep(WorkId id) {
    const Work& work = works_.at(id);
    if (work.traits.is_repeated || (!may_derive(work.point) && !may_derive(work.ask))) return;
    const auto slower = [&](WorkId a, WorkId b) {
      return works_.at(a).speedup > works_.at(b).speedup;
    };
    kept_.insert(std::ranges::upper_bound(kept_, id, slower), id);
    if (kept_.size() > kKept) kept_.pop_back();
    if (++since_clustering_ >= kClusterEvery || kept_.size() <= kClusters) regroup();
    cluster_of_.emplace(id, 0);
  }

  void regroup() {
    since_clustering_ = 0;
    std::vector<Features> points;
    for (const WorkId id : kept_) points.push_back(features_of(works_.at(id)));
    const auto clusters = cluster(points, kClusters, rng_);
    cluster_of_.clear();
    for (std::size_t i = 0; i < kept_.size(); ++i) cluster_of_[kept_[i]] = clusters[i];
    clusters_ = clusters.empty() ? 0 : 1 + *std::ranges::max_element(clusters);
  }

  static Features features_of(const Work& work) {
    Features features{std::log(std::max(1.0, work.time_ns))};
    for (const char* resource : kResources)
      features.push_back(share_of(work.traits.used, resource));
    return features;
  }

  std::size_t cluster_of(WorkId id) const {
    const auto found = cluster_of_.find(id);
    return found == cluster_of_.end() ? 0 : found->second;
  }

  /// Mean share of a resource that the kernels of a cluster use.
  double used(std::size_t cluster, const std::string& resource) const {
    double sum = 0, count = 0;
    for (const WorkId id : kept_) {
      if (cluster_of(id) != cluster) continue;
      const auto& all = works_.at(id).traits.used;
      if (const auto found = all.find(resource); found != all.end()) sum += found->second;
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  Arm arm(std::size_t cluster, std::size_t technique) const {
    Arm arm;
    for (const WorkId id : kept_) {
      if (cluster_of(id) != cluster) continue;
      const auto found = credits_.find({id, technique});
      if (found != credits_.end()) arm.sum += found->second.sum, arm.count += found->second.count;
    }
    return arm;
  }

  /// The cluster's fastest kernel that does not show the technique and on which it was not tried
  /// often.
  std::optional<WorkId> kernel_for(std::size_t cluster, std::size_t technique) const {
    for (const WorkId id : kept_) {
      if (cluster_of(id) != cluster) continue;
      if (contains(works_.at(id).techniques, cards_[technique].name)) continue;
      const auto found = credits_.find({id, technique});
      if (found == credits_.end() || found->second.count < kTriesOfOne) return id;
    }
    return std::nullopt;
  }

  std::optional<Choice> choose() const {
    std::optional<Choice> best;
    for (std::size_t c = 0; c < std::max<std::size_t>(clusters_, 1); ++c)
      for (std::size_t t = 0; t < cards_.size(); ++t) {
        const auto kernel = kernel_for(c, t);
        if (!kernel) continue;
        const Choice choice = judge_arm(c, t, *kernel);
        const auto rank = [](const Choice& x) { return std::pair(!x.is_masked, x.bound); };
        if (!best || rank(choice) > rank(*best)) best = choice;
      }
    return best;
  }

  Choice judge_arm(std::size_t c, std::size_t t, WorkId kernel) const {
    const Arm here = arm(c, t);
    const Arm& all = of_technique_[t];
    const double expected = (kHope + all.sum) / (1 + all.count);
    const double count = 1 + here.count;
    const double mean = (expected + here.sum) / count;
    const double width = kWidth * std::sqrt(std::log(2.0 + tries_) / count);
    return {c, t, kernel, mean, mean + width, here.count, used(c, cards_[t].resource) > kSaturated};
  }

  Ask pull(const std::optional<Choice>& choice) {
    if (!choice) {  // every technique was tried on every kernel
      return write(
          Errand::Improve, works_.at(kept_.front()).point,
          fmt::format("no technique is left to try on {}", words_of(works_.at(kept_.front()))));
    }
    const Work& kernel = works_.at(choice->kernel);
    const TechniqueCard& card = cards_[choice->technique];
    Ask ask = write(Errand::Improve, kernel.point,
                    fmt::format("{} on {}: cluster {}, {} tr{}, mean reward {:.2f}, bound {:.2f}{}",
                                card.name, words_of(kernel), choice->cluster + 1, choice->count,
                                choice->count == 1 ? "y" : "ies", choice->mean, choice->bound,
                                choice->is_masked ? "; all that is not saturated was tried" : ""));
    ask.manner.writer.prompt = "apply";
    ask.manner.technique = card.name;
    ask.manner.method = card.what;
    return ask;
  }

  /// Credits the result of a try to the kernel from which the try was made.
  void credit(WorkId id) {
    const Work& work = works_.at(id);
    auto origin = work.parent;
    while (origin && !works_.at(*origin).is_correct()) origin = works_.at(*origin).parent;
    const auto card = std::ranges::find(cards_, work.technique, &TechniqueCard::name);
    if (!origin || card == cards_.end()) return;
    double reward = kWorst;
    if (work.is_correct() && work.first_speedup > 0)
      reward = std::max(kWorst, 1 - works_.at(*origin).speedup / work.first_speedup);
    const auto technique = static_cast<std::size_t>(card - cards_.begin());
    for (Arm* arm : {&credits_[{*origin, technique}], &of_technique_[technique]})
      arm->sum += reward, ++arm->count;
    ++tries_;
  }

  Rng rng_;
  const std::vector<TechniqueCard> cards_;
  Works works_;
  std::vector<WorkId> kept_;  // fastest first
  std::map<WorkId, std::size_t> cluster_of_;
  std::size_t clusters_ = 0;
  int since_clustering_ = 0;
  std::map<std::pair<WorkId, std::size_t>, Arm> credits_;  // by kernel and technique
  std::vector<Arm> of_technique_;
  int tries_ = 0;
  std::optional<WorkId> to_mend_;
};

}  // namespace

std::unique_ptr<Strategy> make_bandit(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Bandit>(std::move(ideas), options);
}

}  // namespace kw::search
