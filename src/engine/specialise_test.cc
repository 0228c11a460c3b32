// Choosing knobs for each shape: what is tried, what is kept, and what happens to a wrong build.
// SPDX-License-Identifier: Apache-2.0
#include "engine/specialise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "record/codec.h"
#include "store/store_for_test.h"
#include "task/header.h"
#include "task/load.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kTunedKernel = R"(// kw: tune B = 4, 8, 16
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
)";

Speedup seen(double value, bool is_faster = false) {
  return {value, value, value, 0.995, "", 0, is_faster};
}

/// A carrier that answers every request with the speedup that a test gives it, and notes the
/// requests.
class TellingCarrier final : public evaluate::Carrier {
 public:
  using Told = std::function<Speedup(const EvaluationRequest&)>;
  explicit TellingCarrier(Told told) : told_(std::move(told)) {}
  Result<DeviceFacts> open(const std::optional<DeviceFacts>&) override { return DeviceFacts(); }
  Result<> submit(EvaluationRequest request) override {
    requests.push_back(std::move(request));
    return {};
  }
  Result<Evaluation> next() override {
    const EvaluationRequest& request = requests.back();
    Evaluation e;
    e.id = request.id;
    e.speedup = told_(request);
    const bool is_wrong = e.speedup.value < 0;
    e.verdict = {Stage::Measure, is_wrong ? Outcome::WrongResult : Outcome::Correct, ""};
    WorkloadResult timed;  // the time of a baseline
    timed.group = Group::Time, timed.median_ns = 1e6;
    e.workloads.push_back(timed);
    return e;
  }
  std::vector<EvaluationRequest> requests;

 private:
  Told told_;
};

bool has_arm(const EvaluationRequest& request, const std::string& workload) {
  return request.candidate.source.find("// " + workload + "\n") != std::string::npos;
}
bool uses(const EvaluationRequest& request, const std::string& point) {
  return request.candidate.source.find("#define " + point + "\n") != std::string::npos &&
         request.measure.only.size() == 1;
}

class SpecialiseTest : public store::OpenStore {
 protected:
  SpecialiseTest() {
    auto definition = task::load_task(std::string(KW_SOURCE_DIR) + "/tasks/saxpy").value();
    for (const task::WorkloadSpec& spec : std::vector(definition.workloads))
      if (spec.group == Group::Time && spec.is_for(Target::Cpu)) {
        task::WorkloadSpec half = spec;
        half.name = "half", half.dims["n"] /= 2;
        definition.workloads.push_back(half);
      }
    TaskWorkbenchOptions options;
    options.max_bytes = std::int64_t{1} << 30;
    workbench_ = TaskWorkbench::create(std::move(definition), {}, options).value();
    kernel_ = task::make_candidate("mine", kTunedKernel, Origin::Human, {}).value();
  }

  Result<Specialised> specialised(TellingCarrier& carrier, SpecialiseOptions options = {},
                                  std::function<bool()> is_interrupted = {}) {
    const Surroundings s{*workbench_, carrier, store_, clock_, observer_, std::move(is_interrupted),
                         1,           "test"};
    return specialise(s, *workbench_, kernel_, options,
                      [&](const ShapeChoice& shape) { heard_.push_back(shape.workload); });
  }

  platform::FakeClock clock_;
  Observer observer_;
  std::optional<TaskWorkbench> workbench_;
  Candidate kernel_;
  std::vector<std::string> heard_;
};

TEST_F(SpecialiseTest, KeepsWhatIsConfirmedAtItsShape) {
  TellingCarrier carrier([](const EvaluationRequest& r) -> Speedup {
    const bool is_confirmation = r.measure.purpose == Purpose::Confirm;
    const double value = !uses(r, "B 8") ? 1.01 : has_arm(r, "half") ? 1.1 : 1.3;
    // The confirmation does not show the gain at the smaller shape again.
    return seen(value, is_confirmation && !has_arm(r, "half"));
  });
  const Specialised result = specialised(carrier).value();
  EXPECT_THAT(heard_, ElementsAre("dram", "half"));
  ASSERT_THAT(result.shapes, SizeIs(2));
  EXPECT_EQ(result.shapes[0].tried, 3);
  ASSERT_TRUE(result.shapes[0].arm);
  EXPECT_EQ(result.shapes[0].arm->knobs, (KnobPoint{{"B", 8}}));
  EXPECT_FALSE(result.shapes[1].arm);
  EXPECT_TRUE(result.shapes[1].confirmation) << "why not is told";
  ASSERT_TRUE(result.is_kept());
  EXPECT_THAT(result.kernel->source, HasSubstr("// dram\n"));
  EXPECT_THAT(result.kernel->source, Not(HasSubstr("// half\n")));
  const EvaluationRequest& last = carrier.requests.back();
  EXPECT_EQ(last.measure.purpose, Purpose::Confirm);
  EXPECT_TRUE(last.measure.only.empty()) << "the whole, at every shape";
  EXPECT_EQ(last.candidate.source, result.kernel->source);
  EXPECT_NE(last.opponent.name, "mine");
  ASSERT_TRUE(result.terms);
  EXPECT_EQ(encode(*result.terms), encode(terms_of(last)));
}

TEST_F(SpecialiseTest, TriesWhatIsNearFirstAndAgainstTheKernelItself) {
  TellingCarrier carrier([](const EvaluationRequest&) { return seen(1); });
  const Specialised result = specialised(carrier, {.points = 1}).value();
  EXPECT_FALSE(result.kernel);
  EXPECT_FALSE(result.is_kept());
  std::erase_if(carrier.requests,
                [](const EvaluationRequest& r) { return r.measure.only.empty(); });
  ASSERT_THAT(carrier.requests, SizeIs(2)) << "nothing to confirm";
  for (const EvaluationRequest& request : carrier.requests) {
    EXPECT_TRUE(uses(request, "B 4")) << "its own knobs, with constants";
    EXPECT_EQ(request.opponent.name, "mine");
    EXPECT_EQ(request.measure.purpose, Purpose::Search);
  }
}

TEST_F(SpecialiseTest, AWrongBuildIsNeverKeptHoweverFast) {
  TellingCarrier carrier(
      [](const EvaluationRequest& r) { return seen(uses(r, "B 16") ? -9 : 1, true); });
  EXPECT_FALSE(specialised(carrier).value().kernel);
  // The kernel is right while searching and wrong in the confirmation.
  TellingCarrier later([](const EvaluationRequest& r) {
    return seen(r.measure.purpose == Purpose::Confirm ? -1 : 2, true);
  });
  EXPECT_FALSE(specialised(later).value().kernel);
}

TEST_F(SpecialiseTest, AnInterruptEndsIt) {
  TellingCarrier carrier([](const EvaluationRequest&) { return seen(1); });
  for (const bool is_during : {false, true}) {
    carrier.requests.clear();
    const std::size_t last = 5;  // two baselines are timed first
    const auto result = specialised(
        carrier, {}, [&] { return carrier.requests.size() == (is_during ? last : last - 1); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
  }
}

}  // namespace
}  // namespace kw::engine
