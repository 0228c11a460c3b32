// Tests of the build cache: keys, failures, damage, and one build for many callers.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

namespace kw::compile {
namespace {

using platform::Path;

BuildUnit lone_file(std::string source) {
  BuildUnit unit;
  unit.role = "candidate";
  unit.main_file = "c.cpp";
  unit.files = {{"c.cpp", std::move(source)}};
  return unit;
}

// "Builds" by writing the source text as the object, and counts the builds.
class FakeCompiler final : public Compiler {
 public:
  explicit FakeCompiler(Path folder) : folder_(std::move(folder)) {}
  Result<CompileResult> build(const BuildUnit& unit) override {
    ++builds;
    CompileResult result;
    if (unit.files[0].text == "bad") {
      result.evidence = "c.cpp:1:1: no";
      result.trouble = BuildTrouble::Diagnosed;
      return result;
    }
    if (unit.files[0].text == "slow") {
      result.outcome = Outcome::TimedOut;
      result.is_repeatable = false;
      return result;
    }
    result.outcome = Outcome::Correct;
    BuiltObject& object = result.object.emplace_back();
    object.sha256 = sha256(unit.files[0].text).hex();
    object.path = folder_ / object.sha256;
    object.log = "loop 1:1 vectorized 64\n";
    KW_TRY(platform::write_file_atomic(object.path, unit.files[0].text, false));
    return result;
  }
  const std::string& identity() const override { return identity_; }
  std::atomic<int> builds = 0;

 private:
  Path folder_;
  std::string identity_ = "fake 1";
};

class Cache : public testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();
  DirectoryCache cache = *DirectoryCache::open(folder.path() / "cache");
  FakeCompiler inner{folder.path()};
  CachedCompiler compiler{inner, cache};

