# Tests of the cuda device that need a GPU, and the same tests on a stand-in for a GPU. Their
# kernels are compiled by nvcc when the tests run.
# SPDX-License-Identifier: Apache-2.0

file(GLOB cuda_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cuda/*.cc)
list(FILTER cuda_tests EXCLUDE REGEX "/host_launcher\\.cc$")
add_library(host_launcher MODULE ${CMAKE_SOURCE_DIR}/tests/cuda/host_launcher.cc)
target_link_libraries(host_launcher PRIVATE ${CMAKE_DL_LIBS})
add_executable(cuda_test ${cuda_tests})
target_link_libraries(cuda_test PRIVATE kw_referee kw_device kw_profile GTest::gmock GTest::gtest_main)
target_compile_definitions(cuda_test PRIVATE KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  KW_BINARY_DIR="${CMAKE_BINARY_DIR}" KW_HOST_LAUNCHER="$<TARGET_FILE:host_launcher>")
kw_tests_together(cuda_test)
add_dependencies(cuda_test kw-jail kw-specimen host_launcher)
add_test(NAME cuda.device COMMAND cuda_test)
set_tests_properties(cuda.device PROPERTIES LABELS cuda TIMEOUT 1200 RUN_SERIAL ON
  SKIP_REGULAR_EXPRESSION "skipped: [^\n]*(driver|GPU|nvcc)")

if(NOT KW_SANITIZE)  # the stand-in switches stacks, which sanitizers do not support
  add_dependencies(program_test emulated_driver emulated_nvcc emulated_nvml)
  add_dependencies(cuda_test emulated_driver emulated_nvcc emulated_nvml)
  add_test(NAME emulated.device COMMAND cuda_test)
  set_tests_properties(emulated.device PROPERTIES LABELS unit TIMEOUT 900 SKIP_REGULAR_EXPRESSION "skipped: [^\n]*nvcc"
    ENVIRONMENT "KW_CUDA_DRIVER=${KW_EMULATED}/lib/libcuda.so.1;CUDA_PATH=${KW_EMULATED}")
endif()
