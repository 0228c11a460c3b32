// Fuzzes the readers of built objects, of their instructions and of GCC's dumps, and the screening
// of source texts.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compile/function_attributes.h"
#include "referee/screen.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  kw::Candidate candidate;
  candidate.libraries = {"openblas"};
  auto seen = kw::referee::screen_object(bytes, candidate);
  kw::referee::point_out(seen, bytes, "kernel.cpp");
  (void)kw::referee::screen_device_object(bytes, "kw_wait_0");
  (void)kw::referee::screen_text(bytes, "kernel.cpp");
  (void)kw::referee::screen_text(bytes, "kernel.cu", kw::Target::Cuda);
  (void)kw::compile::arithmetic_marks(bytes);
  return 0;
}
