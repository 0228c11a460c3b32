// Tests that valid certificates are read, and that others are refused with a reason.
// SPDX-License-Identifier: Apache-2.0
#include "report/certificate.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error_for_test.h"
#include "report/run_folder.h"
#include "report/run_for_test.h"

namespace kw::report {
namespace {

using nlohmann::json;

/// A valid certificate, as a run writes it.
json written() {
  RunData data = run_data();
  data.run.config.task_sha256 = std::string(64, 'a');
  // The samples must support the claimed speedup, since the reader compares the two.
  for (WorkloadResult& w : data.confirmation->workloads)
    w.samples.assign(7, {.candidate_ns = 1000, .opponent_ns = 3000});
  return json::parse(certificate(data));
}

json specialised() {
  return {{"task", "saxpy"},
          {"target", "cuda"},
          {"candidate", {{"name", "wide"}, {"source_sha256", std::string(64, 'b')}}},
          {"over_baseline",
           {{"speedup",
             {{"value", 2.0},
              {"low", 1.9},
              {"high", 2.1},
              {"baseline", "omp"},
              {"is_faster", true}}}}}};
}

Result<Certificate> refusal(const json& object) {
  auto read = read_certificate(object.dump(), "c.json");
  EXPECT_TRUE(!read && read.error().is_input);
  return read;
}

Result<Certificate> refusal_of(const std::function<void(json&)>& change) {
  json object = written();
  change(object);
  return refusal(object);
}

TEST(Certificate, OfARunSaysWhatItIsOf) {
  const auto read = read_certificate(written().dump(), "c.json");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->task, "saxpy");
  EXPECT_EQ(read->task_sha256, std::string(64, 'a'));
  EXPECT_EQ(read->target, Target::Cpu);
  EXPECT_EQ(read->kernel, "tiled");
  EXPECT_EQ(read->source_sha256.size(), 64u);
  EXPECT_EQ(read->baseline, "omp");
  EXPECT_DOUBLE_EQ(read->claim.value, 3);
}

TEST(Certificate, OfASpecialisedKernelIsReadToo) {
  const auto read = read_certificate(specialised().dump(), "c.json");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->task_sha256, "");
  EXPECT_EQ(read->target, Target::Cuda);
  EXPECT_EQ(read->baseline, "omp");
  json old = specialised();
  old.erase("candidate");
  EXPECT_THAT(refusal(old), IsErrorAbout(ErrorCode::Missing, "/candidate/source_sha256"));
}

TEST(Certificate, WhatIsNoneIsRefused) {
  const auto refused = [](const std::string& text) { return read_certificate(text, "c.json"); };
  EXPECT_THAT(refused(""), IsErrorAbout(ErrorCode::Malformed, ""));
  EXPECT_THAT(refused(""), IsErrorAt("c.json:1:1"));
  EXPECT_THAT(refused("{\"a\": "), IsErrorAbout(ErrorCode::Malformed, ""));
  EXPECT_THAT(refused(std::string(100'000, '[')), IsErrorAbout(ErrorCode::TooLarge, "levels"));
  EXPECT_THAT(refused("[]"), IsErrorAbout(ErrorCode::Malformed, "object"));
  EXPECT_THAT(refused("{}"), IsErrorAbout(ErrorCode::Missing, "/task/name"));
  EXPECT_THAT(refused(std::string(kMostCertificateBytes + 1, ' ')),
              IsErrorAbout(ErrorCode::TooLarge, "bytes"));
}

TEST(Certificate, NamesAndHashesAreWhatTheySay) {
  for (const char* name : {"", "../../etc", "a/b", ".", "a b", "a\n"})
    EXPECT_THAT(refusal_of([&](json& c) { c["task"]["name"] = name; }),
                IsErrorAbout(ErrorCode::BadInput, "/task"));
  for (const json& hash : {json("abc"), json(std::string(64, 'G')), json(7), json()})
    EXPECT_THAT(refusal_of([&](json& c) { c["candidate"]["source_sha256"] = hash; }),
                IsErrorAbout(ErrorCode::Malformed, "/candidate/source_sha256"));
  EXPECT_THAT(refusal_of([](json& c) { c["device"]["target"] = "tpu"; }),
              IsErrorAbout(ErrorCode::Malformed, testing::StartsWith("/device")));
}

TEST(Certificate, FiguresThatCannotBeAreRefused) {
  const auto with = [](const char* key, const json& value) {
    return refusal_of([&](json& c) { c["evaluation"]["speedup"][key] = value; });
  };
  EXPECT_THAT(with("value", -3), IsErrorAbout(ErrorCode::OutOfRange, "value"));
  EXPECT_THAT(with("value", nullptr), IsErrorAbout(ErrorCode::Malformed, "value"));
  EXPECT_THAT(with("value", 1e300), IsErrorAbout(ErrorCode::OutOfRange, "speedup"));
  EXPECT_THAT(with("value", 99), IsErrorAbout(ErrorCode::Contradiction, "interval"));
  EXPECT_THAT(with("is_faster", false), IsErrorAbout(ErrorCode::OutOfRange, "claim"));
  EXPECT_THAT(with("baseline", ""), IsErrorAbout(ErrorCode::Missing, "baseline"));
  EXPECT_THAT(refusal_of([](json& c) {
                c["evaluation"]["workloads"][0]["samples"][0]["candidate_ns"] = -1;
              }),
              IsErrorAbout(ErrorCode::OutOfRange, "candidate_ns"));
  EXPECT_THAT(refusal_of([](json& c) {
                for (json& s : c["evaluation"]["workloads"][0]["samples"]) s["opponent_ns"] = 1e3;
              }),
              IsErrorAbout(ErrorCode::Contradiction, "samples"));
  EXPECT_THAT(refusal_of([](json& c) { c["evaluation"]["verdict"]["outcome"] = "crashed"; }),
              IsErrorAbout(ErrorCode::Contradiction, "verdict"));
}

/// Replaces each value of a certificate in turn by values of other types and sizes; the reader must
/// accept or refuse every such text without crashing.
TEST(Certificate, AnyValueMayBeAnything) {
  const json whole = written();
  int places = 0;
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (pointer.find("/samples/") != std::string::npos &&
        pointer.find("/samples/0/") == std::string::npos)
      continue;
    for (const json& foreign :
         {json(), json(-1), json(1e308), json(std::string(9999, 'x')), json::array({1, 2}),
          json::object(), json(true), json(18446744073709551615u)}) {
      json changed = whole;
      changed[json::json_pointer(pointer)] = foreign;
      const auto read = read_certificate(changed.dump(), "c.json");
      if (!read) {
        EXPECT_THAT(read, IsErrorAt(testing::Not(""))) << pointer;
      }
    }
    ++places;
  }
  EXPECT_GT(places, 50);
}

}  // namespace
}  // namespace kw::report
