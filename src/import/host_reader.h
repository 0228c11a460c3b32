// Runs a host function on names instead of numbers; used by host_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>

#include "import/host_program.h"

namespace kw::import {

/// Whether both mean the same, regardless of the place where they are written.
bool is_same_value(const Value& a, const Value& b);
bool is_same_step(const Step& a, const Step& b);

class HostReader {
 public:
  HostReader(const ForeignSource& source, const std::vector<Item>& items, const TypeNames& types)
      : source_(source), items_(items), types_(types) {}

  HostProgram run(const Item& function);

 private:
  using Token = task::CodeToken;
  using Tokens = std::vector<Token>;
  enum class Flow { Next, Return, Break, Continue };

  struct Variable {
    Value value;
    std::string type;
    int stars = 0;
  };
  using Scopes = std::vector<std::map<std::string, Variable>>;

  /// A type in the text; `end` is the token behind it, or 0 where no type stands.
  struct TypeAt {
    std::string type;
    int stars = 0;
    bool is_const = false;
    std::size_t end = 0;
  };

  // host_reader.cc, host_branches.cc and host_loops.cc follow statements.
  void drop_repeats();
  void bind_parameters(const Item& function);
  Flow block(std::size_t begin, std::size_t end);
  Flow statement(std::size_t& i, std::size_t end);
  Flow plain_statement(std::size_t begin, std::size_t end);
  bool declaration(std::size_t begin, std::size_t end);
  std::size_t declarator(const TypeAt& base, std::size_t name, std::size_t end);
  void declare(const std::string& name, const TypeAt& type, Value value);
  Flow if_statement(std::size_t& i, std::size_t end);
  Flow branch_on(const Value& condition, std::size_t keyword, std::size_t yes, std::size_t yes_end,
                 std::size_t no, std::size_t no_end);
  void merge(const Size& condition, const Scopes& yes, const Scopes& no);
  void forget_changes(const Scopes& before, std::size_t offset);
  void leap_from(Flow flow, std::size_t offset);
  void close_branches(int down_to);
  Flow loop(std::size_t keyword, std::size_t header, std::size_t body, std::size_t body_end);
  struct Counted;
  std::optional<Counted> counted_loop(std::size_t open, std::size_t close);
  bool turns_by_number(std::size_t open, std::size_t close, std::size_t body, std::size_t end,
                       Flow& flow);
  bool is_same_each_turn(const std::string& counter, std::size_t body, std::size_t end,
                         std::size_t begin);
  void hide_loop_variables(std::size_t open, std::size_t close);
  void symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                     std::size_t end);
  Flow switch_statement(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                        std::size_t end);
  std::size_t statement_end(std::size_t i, std::size_t end, int depth = 0) const;
  void note_result(const Value& value);
  std::vector<std::pair<std::size_t, std::size_t>> parts_between(std::size_t begin, std::size_t end,
                                                                 std::string_view sign) const;

  // host_expressions.cc and host_names.cc evaluate expressions.
  Value evaluate(std::size_t begin, std::size_t end);
  Value assignment();
  bool assign_here(Value& result);
  void assign(std::size_t begin, std::size_t end, const std::string& op, Value value);
  Value conditional();
  Value binary(int level);
  Value combine(const std::string& op, const Value& a, const Value& b, std::size_t offset);
  Value unary();
  Value address_of();
  Value size_of();
  Value postfix();
  Value primary();
  Value number(const Token& token);
  Value braces();
  Value lambda();
  Value named();
  Value member(const Value& object, bool& is_done);
  Value element(const Value& object, const Value& index);
  Value lookup(const std::string& name);
  Value global(const std::string& name);
  Variable* find(const std::string& name);
  TypeAt type_at(std::size_t i, std::size_t end) const;
  Value cast(const TypeAt& type, Value value, std::size_t offset) const;
  Value cast_expression(std::string_view word);
  std::vector<Value> arguments(std::vector<std::size_t>* places = nullptr);

  // host_calls.cc and host_launches.cc follow calls.
  Value call(const std::string& name, const std::vector<std::string>& templates,
             std::size_t offset);
  Value call_lambda(const Value& lambda, const std::vector<Value>& values, std::size_t offset);
  std::optional<Value> call_runtime(const std::string& name, std::vector<Value>& values,
                                    std::size_t offset);
  std::optional<Value> call_arithmetic(const std::string& name, const std::vector<Value>& values);
  std::optional<Value> call_torch(const std::string& name, const std::vector<Value>& values,
                                  std::size_t offset);
  std::optional<Value> call_own(const std::string& name, const std::vector<std::string>& templates,
                                const std::vector<Value>& values, std::size_t offset);
  void bind_templates(const Item& function, const std::vector<std::string>& templates,
                      const std::vector<Value>& values, Scopes& scopes);
  Value call_method(const Value& object, const std::string& name, std::size_t offset);
  void allocate(const Value& target, const Value& bytes, std::size_t offset);
  void clear(const Value& target, const Value& value, const Value& bytes, std::size_t offset);
  void copy(const Value& target, const Value& from, const Value& bytes, const Value& kind,
            std::size_t offset);
  Value launch(const std::string& name, const std::vector<std::string>& templates,
               std::size_t offset);
  void add_launch(Step step, const Value& grid, const Value& block, const Value& shared);
  std::vector<Size> shape(const Value& value, std::string_view what, std::size_t offset);
  const Item* kernel_named(const std::string& name) const;
  const Item* function_named(const std::string& name, std::size_t arguments) const;
  Value tensor(int buffer) const;
  Value tensor_size(const Value& object, std::int64_t index) const;
  Value tensor_numel(const Value& object) const;
  int add_buffer(Buffer buffer);
  void refuse_call(const std::string& name, std::size_t offset);

  // Small helpers that all files use.
  const Token& at(std::size_t i) const { return i < tokens_->size() ? (*tokens_)[i] : nothing_; }
  std::size_t closing(std::size_t open) const;
  std::size_t place(std::size_t i) const;
  void miss(std::size_t offset, std::string text);
  void note(std::size_t offset, std::string text);
  Value unknown(std::size_t offset, std::string why) const;
  /// The number that decides a branch or a loop. A named constant of main() may be a size of the
  /// task, and then decides nothing.
  std::optional<std::int64_t> decided(const Value& value) const;
  static Value integer(const Size& size);
  static Value real(const Size& size);
  static Value text(std::string word);
  /// Takes one from the budget; false once the text has cost more than any real program does.
  bool spend();

  const ForeignSource& source_;
  const std::vector<Item>& items_;
  TypeNames types_;
  HostProgram out_;
  Token nothing_{};
  /// The tokens of the function that is being followed, with macros replaced.
  const Tokens* tokens_ = nullptr;
  std::size_t at_ = 0;  ///< The current token of the expression that is being evaluated.
  std::size_t end_ = 0;
  Scopes scopes_;
  std::map<const Item*, Tokens> bodies_;
  std::map<std::string, Value> globals_;
  std::map<std::string, Tokens> macro_bodies_;
  std::set<std::string> resolving_;
  std::vector<const Item*> callers_;
  /// The functions around the current one, whose variables a lambda may read.
  std::vector<std::pair<const Tokens*, Scopes*>> frames_;
  Value result_;  ///< The value that the last function returned.
  int depth_ = 0;
  int open_branches_ = 0;  ///< The number of `else` branches that go on to the end of the function.
  /// A `break` or `continue` of the current loop under a condition that is not decided.
  std::optional<Remark> leap_;
  std::int64_t budget_ = 20'000;
};

}  // namespace kw::import
