// A person's orders: which of them have a meaning, and that a run follows them, also when it is
// resumed.
// SPDX-License-Identifier: Apache-2.0
#include "engine/orders.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "base/error_for_test.h"
#include "base/text.h"
#include "engine/failing_carrier_for_test.h"
#include "engine/order_rules.h"
#include "engine/run.h"
#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "store/store_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Order order_of(OrderKind kind, const std::string& text = "", int attempt = 0) {
  Order order;
  order.kind = kind;
  order.text = text;
  order.attempt = attempt;
  order.who = "anna";
  order.at = "2026-01-01T00:00:00Z";
  return order;
}

Order raise_attempts(std::int64_t attempts) {
  Order order = order_of(OrderKind::Budget);
  order.budget.max_attempts = attempts;
  return order;
}

/// Gives each order while the ask with its number is judged: the order takes effect with the next
/// ask.
class Person final : public Observer {
 public:
  Person(store::RunStore& store, std::multimap<int, Order> orders)
      : store_(store), orders_(std::move(orders)) {}
  void on_start(const RunSummary& run, const std::string&) override { run_ = run; }
  void on_ask(int number, const search::Ask&, const std::string&) override {
    const auto [begin, end] = orders_.equal_range(number);
    for (auto it = begin; it != end; ++it) EXPECT_TRUE(give_orders(store_, run_.id, {it->second}));
    orders_.erase(begin, end);
  }
  void on_order(const Order& order) override { effects.push_back(order); }
  void on_attempt(const Attempt&, const Standing&) override { ++attempts; }
  const std::multimap<int, Order>& left() const { return orders_; }
  const RunSummary& run() const { return run_; }
  std::vector<Order> effects;
  int attempts = 0;

 private:
  store::RunStore& store_;
  RunSummary run_;
  std::multimap<int, Order> orders_;
};

class OrderedRun : public store::OpenStore {
 protected:
  RunConfig config(int outstanding = 1, const std::string& strategy = "greedy") {
    RunConfig c;
    c.task = "synthetic";
    c.strategy = strategy;
    c.max_attempts = 16;
    c.seed = 3;
    c.outstanding = outstanding;
    return c;
  }
  Surroundings surroundings(Observer& observer, std::function<bool()> is_interrupted = {},
                            evaluate::Carrier* carrier = nullptr) {
    return {workbench_, carrier == nullptr ? carrier_ : *carrier,
            store_,     clock_,
            observer,   std::move(is_interrupted),
            1,          "test"};
  }
  RunReport finished(const RunConfig& c, std::multimap<int, Order> orders) {
    Person person(store_, std::move(orders));
    auto report = run(surroundings(person), c);
    EXPECT_TRUE(report) << describe(report.error());
    EXPECT_TRUE(store_.update(report->run));
    effects_ = person.effects;
    return *report;
  }
  std::string log_of(const RunSummary& run) const {
    return platform::read_file(store_.folder_of(run) / kDecisionLog).value();
  }
  std::string replayed(const RunSummary& run) const {
    const auto lines = replay(workbench_, store_, store_.find(run.name).value());
    EXPECT_TRUE(lines) << describe(lines.error());
    return lines ? join(*lines, "\n") + "\n" : "";
  }
  std::vector<AttemptLine> lines(const RunSummary& run) const {
    std::vector<AttemptLine> all;
    EXPECT_TRUE(
        store_.attempts().for_each_line(run.id, [&](const AttemptLine& l) { all.push_back(l); }));
    return all;
  }

