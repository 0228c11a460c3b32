// Judges a kernel through the library: judge TASK FILE. Built with the checks, and tested there.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "kernelwright/session.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s TASK FILE\n", argv[0]);
    return 2;
  }
  kw::session::Options options;
  options.title = "an example";
  options.on_notice = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  const auto session = kw::session::Session::open(options);
  if (!session) {
    std::fprintf(stderr, "%s\n", describe(session.error()).c_str());
    return 3;
  }
  kw::session::JudgeRequest request;
  request.task = argv[1];
  request.file = argv[2];
  request.until = kw::Stage::Check;
  const auto judged = session->judge(request);
  if (!judged) {
    std::fprintf(stderr, "%s\n", describe(judged.error()).c_str());
    return 3;
  }
  const kw::Verdict& verdict = judged->evaluation.verdict;
  std::printf("%s at %s%s%s\n", std::string(name_of(verdict.outcome)).c_str(),
              std::string(name_of(verdict.stage)).c_str(), verdict.evidence.empty() ? "" : ": ",
              verdict.evidence.c_str());
  return verdict.is_correct() ? 0 : 1;
}
