// kw-specimen JOB: runs what a SpecimenJob says and prints its report.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include "platform/files.h"
#include "profile/specimen.h"
#include "record/codec.h"

namespace {

kw::Result<kw::profile::SpecimenReport> run(const char* path) {
  const auto job =
      KW_TRY(kw::decode<kw::profile::SpecimenJob>(KW_TRY(kw::platform::read_file(path))));
  return kw::profile::run_specimen(job);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "%s JOB: kw-worker starts it under ncu and compute-sanitizer.\n",
                 arguments[0]);
    return 2;
  }
  const auto report = run(arguments[1]);
  const kw::profile::SpecimenReport failed{
      .failure = report.has_value() ? "" : kw::describe(report.error()), .step_ns = {}};
  const std::string line = kw::profile::report_line(report.has_value() ? *report : failed);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  return report.has_value() ? 0 : 1;
}