  Path object(const CompileResult& result) { return result.object.at(0).path; }
};

TEST_F(Cache, TheKeyIsAllThatDecidesAndNothingElse) {
  const BuildUnit base = lone_file("x");
  const Sha256 key = cache_key(base, "i");
  const auto changed = [&](auto change) {
    BuildUnit other = base;
    change(other);
    return cache_key(other, "i") != key;
  };
  EXPECT_TRUE(changed([](BuildUnit& u) { u.files[0].text = "y"; }));
  EXPECT_TRUE(changed([](BuildUnit& u) { u.files[0].name = "d.cpp"; }));
  EXPECT_TRUE(changed([](BuildUnit& u) { u.defines = {"A=1"}; }));
  EXPECT_TRUE(changed([](BuildUnit& u) { u.options = {"O2"}; }));
  EXPECT_TRUE(changed([](BuildUnit& u) { u.libraries = {"openblas"}; }));
  EXPECT_FALSE(changed([](BuildUnit& u) { u.role = "opponent"; }));
  EXPECT_NE(cache_key(base, "another processor"), key);
  EXPECT_NE(cache_key(base, "i", "compile-size"), key);
  EXPECT_NE(cache_key(base, "i", "compile-size"), cache_key(base, "i", "compile-time"));
  BuildUnit defines = base, options = base;
  defines.defines = {"O2"};
  options.options = {"O2"};
  EXPECT_NE(cache_key(defines, "i"), cache_key(options, "i"));
}

TEST_F(Cache, SuccessAndFailureAreKept) {
  for (const char* source : {"good", "bad"}) {
    const int before = inner.builds;
    const CompileResult first = *compiler.build(lone_file(source));
    const CompileResult second = *compiler.build(lone_file(source));
    EXPECT_EQ(inner.builds, before + 1);
    EXPECT_EQ(second.outcome, first.outcome);
    EXPECT_EQ(second.evidence, first.evidence);
    EXPECT_EQ(second.trouble, first.trouble);
  }
  const CompileResult kept = *compiler.build(lone_file("good"));
  EXPECT_EQ(*platform::read_file(object(kept)), "good");
  EXPECT_EQ(kept.object[0].log, "loop 1:1 vectorized 64\n");
}

// Entries of older versions hold what the verdict rests on beside the finding that tells it.
TEST_F(Cache, AnOlderEntryGivesTheSameVerdict) {
  const BuildUnit unit = lone_file("older");
  const Path entry =
      folder.path() / "cache" / "entries" / (cache_key(unit, inner.identity()).hex() + ".json");
  std::ofstream(entry) << R"({"outcome":"compile_failed","evidence":"c.cpp:1:1: no",)"
                       << R"("seen":{"kind":"not_compiled","place":"c.cpp:1:1","detail":"no"},)"
                       << R"("findings":[{"kind":"diagnostic","rank":1,"text":"no",)"
                       << R"("place":"c.cpp:1:1"}],"trouble":"diagnosed"})";
  const CompileResult result = *compiler.build(unit);
  EXPECT_EQ(inner.builds, 0);
  EXPECT_EQ(result.verdict().seen.place, "c.cpp:1:1");
  EXPECT_EQ(result.verdict().seen.detail, "no");
  EXPECT_EQ(result.verdict().evidence, result.evidence);
}

TEST_F(Cache, AWallClockLimitIsNotKept) {
  (void)*compiler.build(lone_file("slow"));
  (void)*compiler.build(lone_file("slow"));
  EXPECT_EQ(inner.builds, 2);
}

TEST_F(Cache, DamageIsAMissAndHeals) {
  const auto rebuilt_after = [&](auto damage) {
    (void)*compiler.build(lone_file("good"));
    const CompileResult result = *compiler.build(lone_file("good"));  // from the cache
    const int before = inner.builds;
    damage(folder.path() / "cache" / "entries" /
               (cache_key(lone_file("good"), inner.identity()).hex() + ".json"),
           object(result));
    const CompileResult again = *compiler.build(lone_file("good"));
    EXPECT_EQ(*platform::read_file(object(again)), "good");
    return inner.builds == before + 1;
  };
  const auto write = [](const Path& path, const char* text) { std::ofstream(path) << text; };
  EXPECT_TRUE(rebuilt_after([&](Path, Path so) { write(so, "goo"); }));
  EXPECT_TRUE(rebuilt_after([&](Path, Path so) { write(so, "evil"); }));
  EXPECT_TRUE(rebuilt_after([&](Path, Path so) { std::filesystem::remove(so); }));
  EXPECT_TRUE(rebuilt_after([&](Path entry, Path) { write(entry, ""); }));
  EXPECT_TRUE(rebuilt_after([&](Path entry, Path) { write(entry, "{\"outcome\": \"cor"); }));
  EXPECT_TRUE(rebuilt_after([&](Path entry, Path) { write(entry, R"({"outcome":"correct"})"); }));
  EXPECT_TRUE(rebuilt_after([&](Path entry, Path) {
    write(entry, R"({"outcome":"correct","object":[{"sha256":"../../etc/passwd"}]})");
  }));
}

TEST_F(Cache, MovesWithItsFolder) {
  (void)*compiler.build(lone_file("good"));
  std::filesystem::rename(folder.path() / "cache", folder.path() / "moved");
  DirectoryCache moved = *DirectoryCache::open(folder.path() / "moved");
  const auto found = *moved.lookup(cache_key(lone_file("good"), inner.identity()));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(object(*found).string().starts_with((folder.path() / "moved").string()));
}

TEST_F(Cache, OneBuildHoweverManyAsk) {
  const std::vector<BuildUnit> units(8, lone_file("good"));
  for (const auto& result : build_all(compiler, units, 4)) EXPECT_TRUE(result->ok());
  EXPECT_EQ(inner.builds, 1);
}

TEST_F(Cache, ResultsComeInTheOrderOfTheUnits) {
  const std::vector<BuildUnit> units{lone_file("a"), lone_file("bad"), lone_file("c")};
  const auto results = build_all(compiler, units, 3);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]->object[0].sha256, sha256("a").hex());
  EXPECT_EQ(results[1]->outcome, Outcome::CompileFailed);
  EXPECT_EQ(results[2]->object[0].sha256, sha256("c").hex());
}

}  // namespace
}  // namespace kw::compile
