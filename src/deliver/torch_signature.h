// Converts the signature of a task's function to that of a PyTorch operator over tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "deliver/delivery.h"

namespace kw::deliver {

/// The name of the dtype in PyTorch, such as torch.float32.
std::string torch_dtype(Dtype dtype);

/// The signature of the PyTorch operator. Sizes that follow from the tensors' shapes are not
/// arguments, and tensors that are only written are results.
class TorchSignature {
 public:
  /// Derives the operator's signature. Error (of the input): a size that neither tensors nor
  /// arguments give, or a formula that Python cannot express.
  static Result<TorchSignature> of(const Delivery& delivery);

  /// The operator's schema: "(float a, Tensor x, Tensor(a!) y) -> ()"
  std::string schema() const;
  /// The names of the operator's arguments: "a, x, y"
  std::string names() const;
  bool takes(const std::string& name) const;
  /// Whether the name is an argument of the operator, or can be derived from its arguments.
  bool knows(const std::string& name) const;
  /// The names of all arguments of the task's function as a Python list of strings.
  std::string order_list() const;
  std::string mutated_list() const;
  /// The tensors that the operator returns, "y" or "y, z"; empty: the operator returns nothing.
  std::string outs() const;
  std::string first_tensor() const;
  /// The body of the Python function `_derive`, which returns the tuple of values_list().
  const std::string& derive_text() const { return derive_; }
  /// A Python tuple of the dims, lets and integer arguments that are derived: "(n, m,)".
  std::string values_list() const;
  /// A tensor's sizes as a Python tuple over the names of values_list().
  const std::string& shape_of(const std::string& tensor) const { return shapes_.at(tensor); }

 private:
  Result<> derive(const Delivery& delivery);
  void list_arguments(const Task& task, const std::set<std::string>& integers);

  struct Argument {
    std::string name;
    std::string type;  ///< The type in the schema: Tensor, Tensor(a!), float or int.
  };
  std::vector<Argument> arguments_;
  std::vector<std::string> outs_;
  std::vector<std::string> values_;
  std::map<std::string, std::string> shapes_;
  std::string derive_;
};

}  // namespace kw::deliver
