# The rooms (folders) of docs/contributing/architecture.md in order of dependency, and the programs
# made of them.
# SPDX-License-Identifier: Apache-2.0

find_package(OpenSSL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

# Debian's compiled fmt saves 2 s for each file at -O2, and 5 s when sanitized. Programs for other
# machines are linked with an fmt of their own.
if(KW_PORTABLE OR KW_STANDALONE)
  set(KW_FMT fmt::fmt-header-only)
else()
  set(KW_FMT fmt::fmt)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

kw_room(base HOT LIBS OpenSSL::Crypto nlohmann_json::nlohmann_json ${KW_FMT})
kw_room(record HOT DEPS base)
kw_room(lex HOT DEPS base)
find_library(KW_SECCOMP libseccomp.a REQUIRED)
kw_room(platform DEPS base record LIBS ${KW_SECCOMP})

# kw-jail applies a jail and then runs the jailed program. It is static, so that it runs in a jail
# without libraries, and never sanitised, because it limits its own address space and system calls.
add_executable(kw-jail src/platform/jail_main.cc src/platform/jail_selfcheck.cc
  src/platform/jail_policy.cc src/platform/confine.cc src/platform/landlock.cc
  src/platform/seccomp.cc)
target_include_directories(kw-jail PRIVATE src)
target_compile_definitions(kw-jail PRIVATE _GNU_SOURCE)
target_compile_options(kw-jail PRIVATE -O2 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
target_link_options(kw-jail PRIVATE -static -Wl,--gc-sections)
target_link_libraries(kw-jail PRIVATE ${KW_SECCOMP})
add_dependencies(kw_platform kw-jail)
if(KW_TESTS)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  add_executable(platform_attack src/platform/attack_main.cc)
  target_compile_definitions(platform_attack PRIVATE _GNU_SOURCE)
  target_compile_options(platform_attack PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  target_link_libraries(platform_attack PRIVATE OpenMP::OpenMP_CXX)
  add_dependencies(platform_test platform_attack)

  # as_container runs a program as a container with Docker's defaults does. It is static, so that it
  # can be copied to machines without libraries.
  add_executable(as_container tests/container/as_container_main.cc)
  target_compile_definitions(as_container PRIVATE _GNU_SOURCE)
  target_compile_options(as_container PRIVATE -O1 -Wall -Wextra -Wshadow)
  target_link_options(as_container PRIVATE -static)
  target_link_libraries(as_container PRIVATE ${KW_SECCOMP})

  # The jail tests for tests/jail_matrix.sh, built without AddressSanitizer, which fails where /proc
  # is missing.
  file(GLOB plain CONFIGURE_DEPENDS src/platform/*.cc src/base/result.cc)
  list(FILTER plain EXCLUDE REGEX "_main\\.cc$|seccomp\\.cc$")
  add_executable(platform_plain_test ${plain})
  target_include_directories(platform_plain_test PRIVATE src)
  target_compile_definitions(platform_plain_test PRIVATE _GNU_SOURCE)
  target_compile_options(platform_plain_test PRIVATE -O0)
  target_link_libraries(platform_plain_test PRIVATE GTest::gmock GTest::gtest_main Threads::Threads)
  add_dependencies(platform_plain_test kw-jail platform_attack as_container)
  add_test(NAME platform.jail_matrix
    COMMAND ${CMAKE_SOURCE_DIR}/tests/jail_matrix.sh $<TARGET_FILE:platform_plain_test>)
  set_tests_properties(platform.jail_matrix PROPERTIES LABELS unit TIMEOUT 300)
endif()

if(NOT KW_PORTABLE)
  if(KW_STANDALONE)
    find_library(KW_CURL curl REQUIRED)
    set(KW_CURL ${KW_CURL} OpenSSL::SSL OpenSSL::Crypto)
  else()
    find_package(CURL REQUIRED)
    set(KW_CURL CURL::libcurl)
  endif()
  kw_room(net DEPS base platform LIBS ${KW_CURL})
endif()

if(NOT KW_PORTABLE)
  if(KW_STANDALONE)
    find_library(KW_YAML yaml-cpp REQUIRED)
  else()
    find_package(yaml-cpp REQUIRED)
    set(KW_YAML yaml-cpp)
  endif()
  kw_room(task AREAS c plain DEPS base record lex LIBS ${KW_YAML})
  kw_room(import DEPS task)
endif()

kw_room(player HOT DEPS base)
# Objects are screened on the machine that builds them, so programs for other machines need no
# decoder of instructions.
if(NOT KW_PORTABLE)
  find_library(KW_ZYDIS Zydis REQUIRED)
endif()
kw_room(compile DEPS base record lex platform player LIBS ${KW_ZYDIS} ${CMAKE_DL_LIBS})

if(NOT KW_PORTABLE)
  # kw-nvrtc keeps NVIDIA's compiler loaded and forks for each compilation. It is never sanitised,
  # because its children limit their own address space and system calls. It finds NVRTC at run time,
  # so it builds on every machine.
  add_executable(kw-nvrtc src/compile/nvrtc_main.cc src/compile/nvrtc_child.cc
    src/compile/nvrtc_library.cc src/compile/nvrtc_wire.cc src/platform/files.cc src/base/result.cc
    src/player/lockdown.cc src/player/transport.cc)
  target_include_directories(kw-nvrtc PRIVATE src)
  target_compile_definitions(kw-nvrtc PRIVATE _GNU_SOURCE)
  target_compile_options(kw-nvrtc PRIVATE -O2 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  target_link_options(kw-nvrtc PRIVATE -Wl,--as-needed -Wl,-z,relro -Wl,-z,now)
  target_link_libraries(kw-nvrtc PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(kw_compile kw-nvrtc)
endif()
kw_room(measure HOT DEPS base)
kw_room(device HOT DEPS base record platform player)
# These files are bound by memory, so they are always optimised. Contraction is off, so that every
# machine computes the same bits.
set_source_files_properties(src/device/compare.cc src/device/compare_kernel.cc src/device/fill.cc
  src/device/poison.cc src/device/random_values.cc src/device/host_ops.cc PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off"
  SKIP_PRECOMPILE_HEADERS ON)
kw_embed_text(device cuda)
# In a joined file, GCC 13.2 of Ubuntu 24.04 stops with an internal error at a class of nvml.h whose
# members have a local type.
set_source_files_properties(src/device/nvml.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
kw_room(referee HOT DEPS base record platform task compile device measure)
kw_room(profile DEPS base record compile device measure)
kw_embed_text(profile cuda)
if(NOT KW_PORTABLE)
  find_package(Eigen3 REQUIRED NO_MODULE)
  kw_room(search HOT DEPS base record lex LIBS Eigen3::Eigen)
  set_source_files_properties(src/search/subtract_rows.cc PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=off"
    SKIP_PRECOMPILE_HEADERS ON)
  find_package(SQLiteCpp REQUIRED)
  find_library(KW_ZSTD zstd REQUIRED)
  find_library(KW_SQLITE sqlite3 REQUIRED)
  kw_room(store HOT DEPS platform LIBS SQLiteCpp ${KW_SQLITE} ${KW_ZSTD})
endif()

if(NOT KW_PORTABLE)
  kw_room(llm DEPS net LIBS ${KW_YAML})
  find_path(KW_MUSTACHE kainjow/mustache.hpp REQUIRED)  # headers only, without a CMake package
  kw_room(memory HOT DEPS task store LIBS kw_embedded_data)
  kw_room(propose HOT DEPS task llm memory)
endif()

# Players share a process with foreign code. They are never sanitised, because they limit their own
# address space and own their signal handlers, and have no C++ runtime of their own.
add_executable(kw-player-cpu src/player/cpu_main.cc src/player/cpu_load.cc src/player/object_file.cc
  src/player/allowed_calls.cc src/player/crash.cc src/player/lockdown.cc src/player/mapping.cc
  src/player/protocol.cc src/player/transport.cc)
# Only a candidate's device code runs beside the cuda player, never host code. The driver is found
# at run time, so the player is built on every machine.
add_executable(kw-player-cuda src/player/cuda_main.cc src/player/cuda_player_context.cc src/player/cuda_gpu.cc
  src/player/cuda_holdings.cc src/player/cuda_buffers.cc src/player/cuda_plans.cc src/player/cuda_graph.cc
  src/player/cuda_timed_call.cc
  src/player/cuda_forget.cc src/player/cuda_scrub.cc src/player/cuda_host.cc src/player/cuda_api.cc src/player/plan_wire.cc
  src/player/crash.cc src/player/lockdown.cc src/player/protocol.cc src/player/requests.cc
  src/player/transport.cc)
foreach(player kw-player-cpu kw-player-cuda)
  target_include_directories(${player} PRIVATE src)
  target_compile_definitions(${player} PRIVATE _GNU_SOURCE)
  if(KW_DEFENCES_MAY_BE_OFF)
    target_compile_definitions(${player} PRIVATE KW_DEFENCES_MAY_BE_OFF)
    target_sources(${player} PRIVATE src/base/defence.cc)
  endif()
  target_compile_options(${player} PRIVATE -O2 -fno-exceptions -fno-rtti
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  target_link_options(${player} PRIVATE -Wl,--as-needed -Wl,-z,relro -Wl,-z,now)
  target_link_libraries(${player} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
add_dependencies(kw_device kw-player-cpu kw-player-cuda)

# The worker runs kw-specimen under profilers and sanitizers; a candidate's device code runs in the
# same process.
add_executable(kw-specimen src/profile/specimen_main.cc)
target_link_libraries(kw-specimen PRIVATE kw_profile kw_watched)
add_dependencies(kw-specimen kw-jail)

kw_room(worker SLOW EverySource.CompilesOnEveryArchitectureThatItIsFor DEPS platform task compile device referee profile
  LIBS kw_version)
add_executable(kw-worker src/worker/worker_main.cc)
target_link_libraries(kw-worker PRIVATE kw_worker kw_watched)
add_dependencies(kw-worker kw-player-cpu kw-player-cuda kw-jail kw-specimen)

if(NOT KW_PORTABLE)
  find_package(CLI11 REQUIRED)
  kw_room(evaluate DEPS worker search store)
  kw_room(engine DEPS search propose evaluate memory store)
  kw_room(report HOT DEPS store memory measure)
  kw_room(deliver DEPS task compile)
  kw_embed_text(deliver texts ${CMAKE_SOURCE_DIR}/LICENSE)
  kw_room(session AREAS judging searching suites DEPS engine report evaluate llm import deliver LIBS kw_version)
  kw_room(cli DEPS session LIBS CLI11::CLI11 kw_version)
  # The library's public face, and a program that uses it.
  target_include_directories(kw_session PUBLIC ${CMAKE_SOURCE_DIR}/include)
  if(KW_TESTS)
    add_executable(judge_example examples/judge.cc)
    target_link_libraries(judge_example PRIVATE kw_session)
    add_dependencies(judge_example kw-worker)
    add_test(NAME examples.judge COMMAND judge_example saxpy ${CMAKE_SOURCE_DIR}/tests/honest/saxpy_omp_by_hand.cpp)
    set_tests_properties(examples.judge PROPERTIES LABELS program TIMEOUT 300 PASS_REGULAR_EXPRESSION "^correct at check")
  endif()
  add_executable(kw src/cli/main.cc)
  target_link_libraries(kw PRIVATE kw_cli kw_watched)
  add_dependencies(kw kw-worker)
endif()

if(KW_TESTS)
  # Shared objects that the tests of players load, one from each file, built like a candidate.
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/device/test_kernels/*.cc)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  foreach(kernel IN LISTS kernels)
    cmake_path(GET kernel STEM name)
    add_library(test_kernel_${name} MODULE ${kernel})
    target_compile_options(test_kernel_${name} PRIVATE -O1)
    target_link_libraries(test_kernel_${name} PRIVATE OpenMP::OpenMP_CXX)
    set_target_properties(test_kernel_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test_kernels)
    add_dependencies(device_test test_kernel_${name})
  endforeach()
  add_executable(forging_player src/device/forging_player_main.cc src/player/transport.cc)
  target_include_directories(forging_player PRIVATE src)
  target_compile_definitions(forging_player PRIVATE _GNU_SOURCE)
  target_compile_options(forging_player PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
  add_dependencies(referee_test forging_player)
endif()

if(KW_TESTS AND NOT KW_PORTABLE)
  # A server that misbehaves, for tests of HTTP clients.
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  foreach(client net llm)
    if(TARGET ${client}_test)
      target_link_libraries(${client}_test PRIVATE PkgConfig::HTTPLIB)
    endif()
  endforeach()
endif()

if(KW_TESTS AND NOT KW_PORTABLE)
  # Tests that run the whole program as a user starts it.
  file(GLOB program_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/program/*.cc)
  add_executable(program_test ${program_tests})
  target_link_libraries(program_test PRIVATE kw_platform SQLiteCpp sqlite3 PkgConfig::HTTPLIB
    GTest::gmock GTest::gtest_main)
  target_compile_definitions(program_test PRIVATE KW_BINARY_DIR="${CMAKE_BINARY_DIR}"
    KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  kw_tests_together(program_test)
  add_dependencies(program_test kw as_container)
  # Tests that measure run alone: beside other tests the referee rejects disturbed measurements and
  # repeats them, which takes three to nine times as long.
  string(JOIN ":" measuring Admission.* Bundle.* Embed.* EveryStrategy.RunsWithAScriptedModel EveryStrategy.TellsWhatEachRoleWasAsked
    PackedExample.* ExportOfARun.* GuidedModel.* Interrupt.DuringTheConfirmationEndsItSoon
    Interrupted.* LessonsOfAWave.* Model.* */ModelOfEachProtocol.* ModelScript.*
    GraphBuild.* LearnedJudge.* OneDevice.* ShippedSuites.HackingRanksNoKernelOfItsScript Specialise.* TaskRun.* Verify.*
    GpuFaults.ARunWhoseGpuIsLost* GpuFaults.WhoeverMeasures* GpuStrategies.*)
  # Slow tests: those on the stand-in for a GPU, whose time stamps cannot be checked on a busy
  # machine; a search of all points; a server that is tried again for half a minute; shipped suites,
  # in which close comparisons take the longest time that a judgement may take (100 s and more
  # each).
  string(JOIN ":" slow GpuBundle.* GpuRun.* GenericVariants.* WholeSuites.* DeadServer.*
    ShippedSuites.ErrorsMendsWhatItIsTold
    ShippedSuites.OneShotCountsWhatWorks ShippedSuites.ProfileWritesKernelsThatWork
    ShippedSuites.KnowledgeRunsWithAndWithout ShippedSuites.RewardsEvolvesWhatItsScriptWrites)
  gtest_discover_tests(program_test TEST_PREFIX program. DISCOVERY_MODE PRE_TEST TEST_FILTER ${measuring}
    PROPERTIES LABELS program TIMEOUT 900 RUN_SERIAL ON)
  gtest_discover_tests(program_test TEST_PREFIX program. DISCOVERY_MODE PRE_TEST TEST_FILTER -${measuring}:${slow}
    PROPERTIES LABELS program TIMEOUT 900 COST 1)
  gtest_discover_tests(program_test TEST_PREFIX program. DISCOVERY_MODE PRE_TEST TEST_FILTER ${slow}
    TEST_LIST program_slow PROPERTIES LABELS slow RUN_SERIAL ON TIMEOUT 900)
endif()

if(KW_TESTS AND NOT KW_PORTABLE)
  # A target that the program does not have, in a program of its own: the row that the test adds
  # would be seen by every other test.
  add_executable(echo_test tests/targets/echo_test.cc)
  target_include_directories(echo_test PRIVATE tests/targets)
  target_link_libraries(echo_test PRIVATE kw_cli GTest::gmock GTest::gtest_main)
  target_compile_definitions(echo_test PRIVATE KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    KW_BINARY_DIR="${CMAKE_BINARY_DIR}")
  kw_tests_together(echo_test)
  gtest_discover_tests(echo_test TEST_PREFIX targets. DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit)
  include(KwEmulator)
  include(KwCudaTests)
  include(KwSuites)
endif()
