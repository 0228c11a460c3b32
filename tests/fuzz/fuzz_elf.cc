// The reader of built objects and the screening of texts on arbitrary bytes.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "referee/screen.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)kw::referee::screen_object(bytes, {"openblas"});
  (void)kw::referee::screen_text(bytes, "kernel.cpp");
  return 0;
}
