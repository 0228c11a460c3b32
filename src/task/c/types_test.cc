// Tests of types of C by their names.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/types.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace kw::task {
namespace {

std::optional<Dtype> type_of(const std::string& text, const TypeNames& names = {}) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return dtype_of(words, names);
}

TEST(CTypes, AreReadInAnyOrder) {
  const std::map<std::string, Dtype> types{{"float", Dtype::F32},
                                           {"double", Dtype::F64},
                                           {"_Bool", Dtype::Bool},
                                           {"bool", Dtype::Bool},
                                           {"char", Dtype::I8},
                                           {"signed char", Dtype::I8},
                                           {"unsigned char", Dtype::U8},
                                           {"short", Dtype::I16},
                                           {"short int", Dtype::I16},
                                           {"int short unsigned", Dtype::U16},
                                           {"unsigned", Dtype::U32},
                                           {"signed", Dtype::I32},
                                           {"int", Dtype::I32},
                                           {"unsigned int", Dtype::U32},
                                           {"long", Dtype::I64},
                                           {"long long int", Dtype::I64},
                                           {"long unsigned int", Dtype::U64},
                                           {"long long unsigned", Dtype::U64},
                                           {"size_t", Dtype::U64},
                                           {"std :: size_t", Dtype::U64},
                                           {"std :: uint16_t", Dtype::U16},
                                           {"ptrdiff_t", Dtype::I64}};
  for (const auto& [text, dtype] : types) EXPECT_EQ(type_of(text), dtype) << text;
}

TEST(CTypes, RefusesWhatIsNoElement) {
  const char* const others[] = {"",           "long double",   "void",           "long float",
                                "short long", "char int",      "signed float",   "unsigned double",
                                "int int",    "unsigned bool", "long long long", "struct s"};
  for (const char* text : others) EXPECT_EQ(type_of(text), std::nullopt) << text;
}

TEST(CTypes, FollowsTheNamesOfAFile) {
  const char* const source =
      "#define DATA_TYPE double\n#define TWICE(x) int\n#define STEP 3\n"
      "typedef unsigned char byte;\ntypedef byte pixel;\nusing count = long;\n"
      "typedef struct { int a; } pair;\ntypedef int* pointer;\ntypedef unsigned word;\n";
  const lex::Tokens tokens = lex::tokenize(source);
  const TypeNames names = type_names_of(source, tokens);
  EXPECT_EQ(type_of("DATA_TYPE", names), Dtype::F64);
  EXPECT_EQ(type_of("pixel", names), Dtype::U8);
  EXPECT_EQ(type_of("count", names), Dtype::I64);
  EXPECT_EQ(type_of("word", names), Dtype::U32);
  for (const char* other : {"pair", "pointer", "TWICE", "STEP", "unknown"})
    EXPECT_EQ(type_of(other, names), std::nullopt) << other;
}

TEST(CTypes, EndsWhereNamesGoInCircles) {
  EXPECT_EQ(type_of("a", {{"a", {"b"}}, {"b", {"a"}}}), std::nullopt);
  EXPECT_EQ(type_of("a", {{"a", {"a", "a"}}}), std::nullopt);
}

}  // namespace
}  // namespace kw::task
