// Tests of which cards exist, and which of them a prompt shows.
// SPDX-License-Identifier: Apache-2.0
#include "memory/knowledge.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/error_for_test.h"

namespace kw::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const AdviceScope kRowScope{"softmax", "row", Target::Cpu, "box", Bound::Memory, ""};

FoundCard found(const std::string& name, double relevance) {
  FoundCard one;
  one.card.name = name;
  one.card.text = name + " does it";
  one.relevance = relevance;
  one.words = {"row", "loads", "lanes"};
  return one;
}

std::vector<std::string> chosen(const std::vector<FoundCard>& all,
                                const AdviceScope& scope = kRowScope) {
  std::vector<std::string> names;
  for (const FoundCard* one : choose_cards(all, scope)) names.push_back(one->card.name);
  return names;
}

TEST(KnowledgeTest, EveryShippedCardCanBeReadAndNamesWhatThereIs) {
  const auto data = DataFiles::open(std::nullopt).value();
  const auto cards = shipped_cards(data);
  ASSERT_TRUE(cards) << describe(cards.error());
  EXPECT_GE(cards->size(), 30U);
  std::set<std::string> families;
  for (const auto& [path, text] : data.under("tasks"))
    if (path.ends_with("task.yaml"))
      if (const auto at = text.find("family: "); at != std::string::npos)
        families.insert(text.substr(at + 8, text.find('\n', at) - at - 8));
  std::set<std::string> names;
  for (const Card& card : *cards) {
    EXPECT_TRUE(names.insert(card.name).second) << card.name;
    for (const std::string& family : card.families)
      EXPECT_TRUE(families.contains(family)) << card.name << ": " << family;
  }
  const auto kernels = playbook_cards(data);
  EXPECT_GE(kernels.size(), 40U);
  for (const Card& card : kernels) {
    EXPECT_FALSE(card.code.empty()) << card.name;
    EXPECT_LE(card.code.size(), kSnippetBytes) << card.name;
  }
}

TEST(KnowledgeTest, MistakesInACardAreNamedWithTheirPlace) {
  const auto error = [](const std::string& text) {
    const auto cards = parse_cards(text, "knowledge/x.yaml");
    return cards ? std::string("none") : place_and_about(cards.error());
  };
  EXPECT_THAT(error("cards:\n  - name: a\n    text: b\n    bound: [memory]\n"),
              HasSubstr("knowledge/x.yaml:4:5 card: unknown bound -> bounds"));
  EXPECT_THAT(error("cards:\n  - name: a\n    text: b\n    bounds: [memroy]\n"),
              HasSubstr("bounds: memroy -> memory"));
  EXPECT_THAT(error("cards:\n  - text: b\n"), HasSubstr("card: lacks name"));
  EXPECT_THAT(error("cards:\n  - { name: a, text: b }\n  - { name: a, text: c }\n"),
              HasSubstr("twice a"));
  EXPECT_THAT(error("cards: [{ name: a, text: " + std::string(3000, 'x') + " }]"),
              HasSubstr("text: 2000 bytes"));
  EXPECT_EQ(error("cards: [{ name: a, text: b, bounds: [memory], archs: [sm_90] }]"), "none");
}

TEST(KnowledgeTest, BottleneckFamilyMeaningAndUseDecideBeyondTheSearch) {
  FoundCard compute = found("compute", 1), memory = found("memory", 0.6), row = found("row", 0.5);
  compute.card.bounds = {Bound::Compute};
  memory.card.bounds = {Bound::Memory};
  row.card.families = {"row"};
  EXPECT_THAT(chosen({compute, memory, row}), ElementsAre("row", "memory", "compute"));
  AdviceScope first = kRowScope;
  first.bound = Bound::Unknown;
  EXPECT_THAT(chosen({compute, memory, row}, first), ElementsAre("row", "compute", "memory"));
  memory.card.uses = 6;
  EXPECT_THAT(chosen({compute, memory, row}), ElementsAre("row", "compute"))
      << "shown six times and never of use";
  compute.likeness = 0.1;
  row.likeness = 0.9;
  EXPECT_THAT(chosen({compute, row}, first), ElementsAre("row", "compute"));
}

