// The reader of built objects and the screening of texts on arbitrary bytes.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "referee/elf.h"
#include "referee/screen.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)kw::referee::read_elf(bytes);
  (void)kw::referee::screen_object(bytes, {"openblas"});
  (void)kw::referee::screen_text({reinterpret_cast<const char*>(data), size}, "kernel.cpp");
  return 0;
}