  /// Expects that attempts are numbered without a gap, that orders are those that were given and
  /// reach no further than the next attempt, and that SQLite finds nothing wrong.
  void expect_whole(const std::string& name, std::size_t given) const {
    const RunSummary run = store_.find(name).value();
    const auto stored = lines(run);
    EXPECT_THAT(stored, SizeIs(static_cast<std::size_t>(run.attempts)));
    for (std::size_t i = 0; i < stored.size(); ++i)
      EXPECT_EQ(stored[i].number, static_cast<int>(i) + 1);
    EXPECT_LE(run.best_attempt, run.attempts);
    const auto orders = orders_of(store_, run.id).value();
    EXPECT_THAT(orders, SizeIs(given));
    for (const Order& order : orders) EXPECT_LE(order.from_attempt, run.attempts + 1);
    EXPECT_FALSE(platform::FileLock::is_held(store_.folder_of(run) / "lock").value());
    SQLite::Database file((dir_.path() / "runs" / "kernelwright.sqlite").string());
    EXPECT_EQ(file.execAndGet("PRAGMA integrity_check").getString(), "ok");
  }

  search::LandscapeOptions options_{.seed = 7};
  SyntheticWorkbench workbench_{options_};
  evaluate::SyntheticCarrier carrier_{workbench_.landscape()};
  platform::FakeClock clock_;
  std::vector<Order> effects_;
};

TEST_F(OrderedRun, KeepsThemWithTheirPlaceAndReplaysThem) {
  const RunReport report =
      finished(config(), {{2, order_of(OrderKind::Forbid, "odd")}, {9, raise_attempts(20)}});
  EXPECT_EQ(report.run.attempts, 20);
  const auto orders = orders_of(store_, report.run.id).value();
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_EQ(orders[0].number, 1);
  EXPECT_EQ(orders[0].from_attempt, 3) << "between the second ask and the third";
  EXPECT_EQ(orders[0].told, 2);
  EXPECT_EQ(orders[0].who, "anna");
  EXPECT_EQ(orders[1].from_attempt, 10);
  const std::string log = log_of(report.run);
  EXPECT_THAT(log, HasSubstr("\n3 order 1 forbid odd\n3 ask "));
  EXPECT_THAT(log, HasSubstr("\n10 order 2 raise the budget to 20 attempts\n10 ask "));
  EXPECT_THAT(log, HasSubstr("stop attempts: 20 of 20 made"));
  EXPECT_EQ(replayed(report.run), log);
  for (const AttemptLine& line : lines(report.run))
    if (line.number > 2) {
      EXPECT_TRUE(line.name == "idea-0" || line.name == "idea-2") << line.name;
    }
}

TEST_F(OrderedRun, GoneOnWithAnywhereTheSameDecisionsFollow) {
  const std::multimap<int, Order> orders{{3, order_of(OrderKind::Require, "odd")},
                                         {6, order_of(OrderKind::Pin, "", 2)},
                                         {11, raise_attempts(18)}};
  for (const int outstanding : {1, 3}) {
    const RunReport whole = finished(config(outstanding), orders);
    const std::string expected = log_of(whole.run);
    EXPECT_EQ(replayed(whole.run), expected);
    ASSERT_THAT(orders_of(store_, whole.run.id).value(), SizeIs(3));
    for (int stop = 1; stop < 18; stop += 3) {
      SCOPED_TRACE(fmt::format("outstanding {}, stop {}", outstanding, stop));
      Person person(store_, orders);
      const auto first =
          run(surroundings(person, [&] { return person.attempts >= stop; }), config(outstanding));
      ASSERT_TRUE(first) << describe(first.error());
      ASSERT_TRUE(store_.update(first->run));
      EXPECT_EQ(replayed(first->run), log_of(first->run)) << "interrupted";
      // Orders for asks that are still to come are given once those asks are made.
      std::multimap<int, Order> left;
      for (const auto& [number, order] : orders)
        if (number > static_cast<int>(first->run.attempts)) left.emplace(number, order);
      Person again(store_, left);
      const auto second = resume(surroundings(again), store_.find(first->run.name).value());
      ASSERT_TRUE(second) << describe(second.error());
      ASSERT_TRUE(store_.update(second->run));
      EXPECT_EQ(log_of(second->run), expected);
      EXPECT_EQ(replayed(second->run), expected);
    }
  }
}

