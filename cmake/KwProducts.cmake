# The rooms in the order of design §2 and the programs made of them.
# SPDX-License-Identifier: Apache-2.0

find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

kw_room(base LIBS OpenSSL::Crypto nlohmann_json::nlohmann_json fmt::fmt-header-only)
kw_room(record DEPS base)
kw_room(platform DEPS base record)
kw_room(player DEPS base)
kw_room(compile DEPS base record platform)
kw_room(measure DEPS base)
kw_room(device DEPS base record platform player)
kw_room(search DEPS base record)

# What shares a process with foreign code: never sanitised (it limits its own address space and owns
# its signal handlers), and without a C++ runtime of its own.
add_executable(kw-player-cpu src/player/cpu_main.cc src/player/crash.cc src/player/lockdown.cc
  src/player/mapping.cc src/player/protocol.cc src/player/transport.cc)
target_include_directories(kw-player-cpu PRIVATE src)
target_compile_definitions(kw-player-cpu PRIVATE _GNU_SOURCE)
target_compile_options(kw-player-cpu PRIVATE -O2 -fno-exceptions -fno-rtti
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
target_link_options(kw-player-cpu PRIVATE -Wl,--as-needed -Wl,-z,relro -Wl,-z,now)
target_link_libraries(kw-player-cpu PRIVATE ${CMAKE_DL_LIBS})
