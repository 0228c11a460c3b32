# A stand-in for a GPU, which runs kernels on the host's cores, for tests on machines without a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# The stand-in has two parts: a replacement of the driver's library, and a replacement of nvcc that
# adds host code to each cubin. Results are right or wrong as on a GPU; times mean nothing.

set(emulator ${CMAKE_SOURCE_DIR}/tests/cuda/emulator)
set(KW_EMULATED ${CMAKE_BINARY_DIR}/emulated)
find_program(KW_REAL_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(NOT KW_REAL_NVCC)
  set(KW_REAL_NVCC /usr/local/cuda/bin/nvcc)  # the place where a test looks for nvcc before it skips
endif()
file(REAL_PATH ${KW_REAL_NVCC} real)
cmake_path(GET real PARENT_PATH cuda_bin)

# The stand-in is never sanitised, because fibers switch stacks, which sanitizers do not support.
add_library(emulated_driver SHARED ${emulator}/driver.cc ${emulator}/engine.cc ${emulator}/errors.cc
  ${emulator}/faults.cc ${emulator}/identity.cc)
target_include_directories(emulated_driver PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(emulated_driver PRIVATE -O2 -Wall -Wextra -fvisibility=hidden)
target_compile_definitions(emulated_driver PRIVATE _GNU_SOURCE)
target_link_libraries(emulated_driver PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(emulated_driver PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1
  LIBRARY_OUTPUT_DIRECTORY ${KW_EMULATED}/lib)

add_library(emulated_nvml SHARED ${emulator}/nvml.cc ${emulator}/faults.cc)
target_compile_options(emulated_nvml PRIVATE -O1 -Wall -Wextra -fvisibility=hidden)
set_target_properties(emulated_nvml PROPERTIES OUTPUT_NAME nvidia-ml SUFFIX .so.1
  LIBRARY_OUTPUT_DIRECTORY ${KW_EMULATED}/lib)

# The headers are copied beside the compiler, since a jail shows only the compiler's folder.
foreach(header device.h matrix.h runtime.h)
  configure_file(${emulator}/${header} ${KW_EMULATED}/include/${header} COPYONLY)
endforeach()
add_executable(emulated_nvcc ${emulator}/nvcc_main.cc ${emulator}/translate.cc)
target_compile_options(emulated_nvcc PRIVATE -O1 -Wall -Wextra)
target_compile_definitions(emulated_nvcc PRIVATE KW_REAL_NVCC="${KW_REAL_NVCC}" KW_EMULATOR="${KW_EMULATED}/include"
  KW_CUDA_INCLUDE="${cuda_bin}/../include")
set_target_properties(emulated_nvcc PROPERTIES OUTPUT_NAME nvcc RUNTIME_OUTPUT_DIRECTORY ${KW_EMULATED}/bin)

add_executable(emulator_test ${emulator}/emulator_test.cc)
target_include_directories(emulator_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(emulator_test PRIVATE _GNU_SOURCE KW_REAL_NVCC="${KW_REAL_NVCC}" KW_EMULATOR="${emulator}"
  KW_EMULATED_DRIVER="$<TARGET_FILE:emulated_driver>" KW_EMULATED_NVCC="$<TARGET_FILE:emulated_nvcc>")
target_link_libraries(emulator_test PRIVATE GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(emulator_test emulated_driver emulated_nvcc)
gtest_discover_tests(emulator_test TEST_PREFIX emulator. DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 120)