TEST(KnowledgeTest, CodeForTheTaskItselfIsNoKnowledge) {
  FoundCard own = found("own", 1), variant = found("variant", 1), other = found("other", 0.9),
            more = found("more", 0.8);
  for (FoundCard* one : {&own, &variant, &other, &more}) one->card.kind = CardKind::Snippet;
  own.card.task = "softmax";
  variant.card.task = "softmax_bf16";
  other.card.task = "rmsnorm";
  more.card.task = "scan";
  EXPECT_THAT(chosen({own, variant, other, more}), ElementsAre("other"));
  AdviceScope half = kRowScope;
  half.task = "softmax_f16";
  EXPECT_THAT(chosen({own, variant, other, more}, half), ElementsAre("other"));
}

TEST(KnowledgeTest, ACardIsForItsTargetsAndArchitectures) {
  Card card;
  EXPECT_TRUE(fits(card, Target::Cpu, ""));
  card.archs = {"sm_90"};
  EXPECT_TRUE(fits(card, Target::Cuda, "sm_90a"));
  EXPECT_FALSE(fits(card, Target::Cuda, "sm_80"));
  EXPECT_FALSE(fits(card, Target::Cuda, ""));
  card.archs = {};
  card.targets = {Target::Cpu};
  EXPECT_FALSE(fits(card, Target::Cuda, "sm_90"));
}

TEST(KnowledgeTest, CodeOfAFamilyThatDoesNotServeTheTaskIsNotShown) {
  FoundCard near = found("near", 0.5), kin = found("kin", 0.9), far = found("far", 1);
  near.card.families = {"scan"};
  kin.card.families = {"reduction"};
  far.card.families = {"normalization"};
  for (FoundCard* one : {&near, &kin, &far}) one->card.kind = CardKind::Snippet;
  AdviceScope scope = kRowScope;
  scope.family = "scan";
  EXPECT_THAT(chosen({far}, scope), IsEmpty());
  EXPECT_THAT(chosen({far, near}, scope), ElementsAre("near"));
  EXPECT_THAT(chosen({far, kin}, scope), ElementsAre("kin"));
  scope.family = "reduction";
  EXPECT_THAT(chosen({near}, scope), IsEmpty()) << "a scan does not help a sum";
  FoundCard chance = found("chance", 1);
  chance.card.kind = CardKind::Snippet;
  chance.words = {"three", "factor"};
  EXPECT_THAT(chosen({chance}, scope), IsEmpty()) << "two words are shared by chance";
  const auto data = DataFiles::open(std::nullopt).value();
  for (const Card& card : playbook_cards(data)) EXPECT_EQ(card.families.size(), 1u) << card.name;
}

TEST(KnowledgeTest, ACardForTheFamilyNeedsNoWordsAndOneForAnotherIsNotTold) {
  FoundCard own = found("own", 0), other = found("other", 1), any = found("any", 1);
  own.words.clear();
  own.card.families = {"row"};
  other.card.families = {"column"};
  EXPECT_THAT(chosen({own, other, any}), ElementsAre("own", "any"));
  any.words = {"far", "results"};
  EXPECT_THAT(chosen({own, other, any}), ElementsAre("own")) << "two words are shared by chance";
  LessonSnapshot known;
  known.cards = {own};
  EXPECT_EQ(remembered_of(known, kRowScope)[0].why, "for row");
}

TEST(KnowledgeTest, WhatIsForFewFamiliesAndArchitecturesComesFirst) {
  FoundCard one = found("one", 0), many = found("many", 1), here = found("here", 0);
  one.card.families = {"row"};
  many.card.families = {"row", "column", "diagonal"};
  here.card.families = many.card.families;
  here.card.archs = {"sm_90a"};
  EXPECT_THAT(chosen({many, one, here}), ElementsAre("here", "one", "many"));
}

// What holds anywhere is bounded closely; how an architecture's instructions are used is not.
TEST(KnowledgeTest, CardsOfTheArchitectureComeBesideTheFirstFour) {
  std::vector<FoundCard> all;
  for (int i = 0; i < 12; ++i) all.push_back(found("any " + std::to_string(i), 1 - 0.01 * i));
  EXPECT_EQ(chosen(all).size(), kMostCards);
  for (int i = 0; i < 12; ++i) {
    all.push_back(found("here " + std::to_string(i), 0.6 - 0.01 * i));
    all.back().card.archs = {"sm_80", "sm_90", "sm_100"};
  }
  const auto names = chosen(all);
  ASSERT_EQ(names.size(), kMostCardsOfArch);
  EXPECT_EQ(names[kMostCards - 1], "any 3");
  EXPECT_EQ(names[kMostCards], "here 0");
  for (FoundCard& one : all)
    if (!one.card.archs.empty()) one.card.kind = CardKind::Hardware;
  EXPECT_EQ(chosen(all).size(), kMostCards) << "notes on hardware are no techniques";
}

