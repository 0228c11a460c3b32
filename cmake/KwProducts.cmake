# The rooms in the order of design §2 and the programs made of them.
# SPDX-License-Identifier: Apache-2.0

find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

kw_room(base LIBS OpenSSL::Crypto nlohmann_json::nlohmann_json fmt::fmt-header-only)
kw_room(record DEPS base)
kw_room(platform DEPS base record)
kw_room(compile DEPS base record platform)
kw_room(measure DEPS base)
kw_room(search DEPS base record)
