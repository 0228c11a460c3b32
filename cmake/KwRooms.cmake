# kw_room(name [HOT] [SLOW filter] [AREAS folders...] DEPS rooms... LIBS libraries...): adds a room's static library
# and its unit tests.
# SPDX-License-Identifier: Apache-2.0
#
# A file named *_test.cc belongs to the room's test binary, *_main.cc to an executable that KwProducts names.

find_package(Threads REQUIRED)

add_library(kw_flags INTERFACE)
target_include_directories(kw_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
target_compile_options(kw_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # GCC 13 reports an overflow in big integers of fmt 9 where there is none. The options can be
  # removed with fmt 10.
  target_compile_options(kw_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ 12 calls a deprecated function in stable_sort, and clang 19 warns at every use.
  target_compile_options(kw_flags INTERFACE -Wno-deprecated-declarations)
endif()
target_compile_definitions(kw_flags INTERFACE _GNU_SOURCE)
if(KW_DEFENCES_MAY_BE_OFF)
  target_compile_definitions(kw_flags INTERFACE KW_DEFENCES_MAY_BE_OFF)
endif()
if(KW_UNITY)  # joined files put code side by side that shares no scope in the source
  target_compile_options(kw_flags INTERFACE -Wno-shadow)
endif()
# Joined files cause these warnings too; and GCC 12 misjudges a moved std::expected.
if(KW_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(kw_flags INTERFACE -Wno-subobject-linkage -Wno-maybe-uninitialized)
endif()
target_link_libraries(kw_flags INTERFACE Threads::Threads)
# Sanitizers check rooms and programs, but not tests, which are half of the work and compile in a
# third of the time without. ThreadSanitizer checks tests too, because it finds a race only if it
# checks both sides. AddressSanitizer reports the use of a null pointer, and the preset clang checks
# alignment; checking both at each access would cost GCC a quarter more time.
add_library(kw_watched INTERFACE)
if(KW_SANITIZE)
  target_compile_options(kw_watched INTERFACE -fsanitize=${KW_SANITIZE} -fno-sanitize-recover=undefined
    -fno-sanitize=null,alignment)
  target_link_options(kw_flags INTERFACE -fsanitize=${KW_SANITIZE})
endif()
# Half of the pages that a program with AddressSanitizer touches at its start are descriptions of
# globals, which a program without a fixed address has to relocate. The tests start thousands.
if(KW_SANITIZE MATCHES address)
  target_link_options(kw_flags INTERFACE -no-pie)
endif()
if(KW_SANITIZE STREQUAL thread)
  target_link_libraries(kw_flags INTERFACE kw_watched)
endif()
if(KW_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # The fences order memory that a GPU writes, and no thread of the program. With -O1, GCC 12
  # reports an overflow in string + string where there is none (its bug 105329).
  target_compile_options(kw_flags INTERFACE -Wno-tsan -Wno-array-bounds)
endif()

find_program(KW_CCACHE ccache)
if(KW_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KW_CCACHE})
endif()
find_program(KW_MOLD mold)
# The linker mold keeps symbols that only removed sections use, and with them the need for a newer
# glibc than a release may require.
if(KW_MOLD AND NOT KW_PORTABLE AND NOT KW_STANDALONE)
  target_link_options(kw_flags INTERFACE -fuse-ld=mold)
endif()

if(KW_FUZZ)
  target_compile_options(kw_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=undefined)
  target_link_options(kw_flags INTERFACE -fsanitize=address,undefined)
endif()

if(KW_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()

# Precompiles headers that nearly every file of the rooms includes, once for each level of
# optimisation, because GCC requires equal flags. This saves a seventh of a full build. Without
# KW_UNITY nothing is precompiled, so that missing includes are found.
function(kw_precompiled_room name hot)
  set(headers kw_room_headers)
  if(hot)
    set(headers kw_hot_room_headers)
  endif()
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${headers}.cc CONTENT "")
    add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/generated/${headers}.cc)
    target_link_libraries(${headers} PRIVATE kw_flags nlohmann_json::nlohmann_json ${KW_FMT} kw_watched)
    kw_optimise(${headers} ${hot})
    target_precompile_headers(${headers} PRIVATE <fmt/format.h> <nlohmann/json.hpp> <algorithm> <array> <charconv> <chrono>
      <cmath> <cstdio> <cstring> <deque> <filesystem> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span>
      <string> <string_view> <thread> <utility> <variant> <vector>)
  endif()
  target_precompile_headers(kw_${name} REUSE_FROM ${headers})
endfunction()

# Rooms that are much faster than they need to be are compiled with -O1, in three quarters of the
# time. GCC 12 then reports overflows in string + string where there are none (its bug 105329).
function(kw_optimise target hot)
  if(KW_UNITY AND NOT hot)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wno-array-bounds>
        $<$<CONFIG:Release>:-Wno-stringop-overflow> $<$<CONFIG:Release>:-Wno-stringop-overread>)
    endif()
  endif()
endfunction()

# Compiles tests several files at a time with precompiled headers, which halves the work (six tests
# of engine: 13 s of a processor instead of 27 s). Without KW_UNITY each file is compiled alone, so
# that missing includes are found.
function(kw_tests_together target)
  if(NOT KW_UNITY)
    return()
  endif()
  if(NOT TARGET kw_test_headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/test_headers.cc CONTENT "")
    add_library(kw_test_headers OBJECT ${CMAKE_BINARY_DIR}/generated/test_headers.cc)
    target_link_libraries(kw_test_headers PRIVATE kw_flags GTest::gmock)
    # Programs are compiled with -fPIE, and a precompiled header needs the same flags as its users.
    target_compile_options(kw_test_headers PRIVATE -fPIE)
    target_compile_definitions(kw_test_headers PRIVATE KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      KW_BINARY_DIR="${CMAKE_BINARY_DIR}")
    target_precompile_headers(kw_test_headers PRIVATE <gmock/gmock.h> <nlohmann/json.hpp> <algorithm> <chrono>
      <filesystem> <functional> <map> <optional> <set> <string> <thread> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM kw_test_headers)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
endfunction()

# The rooms of the worker and the players. Other rooms need libraries that the portable build lacks.
set(KW_PORTABLE_ROOMS base record lex platform player compile measure device referee profile worker)

function(kw_room name)
  if(KW_PORTABLE AND NOT name IN_LIST KW_PORTABLE_ROOMS)
    return()
  endif()
  cmake_parse_arguments(ROOM "HOT" "SLOW" "DEPS;LIBS;AREAS" ${ARGN})
  set(folders ${CMAKE_SOURCE_DIR}/src/${name})
  foreach(area IN LISTS ROOM_AREAS)
    list(APPEND folders ${CMAKE_SOURCE_DIR}/src/${name}/${area})
  endforeach()
  list(TRANSFORM folders APPEND /*.cc)
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  if(KW_PORTABLE)
    # What these rooms name of others is used by programs of this machine alone.
    foreach(room IN LISTS ROOM_DEPS)
      if(NOT room IN_LIST KW_PORTABLE_ROOMS)
        list(REMOVE_ITEM ROOM_DEPS ${room})
      endif()
    endforeach()
  endif()
  list(TRANSFORM ROOM_DEPS PREPEND kw_)
  if(sources)
    add_library(kw_${name} STATIC ${sources})
    # Half of a small unit's compile time goes into templates that other units need too. 30 files at
    # a time take two fifths less work in a full build than 6.
    set_target_properties(kw_${name} PROPERTIES UNITY_BUILD ${KW_UNITY} UNITY_BUILD_BATCH_SIZE 30)
    target_link_libraries(kw_${name} PUBLIC kw_flags ${ROOM_DEPS} ${ROOM_LIBS} PRIVATE kw_watched)
    kw_optimise(kw_${name} ${ROOM_HOT})
    if(KW_UNITY)
      kw_precompiled_room(${name} ${ROOM_HOT})
    endif()
  else()
    add_library(kw_${name} INTERFACE)
    target_link_libraries(kw_${name} INTERFACE kw_flags ${ROOM_DEPS} ${ROOM_LIBS})
  endif()
  if(KW_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE kw_${name} GTest::gmock GTest::gtest_main
      rapidcheck rapidcheck_gtest)
    target_compile_definitions(${name}_test PRIVATE KW_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      KW_BINARY_DIR="${CMAKE_BINARY_DIR}")
    kw_tests_together(${name}_test)
    # Tests are built into bin/, beside the programs that they start.
    set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    if(ROOM_SLOW)
      set(quick TEST_FILTER -${ROOM_SLOW})
      gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST TEST_FILTER ${ROOM_SLOW}
        TEST_LIST ${name}_slow PROPERTIES LABELS slow TIMEOUT 3600)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST ${quick}
      PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# kw_embed_text(room folder files...): embeds the files of src/room/folder, and the named files, as
# texts in the room's library. kw::room::embedded_text() finds a text by the file's plain name. A
# changed file makes CMake configure again.
function(kw_embed_text room folder)
  if(NOT TARGET kw_${room})
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/${folder}/*.cu
    ${CMAKE_SOURCE_DIR}/src/${room}/${folder}/*.cuh ${CMAKE_SOURCE_DIR}/src/${room}/${folder}/*.in)
  list(APPEND files ${ARGN})
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(texts "")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ ${file} text)
    string(APPEND texts "    {\"${name}\", R\"KWTEXT(${text})KWTEXT\"},\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/${room}_texts.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT
"// Generated by kw_embed_text in KwRooms.cmake.
#include <string_view>
namespace kw::@room@ {
std::string_view embedded_text(std::string_view name);
std::string_view embedded_text(std::string_view name) {
  struct Text {
    std::string_view name, text;
  };
  static constexpr Text kTexts[] = {
@texts@    {\"\", \"\"}};
  for (const Text& t : kTexts)
    if (t.name == name) return t.text;
  return {};
}
}  // namespace kw::@room@
" @ONLY)
  target_sources(kw_${room} PRIVATE ${source})
endfunction()