TEST_F(OrderedRun, AnOrderToAStoppedRunTakesEffectWhenItGoesOn) {
  Person nobody(store_, {});
  const auto first = run(surroundings(nobody, [&] { return nobody.attempts >= 5; }), config());
  ASSERT_TRUE(first && store_.update(first->run));
  ASSERT_TRUE(give_orders(store_, first->run.id, {raise_attempts(17)}));
  Person person(store_, {});
  const auto second = resume(surroundings(person), store_.find(first->run.name).value());
  ASSERT_TRUE(second) << describe(second.error());
  ASSERT_THAT(person.effects, SizeIs(1));
  EXPECT_EQ(person.effects[0].from_attempt, 6) << "not where the recorded ones are fed again";
  EXPECT_EQ(second->run.attempts, 17);
  ASSERT_TRUE(store_.update(second->run));
  EXPECT_EQ(replayed(second->run), log_of(second->run));
}

TEST_F(OrderedRun, InterruptedAtAnyLookWhileOrdersComeTheSameDecisionsFollow) {
  const std::multimap<int, Order> orders{{2, order_of(OrderKind::Forbid, "odd")},
                                         {5, raise_attempts(18)}};
  const std::string expected = log_of(finished(config(), orders).run);
  bool was_interrupted = true;
  for (int nth = 1; was_interrupted; ++nth) {
    SCOPED_TRACE(nth);
    Person person(store_, orders);
    int looks = 0;
    const auto first = run(surroundings(person, [&] { return ++looks >= nth; }), config());
    if (!first) {
      EXPECT_THAT(first.error(), IsErrorAbout(ErrorCode::Cancelled, "baselines"));
      EXPECT_EQ(person.run().name, "") << "there is no run yet";
      continue;
    }
    ASSERT_TRUE(store_.update(first->run));
    was_interrupted = first->run.state == RunState::Interrupted;
    EXPECT_EQ(was_interrupted, looks >= nth);
    const std::string& name = first->run.name;
    expect_whole(name, orders.size() - person.left().size());
    EXPECT_EQ(replayed(first->run), log_of(first->run));
    if (!was_interrupted) continue;
    Person again(store_, person.left());
    const auto second = resume(surroundings(again), store_.find(name).value());
    ASSERT_TRUE(second) << describe(second.error());
    ASSERT_TRUE(store_.update(second->run));
    expect_whole(name, orders.size());
    EXPECT_EQ(log_of(second->run), expected);
  }
}

TEST_F(OrderedRun, InterruptedWhileItFailsAndAnOrderComesNothingIsLost) {
  finished(config(), {});  // From now on the baselines are known: evaluation 1 is attempt 1.
  constexpr int kConfirmation = 17;
  for (int nth = 1; nth <= kConfirmation; ++nth) {
    SCOPED_TRACE(nth);
    Person person(store_, {{nth, order_of(OrderKind::Forbid, "odd")}});
    FailingCarrier failing(carrier_, nth, Advice::Stop);
    const auto first =
        run(surroundings(person, [&] { return failing.has_failed(); }, &failing), config());
    ASSERT_FALSE(first);
    const RunSummary stored = store_.find(person.run().name).value();
    EXPECT_EQ(stored.state, RunState::Interrupted);
    EXPECT_THAT(stored.stopped_by, HasSubstr("the worker is gone"));
    EXPECT_EQ(stored.attempts, nth - 1) << "the attempt that failed is not one";
    const bool is_steered = nth < kConfirmation;
    expect_whole(stored.name, is_steered ? 1 : 0);

    Person again(store_, {});
    const auto second = resume(surroundings(again), stored);
    ASSERT_TRUE(second) << describe(second.error());
    ASSERT_TRUE(store_.update(second->run));
    EXPECT_EQ(second->run.state, RunState::Finished);
    expect_whole(stored.name, is_steered ? 1 : 0);
    EXPECT_EQ(replayed(second->run), log_of(second->run));
    if (!is_steered) continue;
    EXPECT_EQ(orders_of(store_, stored.id).value()[0].from_attempt, nth);
    for (const AttemptLine& line : lines(second->run))
      if (line.number >= nth) {
        EXPECT_TRUE(line.name == "idea-0" || line.name == "idea-2") << line.name;
      }
  }
}

