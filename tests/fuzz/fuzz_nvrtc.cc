// Fuzzes messages between controller and kw-nvrtc, and the output of compilers.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "compile/nvrtc_log.h"
#include "compile/nvrtc_wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kw::compile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)decode_greeting(bytes);
  (void)decode_packet(bytes);
  (void)decode_fate(bytes);
  if (const auto job = decode_job(text); job && encode(*job) != text) std::abort();
  for (std::size_t names = 0; names < 3; ++names)
    if (const auto answer = decode_answer(text, names); answer && encode(*answer) != text)
      std::abort();
  kw::BuildUnit unit;
  unit.main_file = "candidate.cu";
  unit.files = {{"candidate.cu", "// kw: launch nope grid(1) block(1) args()\nint x;\n"}};
  (void)diagnostic_findings(parse_nvrtc_log(text, unit).diagnostics, unit);
  return 0;
}
