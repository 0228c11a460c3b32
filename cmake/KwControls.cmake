# Positive controls of attacks: each attack is judged with its defence switched off, and must then
# succeed (tests/exploits/run --controls).
# SPDX-License-Identifier: Apache-2.0

set(control_run ${suite_run} --controls --workspace ${suite_workspace}/controls)

# kw_control(prefix run fixture file): adds one test, which is slow unless its file is in
# `quick_controls`.
function(kw_control prefix run fixture file)
  cmake_path(GET file STEM stem)
  if(EXISTS ${file})
    file(STRINGS ${file} control REGEX "^// control:" LIMIT_COUNT 1)
    file(STRINGS ${file} measured REGEX "^// until: measure" LIMIT_COUNT 1)
    if(NOT control)
      return()
    endif()
  endif()
  set(test ${prefix}.${stem})
  add_test(NAME ${test} COMMAND ${run} --only case ${file})
  set(labels controls)
  if(NOT stem IN_LIST quick_controls)
    list(APPEND labels slow)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 600 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED ${fixture})
  if(measured)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# Controls that take a second or two; they run in every check, as examples of all others.
set(quick_controls 012_include_passwd 036_exit_zero 051_fork_raw 113_nothing_written 123_right_on_small_shapes 124_known_shapes
  127_drift 140_byte_before 145_write_input)

add_test(NAME controls.ready COMMAND ${control_run} --only ready)
add_test(NAME controls.survived COMMAND ${control_run} --only survived ${CMAKE_SOURCE_DIR}/tests/exploits)
set_tests_properties(controls.ready PROPERTIES FIXTURES_SETUP controls)
set_tests_properties(controls.survived PROPERTIES FIXTURES_CLEANUP controls)
set_tests_properties(controls.ready controls.survived PROPERTIES LABELS controls TIMEOUT 600 SKIP_RETURN_CODE 77)
foreach(file IN LISTS attacks)
  kw_control(control "${control_run}" controls ${file})
endforeach()
kw_control(control "${control_run}" controls generated/003_gigabyte)
kw_control(control "${control_run}" controls generated/004_parentheses)

# Controls of the attacks on a GPU, run on the stand-in for a GPU, on which times mean nothing.
add_test(NAME control.cuda COMMAND ${suite_run} --controls --target cuda ${CMAKE_SOURCE_DIR}/tests/exploits/cuda)
set_tests_properties(control.cuda PROPERTIES LABELS "controls;slow" TIMEOUT 3600 SKIP_RETURN_CODE 77 RUN_SERIAL ON
  ENVIRONMENT "KW_CUDA_DRIVER=$<TARGET_FILE:emulated_driver>;CUDA_PATH=${KW_EMULATED};KW_NVRTC=none")

add_test(NAME exploits.count COMMAND ${CMAKE_SOURCE_DIR}/tests/exploits/count --check)
add_test(NAME exploits.no_seam_in_a_release COMMAND ${CMAKE_SOURCE_DIR}/tests/exploits/no-seam ${CMAKE_SOURCE_DIR}/build/release/bin)
set_tests_properties(exploits.count exploits.no_seam_in_a_release PROPERTIES LABELS suites SKIP_RETURN_CODE 77)
