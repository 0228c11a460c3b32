# Toolchain of the preset `portable`, which builds programs that run on other machines with glibc
# 2.34 or newer.
# SPDX-License-Identifier: Apache-2.0
#
# clang 19 with its static libc++ and libunwind needs no newer glibc than that of Debian 12;
# libgcc's own unwinder needs 2.35 (_dl_find_object) and GCC 12's static libstdc++ 2.36. Where clang
# 19 is missing, GCC builds programs for machines at least as new as this one.
find_program(KW_CLANGXX clang++-19)
find_program(KW_CLANG clang-19)
find_library(KW_LIBCXX NAMES libc++.a PATHS /usr/lib/llvm-19/lib)
mark_as_advanced(KW_CLANGXX KW_CLANG KW_LIBCXX)
if(KW_CLANGXX AND KW_CLANG AND KW_LIBCXX)
  set(CMAKE_C_COMPILER ${KW_CLANG})
  set(CMAKE_CXX_COMPILER ${KW_CLANGXX})
  # In libc++ 19, std::jthread is one of the experimental parts.
  set(CMAKE_CXX_FLAGS_INIT "-stdlib=libc++ -fexperimental-library")
  set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-fuse-ld=lld -static-libstdc++ -static-libgcc -rtlib=compiler-rt --unwindlib=libunwind")
else()
  set(CMAKE_C_COMPILER gcc)
  set(CMAKE_CXX_COMPILER g++)
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
endif()