TEST_F(OrderedRun, ToFinishEndsTheSearchAndConfirmsTheBest) {
  const std::multimap<int, Order> orders{{6, order_of(OrderKind::Finish)}};
  for (const int outstanding : {1, 3}) {
    SCOPED_TRACE(outstanding);
    const RunReport report = finished(config(outstanding), orders);
    EXPECT_EQ(report.run.attempts, 6) << "what was asked is judged to its end";
    EXPECT_EQ(report.run.state, RunState::Finished);
    EXPECT_EQ(report.run.stopped_by, "order 1 of anna to finish");
    EXPECT_TRUE(report.confirmation) << "of the best so far";
    EXPECT_THAT(log_of(report.run), HasSubstr("\n7 order 1 finish: confirm the best so far\n"));
    EXPECT_EQ(replayed(report.run), log_of(report.run));
  }
}

TEST_F(OrderedRun, ToFinishHoldsWhereverTheRunIsGoneOnWith) {
  const std::multimap<int, Order> orders{{9, order_of(OrderKind::Finish)}};
  for (const int outstanding : {1, 3}) {
    const std::string expected = log_of(finished(config(outstanding), orders).run);
    for (int stop = 1; stop < 9; ++stop) {
      SCOPED_TRACE(fmt::format("outstanding {}, stop {}", outstanding, stop));
      Person person(store_, orders);
      const auto first =
          run(surroundings(person, [&] { return person.attempts >= stop; }), config(outstanding));
      ASSERT_TRUE(first && store_.update(first->run));
      Person again(store_, person.left());
      const auto second = resume(surroundings(again), store_.find(first->run.name).value());
      ASSERT_TRUE(second) << describe(second.error());
      ASSERT_TRUE(store_.update(second->run));
      if (first->run.state == RunState::Interrupted && person.left().empty()) {
        EXPECT_TRUE(second->run.stopped_by.starts_with("order 1")) << second->run.stopped_by;
      }
      EXPECT_EQ(log_of(second->run), expected);
      EXPECT_EQ(replayed(second->run), expected);
    }
  }
}

TEST_F(OrderedRun, ToFinishOneThatNobodyWorksOnConfirmsWhenItGoesOn) {
  Person nobody(store_, {});
  const auto first = run(surroundings(nobody, [&] { return nobody.attempts >= 5; }), config());
  ASSERT_TRUE(first && store_.update(first->run));
  ASSERT_TRUE(give_orders(store_, first->run.id, {order_of(OrderKind::Finish)}));
  Person person(store_, {});
  const auto second = resume(surroundings(person), store_.find(first->run.name).value());
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_EQ(second->run.attempts, first->run.attempts);
  EXPECT_TRUE(second->confirmation);
  ASSERT_TRUE(store_.update(second->run));
  EXPECT_EQ(replayed(second->run), log_of(second->run));
}

TEST_F(OrderedRun, OneThatComesTooLateHasNoEffectAndChangesNoReplay) {
  const RunReport report = finished(config(), {});
  ASSERT_TRUE(give_orders(store_, report.run.id, {raise_attempts(99)}));
  EXPECT_EQ(orders_of(store_, report.run.id).value().at(0).from_attempt, 0);
  EXPECT_EQ(replayed(report.run), log_of(report.run));
}

