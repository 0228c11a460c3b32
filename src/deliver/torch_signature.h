// How the arguments of a task's function become those of an operator over tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "deliver/delivery.h"

namespace kw::deliver {

/// The name of the type in PyTorch: torch.float32, …
std::string torch_dtype(Dtype dtype);

/// The operator's signature: sizes that tensors show are no arguments, and tensors that are only
/// written are results.
class TorchSignature {
 public:
  /// Error (of the input): a size that neither tensors nor arguments give, or a formula that Python
  /// cannot express.
  static Result<TorchSignature> of(const Delivery& delivery);

  /// The operator's schema: "(float a, Tensor x, Tensor(a!) y) -> ()"
  std::string schema() const;
  /// The names of the arguments: "a, x, y"
  std::string names() const;
  bool takes(const std::string& name) const;
  /// Whether the name is an argument or derived from arguments.
  bool knows(const std::string& name) const;
  /// The names of all arguments as a Python list of strings.
  std::string order_list() const;
  std::string mutated_list() const;
  /// "y" or "y, z": the tensors that the operator returns; empty: it returns none.
  std::string outs() const;
  std::string first_tensor() const;
  /// The body of `_derive`, which returns values_list().
  const std::string& derive_text() const { return derive_; }
  /// "(n, m,)": a Python tuple of the dims, lets and integer arguments that were derived.
  std::string values_list() const;
  /// A tensor's sizes as a Python tuple over the names of values_list().
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
