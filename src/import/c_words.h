// Words of CUDA that plain C lacks, and their counterparts in C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw::import {

/// Whether the word exists only in CUDA, or makes threads depend on each other.
bool is_cuda_word(std::string_view word);

/// The C word that means the same as a word of CUDA, such as expf for __expf; other words are
/// returned unchanged.
std::string_view plain_word(std::string_view word);

}  // namespace kw::import