TEST_F(OrderedRun, OneDuringTheLastAttemptStillLetsTheRunGoOn) {
  const RunReport report = finished(config(), {{16, raise_attempts(19)}});
  EXPECT_EQ(report.run.attempts, 19);
  EXPECT_EQ(replayed(report.run), log_of(report.run));
}

TEST(OrdersInForce, EndWhereTheyAreLiftedAndOnePinHolds) {
  std::vector<Order> orders{order_of(OrderKind::Hint, "blocks"), order_of(OrderKind::Pin, "", 2),
                            order_of(OrderKind::Pin, "", 4), order_of(OrderKind::Lift)};
  for (int i = 0; i < 4; ++i) {
    Order& order = orders[static_cast<std::size_t>(i)];
    order.number = i + 1;
    order.from_attempt = 10 * (i + 1);
  }
  orders[3].lifts = 1;
  const auto numbers = [&](int attempt) {
    std::vector<int> all;
    for (const Order& order : in_force(orders, attempt)) all.push_back(order.number);
    return all;
  };
  EXPECT_THAT(numbers(9), IsEmpty());
  EXPECT_THAT(numbers(10), ElementsAre(1));
  EXPECT_THAT(numbers(25), ElementsAre(1, 2));
  EXPECT_THAT(numbers(30), ElementsAre(1, 3));
  EXPECT_THAT(numbers(40), ElementsAre(3));
  EXPECT_THAT(instructions_of(in_force(orders, 30)),
              ElementsAre("Worth trying: blocks",
                          "Work on attempt 4 and on nothing else until told otherwise."));
  EXPECT_EQ(steering_of(in_force(orders, 30), {}).pinned, 4);
}

class OrderRules : public testing::Test {
 protected:
  OrderRules() {
    config_.strategy = "greedy";
    config_.max_attempts = 30;
    for (int i = 1; i <= 4; ++i) {
      AttemptLine line;
      line.number = i;
      line.outcome = i == 3 ? Outcome::Crashed : Outcome::Correct;
      line.words = i == 3 ? "failed at run: crashed" : "correct";
      if (i > 1) line.knobs = {{"A", i}};
      if (i == 4) line.parent = 2;
      lines_.push_back(line);
    }
    ideas_ = {{"a", {}, {"tiling"}}, {"b", {}, {"unrolling", "tiling"}}};
  }
  Result<> refusal(const Order& order) {
    return check_order(order, {config_, lines_, ideas_, orders_});
  }
  void give(Order order) {
    order.number = static_cast<int>(orders_.size()) + 1;
    orders_.push_back(order);
  }

  RunConfig config_;
  std::vector<AttemptLine> lines_;
  std::vector<search::Idea> ideas_;
  std::vector<Order> orders_;
};

TEST_F(OrderRules, WithoutAModelWordsMeanNothing) {
  EXPECT_THAT(refusal(order_of(OrderKind::Hint, "blocks")),
              IsErrorAbout(ErrorCode::Unsupported, "hint"));
  config_.strategy = "refine";
  EXPECT_TRUE(refusal(order_of(OrderKind::Hint, "blocks")));
  EXPECT_THAT(refusal(order_of(OrderKind::Hint)), IsErrorAbout(ErrorCode::Missing, "hint"));
}

TEST_F(OrderRules, TechniquesAreThoseOfTheIdeas) {
  EXPECT_TRUE(refusal(order_of(OrderKind::Forbid, "unrolling")));
  EXPECT_THAT(refusal(order_of(OrderKind::Forbid, "unroling")),
              IsErrorAbout(ErrorCode::NotFound, "unroling"));
  EXPECT_THAT(refusal(order_of(OrderKind::Forbid, "tiling")),
              IsErrorAbout(ErrorCode::Contradiction, "no idea left"));
  EXPECT_TRUE(refusal(order_of(OrderKind::Require, "tiling")));
  give(order_of(OrderKind::Forbid, "unrolling"));
  EXPECT_THAT(refusal(order_of(OrderKind::Require, "unrolling")),
              IsErrorAbout(ErrorCode::Contradiction, "no idea left"));
  config_.strategy = "refine";
  EXPECT_TRUE(refusal(order_of(OrderKind::Forbid, "anything"))) << "a model may use any";
}

