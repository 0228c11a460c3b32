# Suites of the whole program: attacks, honest kernels, wrong kernels that look right, shipped kernels and tasks, and text
# cases; each file is one test.
# SPDX-License-Identifier: Apache-2.0
#
# All tests but the last start this build's kw, or the program that KW_SUITE_KW names when the tests
# run. scripts/check names one with the release build's worker beside it, because a sanitised worker
# takes three times as long. The tests named smoke.* always start this build's kw.

set(suite_run ${CMAKE_SOURCE_DIR}/tests/exploits/run --kw $<TARGET_FILE:kw>)
set(suite_workspace ${CMAKE_BINARY_DIR}/suites)

# kw_suite_workspace(name): adds the tests that run before and after all cases of a workspace.
function(kw_suite_workspace name)
  add_test(NAME ${name}.ready COMMAND ${suite_run} --workspace ${suite_workspace}/${name} --only ready)
  add_test(NAME ${name}.survived COMMAND ${suite_run} --workspace ${suite_workspace}/${name} --only survived
    ${CMAKE_SOURCE_DIR}/tests/exploits)
  set_tests_properties(${name}.ready PROPERTIES FIXTURES_SETUP ${name})
  set_tests_properties(${name}.survived PROPERTIES FIXTURES_CLEANUP ${name})
  set_tests_properties(${name}.ready ${name}.survived PROPERTIES
    LABELS ${name} TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()

# kw_suite(name workspace files... [FLAGS flags...] [SLOW]): one test for each file, labelled with its workspace and with slow.
function(kw_suite name workspace)
  cmake_parse_arguments(SUITE "SLOW" "" "FLAGS" ${ARGN})
  foreach(file IN LISTS SUITE_UNPARSED_ARGUMENTS)
    cmake_path(GET file STEM stem)
    set(test ${name}.${stem})
    add_test(NAME ${test} COMMAND ${suite_run} --workspace ${suite_workspace}/${workspace} --only case
      ${SUITE_FLAGS} ${file})
    set(labels ${workspace})
    if(SUITE_SLOW)
      list(APPEND labels slow)
    endif()
    set(measured "")
    if(EXISTS ${file})
      file(STRINGS ${file} slow REGEX "^// slow" LIMIT_COUNT 1)
      if(slow)
        list(APPEND labels slow)
      endif()
      file(STRINGS ${file} measured REGEX "^// until: measure" LIMIT_COUNT 1)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 600 SKIP_RETURN_CODE 77
      FIXTURES_REQUIRED ${workspace})
    if(measured)
      set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

file(GLOB attacks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/exploits/*.cpp)
file(GLOB honest CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/honest/*.cpp)
file(GLOB mutants CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/mutants/fctd3d/*.cpp)
# A test is configured by the directives in its file, so a changed file makes CMake configure again.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${attacks} ${honest})

kw_suite_workspace(suites)
kw_suite(exploits suites generated/001_empty generated/002_binary generated/003_gigabyte generated/004_parentheses
  ${attacks})
kw_suite(honest suites ${honest})
kw_suite(mutants suites ${mutants} FLAGS --task fctd3d --expect check/wrong_result)

# Positive controls: each attack runs once with its defence switched off, where it must succeed.
# Only builds whose environment may switch defences off have these tests, which use the build's own
# worker. A few of them, one for each group of defences, run in every check.
if(KW_DEFENCES_MAY_BE_OFF)
  include(KwControls)
endif()

# Where namespaces are forbidden, the jail uses Landlock. These tests repeat the attacks on the
# machine at that jail level, and their controls with the defence that stops each attack switched
# off.
set(on_machine 012_include_passwd 014_include_spliced 043_thread_bomb 050_fork 051_fork_raw 054_environment 055_environment_raw
  056_socket 057_socket_raw 058_write_file 059_write_file_raw 062_read_passwd 063_read_files_raw 065_ptrace
  066_reach_others_raw 068_other_abi_32 089_limits_raw 098_memory_files_raw)
list(TRANSFORM on_machine REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/tests/exploits/\\1.cpp")
add_test(NAME landlock.attacks COMMAND ${suite_run} --jail landlock ${on_machine})
set_tests_properties(landlock.attacks PROPERTIES LABELS suites TIMEOUT 900 SKIP_RETURN_CODE 77)
if(KW_DEFENCES_MAY_BE_OFF)
  add_test(NAME landlock.controls COMMAND ${suite_run} --jail landlock --controls ${on_machine})
  set_tests_properties(landlock.controls PROPERTIES LABELS "controls;slow" TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()

# Every kernel that is shipped for processors is judged: with small timed shapes at the first and
# last values of its knobs, and with the shipped shapes, whose correct results take seconds each to
# compute.
file(GLOB shipped CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/playbook/*/*.cpp
  ${CMAKE_SOURCE_DIR}/tasks/*/baselines/*.cpp)
foreach(file IN LISTS shipped)
  string(REGEX REPLACE "^(playbook|tasks)/([^/]+)/.*$" "\\1.\\2" name ${file})
  string(REGEX REPLACE "^.*[.]" "" task ${name})
  file(STRINGS ${file} library REGEX "^// kw: library" LIMIT_COUNT 1)
  if(library)  # kernels with a library are judged with their timing, so the test runs alone
    kw_suite(${name} suites ${CMAKE_SOURCE_DIR}/${file} FLAGS --task ${task})
    cmake_path(GET file STEM stem)
    set_tests_properties(${name}.${stem} PROPERTIES RUN_SERIAL ON)
    continue()
  endif()
  kw_suite(${name} suites ${CMAKE_SOURCE_DIR}/${file}
    FLAGS --knobs --task ${suite_workspace}/suites/small/${task})
  kw_suite(shipped.${name} suites ${CMAKE_SOURCE_DIR}/${file} FLAGS --task ${task} SLOW)
endforeach()

# Every task that is shipped for processors must be admitted: with all its check shapes and small
# timed shapes, and exactly as shipped. Tasks on contiguous tensors take their baselines from the
# tasks on padded rows.
file(GLOB admitted CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tasks/*/baselines/omp.cpp)
foreach(file IN LISTS admitted)
  string(REGEX REPLACE "^.*/tasks/([^/]+)/.*$" "\\1" task ${file})
  list(APPEND admitted_tasks ${task})
  if(task MATCHES "^(.*)_padded$")
    list(APPEND admitted_tasks ${CMAKE_MATCH_1})
  endif()
