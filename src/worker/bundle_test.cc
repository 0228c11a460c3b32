// Tests of bundles: keys, objects that are stored once, and files that must be refused.
// SPDX-License-Identifier: Apache-2.0
#include "worker/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "base/hash.h"
#include "compile/cpu_compiler.h"

namespace kw::worker {
namespace {

class Bundles : public testing::Test {
 protected:
  Bundles() : folder_(platform::TempDir::create("kw-bundle-test").value()) {
    EXPECT_TRUE(platform::write_file_atomic(at("object"), "machine code", false));
  }

  platform::Path at(const std::string& name) const { return folder_.path() / name; }

  EvaluationRequest request(const std::string& id) const {
    EvaluationRequest request;
    request.id = id;
    request.seed = sha256(id).bytes[0];
    request.candidate.name = "mine";
    for (const char* role : {"candidate", "opponent"}) {
      BuildUnit& unit = request.units.emplace_back();
      unit.role = role;
      BuiltObject& object = unit.object.emplace_back();
      object.sha256 = sha256("machine code").hex();
      object.path = at("object").string();
    }
    return request;
  }

  platform::TempDir folder_;
};

TEST_F(Bundles, KeysLeaveOutWhatDoesNotChangeTheQuestion) {
  EvaluationRequest same = request("b");
  same.units[0].object[0].path = "/elsewhere";
  EXPECT_EQ(bundle_key(request("a")), bundle_key(same));
  same.measure.purpose = Purpose::Confirm;
  EXPECT_NE(bundle_key(request("a")), bundle_key(same));
}

TEST_F(Bundles, ComeBackWithEveryObjectOnce) {
  Bundle bundle;
  ASSERT_TRUE(add(bundle, "k1", request("a")));
  ASSERT_TRUE(add(bundle, "k2", request("b")));
  EXPECT_EQ(bundle.objects.size(), 1u);
  const auto written = write_bundle(at("b"), bundle);
  ASSERT_TRUE(written);
  auto read = read_bundle(at("b"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->sha256, *written);
  ASSERT_EQ(read->bundle.evaluations.size(), 2u);
  ASSERT_TRUE(platform::make_dirs(at("objects")));
  ASSERT_TRUE(unpack(read->bundle, at("objects")));
  const std::string path = read->bundle.evaluations[1].request.units[0].object[0].path;
  EXPECT_EQ(platform::read_file(path).value(), "machine code");
}

TEST_F(Bundles, AnObjectMustBeWhatItsNameSays) {
  Bundle bundle;
  ASSERT_TRUE(add(bundle, "k", request("a")));
  bundle.objects.begin()->second = "AAAA";
  ASSERT_TRUE(platform::make_dirs(at("objects")));
  const auto unpacked = unpack(bundle, at("objects"));
  EXPECT_THAT(unpacked, IsErrorAbout(ErrorCode::Malformed, "candidate"));
}

TEST_F(Bundles, ForAnotherGpuOrProcessorAreRefusedWithWhatIsHere) {
  Bundle bundle;
  bundle.target = Target::Cuda;
  bundle.processor = bundle_processor();
  BuildUnit& unit = bundle.equipment.emplace_back();
  unit.role = "device_ops";
  unit.target = Target::Cuda;
  unit.arch = "sm_75";
  // The request's references are built for this machine's processor.
  ASSERT_TRUE(add(bundle, "k", request("a")));
  DeviceFacts facts;
  facts.model = "NVIDIA H200";
  facts.gpu.emplace_back().arch = "sm_90a";
  EXPECT_THAT(check_fit(bundle, facts), IsErrorAbout(ErrorCode::Unsupported, "sm_75"));
  facts.gpu.front().arch = "sm_75";
  EXPECT_TRUE(check_fit(bundle, facts));
  bundle.processor = "another";
  EXPECT_THAT(check_fit(bundle, facts), IsErrorAbout(ErrorCode::Unsupported, "processor"));
  for (BuildUnit& reference : bundle.evaluations.front().request.units)
    reference.arch = compile::kAnyProcessor;
  EXPECT_TRUE(check_fit(bundle, facts));
}

TEST_F(Bundles, OtherFilesAreRefusedWithTheReason) {
  const auto read = [&](const std::string& text) {
    EXPECT_TRUE(platform::write_file_atomic(at("f"), text, false));
    return read_results(at("f"));
  };
  ASSERT_TRUE(write_results(at("r"), {"bundle", {}, {{"k", {}}}}));
  std::string good = platform::read_file(at("r")).value();
  EXPECT_TRUE(read(good));
  EXPECT_THAT(read(good.substr(0, good.size() - 1)), IsErrorAbout(ErrorCode::Malformed, "end"));
  EXPECT_THAT(read(good + "x"), IsErrorAbout(ErrorCode::Malformed, "checksum"));
  good[good.size() - 3] ^= 1;
  EXPECT_THAT(read(good), IsErrorAbout(ErrorCode::Malformed, "checksum"));
  const auto is_other_file = IsErrorAbout(ErrorCode::Malformed, "kernelwright-results");
  EXPECT_THAT(read(""), is_other_file);
  EXPECT_THAT(read("kernelwright-bundle 1 00 2\n{}"), is_other_file);
  EXPECT_THAT(read("kernelwright-results 9 00 2\n{}"), IsErrorAbout(ErrorCode::OtherBuild, "9"));
}

}  // namespace
}  // namespace kw::worker
