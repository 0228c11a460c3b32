// Tests of the table of providers.
// SPDX-License-Identifier: Apache-2.0
#include "llm/providers.h"

#include <gtest/gtest.h>

namespace kw::llm {
namespace {

TEST(Providers, AFormNamesTheProviderAndWhatFollows) {
  EXPECT_EQ(form_of(info_of(Provider::Anthropic)), "anthropic:NAME");
  EXPECT_EQ(form_of(info_of(Provider::Manual)), "manual:DIR");
}

}  // namespace
}  // namespace kw::llm