TEST(KnowledgeTest, ACardAboutAnArchitectureIsToldThere) {
  FoundCard hopper = found("hopper", 0), any = found("any machine", 0.9);
  hopper.words = any.words = {"memory"};
  hopper.card.kind = any.card.kind = CardKind::Hardware;
  hopper.card.archs = {"sm_90"};
  EXPECT_THAT(chosen({hopper, any}), ElementsAre("hopper"));
}

TEST(KnowledgeTest, ACardIsForTasksThatHaveWhatItIsAbout) {
  Card steps, exponential;
  steps.roles = {TensorRole::InOut};
  exponential.mentions = {"exp"};
  Task task;
  task.signature = {{"x", true, Dtype::F32, TensorRole::In},
                    {"y", true, Dtype::F32, TensorRole::Out}};
  EXPECT_FALSE(is_about(steps, task)) << "one sweep";
  EXPECT_FALSE(is_about(exponential, task, "y[i] = expected(x[i]);"));
  EXPECT_TRUE(is_about(exponential, task, "y[i] = std::exp(x[i]);"));
  task.signature[1].role = TensorRole::InOut;
  EXPECT_TRUE(is_about(steps, task));
}

// Cards that were told by chance words alone, or that said what is false of a task.
TEST(KnowledgeTest, EveryFamilyHasCardsOfItsOwnForBothTargets) {
  const auto cards = shipped_cards(DataFiles::open(std::nullopt).value());
  ASSERT_TRUE(cards) << cards.error().what;
  for (const char* family : {"matmul", "convolution", "attention", "normalization", "reduction",
                             "scan", "histogram", "transpose", "elementwise", "stencil"})
    for (const Target target : {Target::Cpu, Target::Cuda})
      EXPECT_TRUE(std::ranges::any_of(*cards, [&](const Card& card) {
        return is_for_this(card, family) && card.kind == CardKind::Technique &&
               fits(card, target, target == Target::Cpu ? "" : "sm_90a");
      })) << family;
}

TEST(KnowledgeTest, KernelsOfThePlaybookAreLeftToTheExamples) {
  FoundCard kernel = found("kernel", 1), win = found("win", 0.7);
  kernel.card.kind = win.card.kind = CardKind::Snippet;
  kernel.card.families = {"row"};
  kernel.card.origin = "playbook";
  kernel.card.code = win.card.code = "void f();\n";
  win.card.origin = "wins";
  EXPECT_THAT(chosen({kernel}), IsEmpty());
  EXPECT_THAT(chosen({kernel, win}), ElementsAre("win")) << "what was confirmed here says more";
}

TEST(KnowledgeTest, CodeInCuteIsForWhereItCompiles) {
  Card card;
  card.code = "// A kernel.\n// kw: dialect cute\n#include <cute/tensor.hpp>\n";
  EXPECT_TRUE(fits(card, Target::Cuda, "sm_90a", true));
  EXPECT_FALSE(fits(card, Target::Cuda, "sm_90a", false));
  card.code = "// Not in the dialect cute.\n";
  EXPECT_TRUE(fits(card, Target::Cuda, "sm_90a", false));
}

TEST(KnowledgeTest, TensorCoresAtFloat32AreForTasksWithSuchInputs) {
  const auto cards = shipped_cards(DataFiles::open(std::nullopt).value());
  ASSERT_TRUE(cards) << cards.error().what;
  const auto card = std::ranges::find(*cards, "cuda: tensor cores for float32 tasks", &Card::name);
  ASSERT_NE(card, cards->end());
  Task task;
  task.signature = {{"x", true, Dtype::BF16, TensorRole::In},
                    {"y", true, Dtype::F32, TensorRole::Out}};
  EXPECT_FALSE(is_about(*card, task));
  task.signature[0].dtype = Dtype::F32;
  EXPECT_TRUE(is_about(*card, task));
}

