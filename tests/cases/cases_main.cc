// Runs the text cases named on the command line, each as one test.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "case.h"

namespace {

class Case : public testing::Test {
 public:
  explicit Case(std::string file) : file_(std::move(file)) {}
  void TestBody() override { kw::program::run_case(file_); }

 private:
  std::string file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path file(argv[i]);
    testing::RegisterTest("cases", file.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [name = file.string()]() -> Case* { return new Case(name); });
  }
  return RUN_ALL_TESTS();
}
