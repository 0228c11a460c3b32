# One libFuzzer program for each parser of foreign text; scripts/check --full runs each for some seconds.
# SPDX-License-Identifier: Apache-2.0

# kw_fuzz(name rooms...): fuzz_name from tests/fuzz/fuzz_name.cc, with its seeds in tests/fuzz/corpus/name.
function(kw_fuzz name)
  set(rooms ${ARGN})
  list(TRANSFORM rooms PREPEND kw_)
  add_executable(fuzz_${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_${name}.cc)
  target_link_libraries(fuzz_${name} PRIVATE ${rooms})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()

kw_fuzz(expr base)
kw_fuzz(json base)
kw_fuzz(header task)
kw_fuzz(plan task)
kw_fuzz(task task)
kw_fuzz(suite task)
kw_fuzz(protocol player)
kw_fuzz(elf referee)
kw_fuzz(cubin compile)
kw_fuzz(nvrtc compile)
kw_fuzz(sass compile)
kw_fuzz(c_function task)
kw_fuzz(sse net)
kw_fuzz(chat llm)
kw_fuzz(script llm)
kw_fuzz(reply propose)
kw_fuzz(profiler profile)