endforeach()
foreach(task IN LISTS admitted_tasks)
  set(admit ${suite_run} --workspace ${suite_workspace}/suites --only admit --task)
  add_test(NAME admission.${task} COMMAND ${admit} ${suite_workspace}/suites/small/${task})
  add_test(NAME shipped.admission.${task} COMMAND ${admit} ${task})
  set_tests_properties(admission.${task} PROPERTIES LABELS suites)
  set_tests_properties(shipped.admission.${task} PROPERTIES LABELS "suites;slow")
  set_tests_properties(admission.${task} shipped.admission.${task} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
    FIXTURES_REQUIRED suites)
  # Admission computes some hundred correct results of each timed shape, each of which takes up to
  # seconds.
  set_tests_properties(shipped.admission.${task} PROPERTIES TIMEOUT 3600)
endforeach()

# A few tests of each kind run under this build's sanitizers: abnormal ends of every process, forged
# answers, broken buffers.
if(KW_SANITIZE)
  set(smoke 012_include_passwd 027_constructor_exit 031_null_pointer 036_exit_zero 041_print_gigabytes 050_fork
    093_replace_output 096_forged_answer 110_zeros 131_cache_by_shape 140_byte_before 145_write_input)
  list(TRANSFORM smoke REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/tests/exploits/\\1.cpp" OUTPUT_VARIABLE smoke_files)
  kw_suite_workspace(smoke)
  kw_suite(smoke smoke generated/001_empty ${smoke_files} ${CMAKE_SOURCE_DIR}/tests/honest/saxpy_omp_by_hand.cpp)
  list(PREPEND smoke ready survived 001_empty saxpy_omp_by_hand)
  list(TRANSFORM smoke PREPEND smoke.)
  set_tests_properties(${smoke} PROPERTIES ENVIRONMENT KW_SUITE_KW=)
endif()

# Attacks and honest kernels on a GPU, one after the other; without a GPU the test is shown as
# skipped.
add_test(NAME cuda.suites COMMAND ${suite_run} --target cuda)
set_tests_properties(cuda.suites PROPERTIES LABELS cuda TIMEOUT 3600 SKIP_RETURN_CODE 77 RUN_SERIAL ON)

# The attacks and honest kernels for a GPU on the stand-in for a GPU: verdicts on results, not on
# times. All of them take two minutes and run alone; a few take a quarter of that, beside other tests.
set(few exploits/cuda/012_wider_parameter exploits/cuda/033_far_before exploits/cuda/034_write_input
  exploits/cuda/039_workspace_overrun exploits/cuda/050_trap exploits/cuda/052_hang exploits/cuda/064_full_blocks_only
  honest/cuda/saxpy_fork_and_join honest/cuda/saxpy_template honest/cuda/softmax_double_inside
  honest/cuda/transpose_tiles honest/cuda/fctd3d_two_steps honest/cuda/fctd3d_cooperative)
list(TRANSFORM few REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/tests/\\1.cu")
add_test(NAME emulated.few COMMAND ${suite_run} --target cuda ${few})
add_test(NAME emulated.suites COMMAND ${suite_run} --target cuda)
set_tests_properties(emulated.few PROPERTIES LABELS suites COST 1)
set_tests_properties(emulated.suites PROPERTIES LABELS slow RUN_SERIAL ON)
set_tests_properties(emulated.few emulated.suites PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77
  ENVIRONMENT "KW_CUDA_DRIVER=$<TARGET_FILE:emulated_driver>;CUDA_PATH=${KW_EMULATED};KW_NVRTC=none")

# Text cases: command lines with what they must print (tests/cases/README.md).
add_executable(case_test tests/cases/case.cc tests/cases/case_test.cc tests/cases/cases_main.cc tests/cases/run_case.cc
  tests/program/kw.cc)
target_link_libraries(case_test PRIVATE kw_platform GTest::gmock)
target_compile_definitions(case_test PRIVATE KW_BINARY_DIR="${CMAKE_BINARY_DIR}" KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_dependencies(case_test kw)
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cases/*.case)
add_test(NAME cases COMMAND case_test)
set_tests_properties(cases PROPERTIES LABELS unit)
foreach(case IN LISTS cases)
  cmake_path(GET case STEM stem)
  add_test(NAME cases.${stem} COMMAND case_test --gtest_filter=cases.* ${case})
  set_tests_properties(cases.${stem} PROPERTIES LABELS program TIMEOUT 600 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endforeach()
