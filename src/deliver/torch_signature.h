// How the arguments of a task's function become those of an operator over tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "deliver/delivery.h"

namespace kw::deliver {

/// torch.float32, …
std::string torch_dtype(Dtype dtype);

/// Sizes that tensors show are no arguments; tensors that are only written are results.
class TorchSignature {
 public:
  /// Error (of the input): a size that neither tensors nor arguments give, or a formula that Python
  /// cannot say.
  static Result<TorchSignature> of(const Delivery& delivery);

  /// "(float a, Tensor x, Tensor(a!) y) -> ()"
  std::string schema() const;
  /// "a, x, y"
  std::string names() const;
  bool takes(const std::string& name) const;
  /// Whether it is an argument or derived.
  bool knows(const std::string& name) const;
  /// The arguments as a list of texts in Python, and those that are written.
  std::string order_list() const;
  std::string mutated_list() const;
  /// "y" or "y, z": the results; empty: there are none.
  std::string outs() const;
  std::string first_tensor() const;
  /// The body of `_derive`, which returns values_list().
  const std::string& derive_text() const { return derive_; }
  /// "(n, m,)": dims, lets and integer arguments that were derived.
  std::string values_list() const;
  /// A tensor's sizes as a tuple over those values.
  const std::string& shape_of(const std::string& tensor) const { return shapes_.at(tensor); }

 private:
  Result<> derive(const Delivery& delivery);

  struct Argument {
    std::string name;
    std::string type;  ///< Tensor, Tensor(a!), float, int
  };
  std::vector<Argument> arguments_;
  std::vector<std::string> outs_;
  std::vector<std::string> values_;
  std::map<std::string, std::string> shapes_;
  std::string derive_;
};

}  // namespace kw::deliver