TEST(KnowledgeTest, ASnippetEndsBetweenFunctionsAndSaysSo) {
  const std::string function = "void f() {\n" + std::string(1000, ' ') + "\n}\n";
  const std::string source = function + "\n" + function + "\n" + function + "\n" + function;
  const std::string shown = excerpt(source);
  EXPECT_TRUE(shown.ends_with("}\n// The rest of the file is left out.\n")) << shown;
  EXPECT_LE(shown.size(), kSnippetBytes);
  EXPECT_EQ(excerpt(function), function);
}

TEST(KnowledgeTest, WgmmaIsTaughtWhereItCompilesAndNotForPlainSm90) {
  const auto cards = shipped_cards(DataFiles::open(std::nullopt).value());
  ASSERT_TRUE(cards) << cards.error().what;
  const auto card = std::ranges::find(*cards, "cuda: wgmma", &Card::name);
  ASSERT_NE(card, cards->end());
  EXPECT_TRUE(fits(*card, Target::Cuda, "sm_90a"));
  EXPECT_FALSE(fits(*card, Target::Cuda, "sm_90")) << "it compiles for sm_90a alone";
}

TEST(KnowledgeTest, MatricesAndBarriersAreTaughtWithTheirInstructions) {
  const auto cards = shipped_cards(DataFiles::open(std::nullopt).value());
  ASSERT_TRUE(cards) << cards.error().what;
  std::string all;
  for (const Card& card : *cards)
    if (fits(card, Target::Cuda, "sm_90a") && is_for_this(card, "matmul")) all += card.text + "\n";
  for (const char* instruction :
       {"mbarrier.init.shared::cta.b64", "mbarrier.arrive.expect_tx.shared::cta.b64",
        "mbarrier.try_wait.parity.shared::cta.b64",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "fence.proxy.async.shared::cta", "setmaxnreg.dec.sync.aligned.u32", "tnspB = 1"})
    EXPECT_THAT(all, HasSubstr(instruction));
}

TEST(KnowledgeTest, AKernelOfThePlaybookIsForTheArchitecturesThatItAsksFor) {
  const auto data = DataFiles::open(std::nullopt).value();
  std::map<std::string, Card> kernels;
  for (Card& card : playbook_cards(data)) kernels[card.name] = std::move(card);
  EXPECT_THAT(kernels.at("matmul_bf16_padded/60_gpu_cute.cu").archs, ElementsAre("sm_90a"));
  EXPECT_THAT(kernels.at("relu/40_gpu_streamed.cu").archs, IsEmpty());
  std::size_t newer = 0;
  for (const auto& [name, card] : kernels) {
    const bool names_one =
        data.under("playbook").at(name).find("require arch") != std::string::npos;
    EXPECT_FALSE(names_one && fits(card, Target::Cuda, "sm_75")) << name;
    newer += names_one ? 1 : 0;
  }
  EXPECT_GE(newer, 4U);
}

TEST(KnowledgeTest, WhatIsToldSaysWhyAndShowsItsCode) {
  LessonSnapshot known;
  FoundCard snippet = found("other", 1);
  snippet.card.kind = CardKind::Snippet;
  snippet.card.code = "void f();\n";
  snippet.card.id = 5;
  known.cards = {snippet};
  const auto told = remembered_of(known, kRowScope);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].code, "void f();\n");
  EXPECT_EQ(told[0].why, "for any task") << "words that led the search say nothing to a writer";
  EXPECT_EQ(told[0].id, 5);
}

TEST(KnowledgeTest, EdgesOfTheGraphBecomeSnippets) {
  TechniqueGraph graph;
  const auto edge = graph.add("tiling", "packing");
  graph.add_example(edge, {"matmul", "packs both", "before", "after"});
  graph.add("tiling", "fusion");
  const auto cards = graph_cards(graph, Target::Cpu);
  ASSERT_EQ(cards.size(), 1U) << "an edge without code shows nothing";
  EXPECT_EQ(cards[0].code, "after");
  EXPECT_EQ(cards[0].task, "matmul");
  EXPECT_THAT(cards[0].text, HasSubstr("`packing` after `tiling`"));
}

}  // namespace
}  // namespace kw::memory
