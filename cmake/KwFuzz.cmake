# kw_fuzz(name DEPS rooms...): the libFuzzer target tests/fuzz/name_fuzz.cc, and a test that runs its corpus.
# Fuzz longer by hand: build/clang/bin/expr_fuzz -max_total_time=600 tests/fuzz/corpus/expr
# SPDX-License-Identifier: Apache-2.0

function(kw_fuzz name)
  cmake_parse_arguments(FUZZ "" "" "DEPS" ${ARGN})
  list(TRANSFORM FUZZ_DEPS PREPEND kw_)
  add_executable(${name}_fuzz ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cc)
  target_link_libraries(${name}_fuzz PRIVATE ${FUZZ_DEPS})
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz -runs=0 ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()

kw_fuzz(expr DEPS base)
kw_fuzz(task_yaml DEPS task)
kw_fuzz(candidate_header DEPS task)
kw_fuzz(c_function DEPS task)
