// Tests of Result and KW_TRY.
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string_view>

#include "base/error_for_test.h"

namespace kw {
namespace {

Result<std::unique_ptr<int>> make(bool ok) {
  if (!ok) return fail(ErrorCode::NotFound, About{"int"}, "no int", "here:1:2", Advice::Retry);
  return std::make_unique<int>(7);
}

Result<> check(bool ok) {
  if (!ok) return fail(ErrorCode::WrongState, "checked");
  return {};
}

Result<int> chain(bool first, bool second) {
  auto p = KW_TRY(make(first));
  KW_TRY(check(second));
  return *p;
}

TEST(Result, CarriesMoveOnlyValuesAndErrors) {
  EXPECT_EQ(chain(true, true).value(), 7);
  EXPECT_EQ(chain(false, true).error().advice, Advice::Retry);
  EXPECT_THAT(chain(false, true), IsErrorAbout(ErrorCode::NotFound, "int"));
  EXPECT_THAT(chain(false, true), IsErrorAt("here:1:2"));
  EXPECT_THAT(chain(true, false), IsError(ErrorCode::WrongState));
}

TEST(Result, CarriesACodeThatItsMakerNames) {
  EXPECT_EQ(fail("x").error().code, ErrorCode::Failed);
  EXPECT_EQ(fail(ErrorCode::Busy, "x").error().code, ErrorCode::Busy);
  EXPECT_EQ(fail_input("x").error().code, ErrorCode::BadInput);
  const Error missing = fail_input(ErrorCode::NotFound, "no run", "here").error();
  EXPECT_EQ(missing.code, ErrorCode::NotFound);
  EXPECT_TRUE(missing.is_input);
}

TEST(Result, TroubleIsTheSameWhateverItsWords) {
  const Error one{
      "model: 12 tokens are too many", "openai:m", Advice::GiveUp, false, ErrorCode::Refused,
      "N tokens are too many"};
  Error other = one;
  other.what = "other words";
  EXPECT_EQ(trouble_key(one), trouble_key(other));
  other.about = "bad image";
  EXPECT_NE(trouble_key(one), trouble_key(other));
  other = one;
  other.where = "openai:n";
  EXPECT_NE(trouble_key(one), trouble_key(other));
  other = one;
  other.code = ErrorCode::ServerFailed;
  EXPECT_NE(trouble_key(one), trouble_key(other));
}

// Scripts of users depend on these names: docs/formats.md lists them.
TEST(ErrorCode, NamesKeepTheirMeaning) {
  using enum ErrorCode;
  const std::map<std::string_view, ErrorCode> names{{"failed", Failed},
                                                    {"bad_input", BadInput},
                                                    {"not_found", NotFound},
                                                    {"too_large", TooLarge},
                                                    {"malformed", Malformed},
                                                    {"newer_format", NewerFormat},
                                                    {"not_permitted", NotPermitted},
                                                    {"no_space", NoSpace},
                                                    {"io", Io},
                                                    {"busy", Busy},
                                                    {"timed_out", TimedOut},
                                                    {"cancelled", Cancelled},
                                                    {"ended", Ended},
                                                    {"missing_program", MissingProgram},
                                                    {"no_jail", NoJail},
                                                    {"no_device", NoDevice},
                                                    {"device_failed", DeviceFailed},
                                                    {"no_connection", NoConnection},
                                                    {"broken_reply", BrokenReply},
                                                    {"bad_key", BadKey},
                                                    {"no_model", NoModel},
                                                    {"no_credit", NoCredit},
                                                    {"too_many_requests", TooManyRequests},
                                                    {"server_failed", ServerFailed},
                                                    {"refused", Refused},
                                                    {"over_budget", OverBudget},
                                                    {"out_of_tokens", OutOfTokens},
                                                    {"exists", Exists},
                                                    {"missing", Missing},
                                                    {"out_of_range", OutOfRange},
                                                    {"contradiction", Contradiction},
                                                    {"unsupported", Unsupported},
                                                    {"wrong_state", WrongState},
                                                    {"changed", Changed},
                                                    {"no_memory", NoMemory},
                                                    {"does_not_compile", DoesNotCompile},
                                                    {"task_at_fault", TaskAtFault},
                                                    {"other_build", OtherBuild}};
  ASSERT_EQ(names.size(), EnumNames<ErrorCode>::names.size());
  for (const auto& [name, code] : names) EXPECT_EQ(name_of(code), name);
}

}  // namespace
}  // namespace kw