TEST_F(OrderRules, PinsNameCorrectAttemptsThatCanBeDerivedFrom) {
  EXPECT_TRUE(refusal(order_of(OrderKind::Pin, "", 2)));
  EXPECT_THAT(refusal(order_of(OrderKind::Pin, "", 5)),
              IsErrorAbout(ErrorCode::NotFound, "attempt 5"));
  EXPECT_THAT(refusal(order_of(OrderKind::Pin, "", 3)),
              IsErrorAbout(ErrorCode::WrongState, "not correct"));
  EXPECT_THAT(refusal(order_of(OrderKind::Pin, "", 1)),
              IsErrorAbout(ErrorCode::Unsupported, "no knobs"));
  EXPECT_THAT(refusal(order_of(OrderKind::Pin, "", 4)),
              IsErrorAbout(ErrorCode::Contradiction, "setting of attempt 2"));
  EXPECT_THAT(refusal(order_of(OrderKind::Stop, "", 4)),
              IsErrorAbout(ErrorCode::Contradiction, "setting of attempt 2"));
  config_.strategy = "refine";
  EXPECT_TRUE(refusal(order_of(OrderKind::Pin, "", 4)));
  give(order_of(OrderKind::Stop, "", 2));
  EXPECT_THAT(refusal(order_of(OrderKind::Pin, "", 4)),
              IsErrorAbout(ErrorCode::WrongState, "given up by order 1"));
  for (const char* strategy : {"random", "best-of-n"}) {
    config_.strategy = strategy;
    EXPECT_THAT(refusal(order_of(OrderKind::Stop, "", 1)),
                IsErrorAbout(ErrorCode::Unsupported, strategy));
  }
}

TEST_F(OrderRules, BudgetsAreRaisedOnly) {
  EXPECT_TRUE(refusal(raise_attempts(31)));
  EXPECT_THAT(refusal(raise_attempts(30)), IsErrorAbout(ErrorCode::OutOfRange, "attempts"));
  give(raise_attempts(50));
  EXPECT_THAT(refusal(raise_attempts(40)), IsErrorAbout(ErrorCode::OutOfRange, "attempts"));
  Order order = order_of(OrderKind::Budget);
  order.budget.models.calls = 9;
  EXPECT_THAT(refusal(order), IsErrorAbout(ErrorCode::Missing, "model calls"));
}

TEST_F(OrderRules, NothingIsOrderedOfASearchThatWasEnded) {
  EXPECT_TRUE(refusal(order_of(OrderKind::Finish)));
  give(order_of(OrderKind::Finish));
  for (const Order& order :
       {order_of(OrderKind::Finish), raise_attempts(50), order_of(OrderKind::Lift)})
    EXPECT_THAT(refusal(order), IsErrorAbout(ErrorCode::WrongState, "ended by order 1"));
}

TEST_F(OrderRules, WhatIsLiftedMustHold) {
  give(order_of(OrderKind::Forbid, "unrolling"));
  give(raise_attempts(50));
  Order lift = order_of(OrderKind::Lift);
  lift.lifts = 1;
  EXPECT_TRUE(refusal(lift));
  give(lift);
  EXPECT_THAT(refusal(lift), IsErrorAbout(ErrorCode::WrongState, "lifted"));
  lift.lifts = 2;
  EXPECT_THAT(refusal(lift), IsErrorAbout(ErrorCode::Unsupported, "lift"));
  lift.lifts = 7;
  EXPECT_THAT(refusal(lift), IsErrorAbout(ErrorCode::NotFound, "order 7"));
}

}  // namespace
}  // namespace kw::engine
