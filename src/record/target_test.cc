// Tests of the table of targets: names, suffixes, dialects and rows that a program adds.
// SPDX-License-Identifier: Apache-2.0
#include "record/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "record/candidate.h"
#include "record/codec.h"

namespace kw {
namespace {

TEST(TargetTable, TellsTargetsApartByTheSuffixOfAFile) {
  EXPECT_EQ(target_of_file("a/b.cpp"), Target::Cpu);
  EXPECT_EQ(target_of_file("b.cu"), Target::Cuda);
  EXPECT_EQ(target_of_file("b.py"), std::nullopt);
  EXPECT_EQ(target_of_file("cu"), std::nullopt);
}

TEST(TargetTable, EveryRowIsComplete) {
  std::set<std::string_view> suffixes;
  for (const Target target : all_targets()) {
    const TargetRow& row = row_of(target);
    EXPECT_EQ(row.name, name_of(target));
    EXPECT_EQ(enum_from<Target>(row.name), target);
    for (const std::string_view text :
         {row.name, row.comment, row.fence, row.object_format, row.object_suffix, row.system_prompt,
          row.spec_mark, row.units_of_parallelism})
      EXPECT_FALSE(text.empty()) << row.name;
    EXPECT_THAT(row.reply_fences, testing::Contains(row.fence));
    EXPECT_EQ(row.needs_arch, !row.usual_arch.empty()) << row.name;
    EXPECT_EQ(object_suffix(row.object_format), row.object_suffix);
    EXPECT_TRUE(suffixes.insert(source_suffix(target)).second) << row.name;
    EXPECT_TRUE(plain_dialect(target).headers.empty()) << "plain sources need no more headers";
    EXPECT_TRUE(plain_dialect(target).may_be_proposed);
    for (const DialectRow& dialect : row.dialects)
      EXPECT_EQ(dialect.compiler.empty(), plain_dialect(target).compiler.empty())
          << "where a target has several compilers, each dialect names its own";
  }
}

TEST(TargetTable, HostCodeIsNotProposed) {
  for (const Target target : all_targets())
    for (const DialectRow& dialect : row_of(target).dialects)
      EXPECT_EQ(dialect.may_be_proposed, dialect.trust_class != TrustClass::HostLauncher)
          << dialect.name;
  EXPECT_TRUE(has_dialect_of(Target::Cuda, TrustClass::HostLauncher));
  EXPECT_FALSE(has_dialect_of(Target::Cpu, TrustClass::HostLauncher));
  EXPECT_FALSE(may_be_proposed(TrustClass::HostLauncher));
  EXPECT_TRUE(may_be_proposed(TrustClass::DeviceCode));
}

TEST(TargetTable, FindsDialectsByName) {
  EXPECT_EQ(find_dialect(Target::Cuda, "cute")->headers, "CuTe and CUTLASS");
  EXPECT_EQ(find_dialect(Target::Cpu, "cute"), nullptr);
  EXPECT_EQ(find_dialect(Target::Cuda, plain_dialect(Target::Cuda).name),
            &plain_dialect(Target::Cuda));
  EXPECT_TRUE(has_dialect_with_headers(Target::Cuda));
  EXPECT_FALSE(has_dialect_with_headers(Target::Cpu));
}

TEST(TargetTable, NamesTargetsOfACapability) {
  EXPECT_EQ(target_names(", ", &TargetRow::runs_references), "cpu");
  EXPECT_EQ(target_names(", ", &TargetRow::needs_arch), "cuda");
}

TEST(TargetTable, AnAddedTargetIsReadAndWrittenByItsName) {
  static constexpr auto kDialects =
      std::to_array<DialectRow>({{.name = "", .source_suffix = ".tone"}});
  static constexpr auto kFences = std::to_array<std::string_view>({"tone"});
  TargetRow row;
  row.name = "tone", row.dialects = kDialects, row.fence = "tone", row.reply_fences = kFences;
  row.object_format = "tone", row.object_suffix = ".out", row.system_prompt = "system_tone";
  row.spec_mark = "**On a tone.**", row.units_of_parallelism = "voices";
  const Target tone = add_target(row);
  EXPECT_NE(tone, Target::Cpu);
  EXPECT_NE(tone, Target::Cuda);
  EXPECT_EQ(all_targets().back(), tone);
  EXPECT_EQ(target_of_file("a.tone"), tone);
  Candidate candidate;
  candidate.target = tone;
  const std::string text = encode(candidate);
  EXPECT_THAT(text, testing::HasSubstr(R"("target":"tone")"));
  EXPECT_EQ(decode<Candidate>(text)->target, tone);
  ByTarget<int> strategies{{Target::Cpu, 1}};
  EXPECT_FALSE(strategies.has(tone));
  strategies.add(tone, 3);
  EXPECT_EQ(strategies[tone], 3);
}

}  // namespace
}  // namespace kw
