// Interprets a host function with names in place of unknown numbers; used by host_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "import/host_program.h"

namespace kw::import {

/// Whether both values, or both steps, mean the same, regardless of the place in the source.
bool is_same_value(const Value& a, const Value& b);
bool is_same_step(const Step& a, const Step& b);

class HostReader {
 public:
  HostReader(const ForeignSource& source, const std::vector<Item>& items, const TypeNames& types)
      : source_(source), items_(items), types_(types) {}

  HostProgram run(const Item& function);

 private:
  using Token = lex::Token;
  using Tokens = std::vector<Token>;
  /// Where control goes after a statement; Fail: the program ends by an exception, exit() or the
  /// like.
  enum class Flow { Next, Return, Break, Continue, Fail };

  struct Variable {
    Value value;
    std::string type;
    int stars = 0;
    bool is_const = false;
    /// Whether a pointer or reference to the variable is kept somewhere, through which the variable
    /// may change.
    bool is_exposed = false;
    Value extent;  ///< Arrays: the number of elements.
    /// References: the scope and the name of the variable to which the reference is bound.
    std::optional<std::pair<std::size_t, std::string>> alias;

    Variable() = default;
    Variable(Value value_, std::string type_, int stars_)
        : value(std::move(value_)), type(std::move(type_)), stars(stars_) {}
  };
  /// Innermost scope last. The first scope holds the file's global variables that may change.
  using Scopes = std::vector<std::map<std::string, Variable>>;

  /// A type found in the text; `end` is the index of the token after it, or 0 if no type was found.
  struct TypeAt {
    std::string type;
    int stars = 0;
    bool is_const = false;
    std::size_t end = 0;
    bool is_static = false;
    bool is_reference = false;
  };

  // These functions follow statements; they are in host_reader.cc, host_branches.cc and
  // host_loops.cc.
  void drop_repeats();
  void add_file_variables();
  /// Adds a step, if the function is certain to reach it; else reports that it is not.
  void push(Step step);
  void check_memory();
  void check_text(const Item& function);
  void check_macro(const std::string& name, std::size_t offset, int depth);
  void bind_parameters(const Item& function);
  Flow block(std::size_t begin, std::size_t end);
  Flow statement(std::size_t& i, std::size_t end);
  Flow plain_statement(std::size_t begin, std::size_t end);
  bool declaration(std::size_t begin, std::size_t end);
  std::size_t declarator(const TypeAt& base, std::size_t name, std::size_t end);
  Value array_of(const TypeAt& type, const std::string& name, Value value, const Value& extent,
                 int dimensions);
  void declare(const std::string& name, const TypeAt& type, Value value);
  Flow if_statement(std::size_t& i, std::size_t end);
  Flow branch_on(const Value& condition, std::size_t keyword, std::size_t yes, std::size_t yes_end,
                 std::size_t no, std::size_t no_end);
  void merge(const Value& condition, const Scopes& yes, const Scopes& no);
  /// Makes `scopes` the current state, with every variable unknown that has another value in
  /// `other`.
  void forget_changes(const Scopes& scopes, const Scopes& other, std::size_t offset,
                      std::string_view why);
  Value merged_result();
  Value merged(const Value& condition, const Value& yes, const Value& no) const;
  Flow branch_on_unknown(const Value& condition, std::size_t keyword, std::size_t yes,
                         std::size_t yes_end, std::size_t no, std::size_t no_end);
  void guard_against(const Size& condition, std::size_t offset);
  Value path_with(const Value& condition) const;
  void require(const Value& condition, std::size_t offset);
  void leap_from(Flow flow, std::size_t offset);
  void close_branches(int down_to);
  Flow loop(std::size_t keyword, std::size_t header, std::size_t body, std::size_t body_end);
  struct Counted;
  std::optional<Counted> counted_loop(std::size_t open, std::size_t close);
  bool turns_by_number(std::size_t open, std::size_t close, std::size_t body, std::size_t end,
                       Flow& flow);
  bool turns_of_list(std::size_t open, std::size_t close, std::size_t body, std::size_t end,
                     Flow& flow);
  void start_loop(std::size_t open, std::size_t close);
  Flow do_statement(std::size_t& i, std::size_t end);
  void symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                     std::size_t end);
  Flow switch_statement(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                        std::size_t end);
  std::size_t statement_end(std::size_t i, std::size_t end, int depth = 0) const;
  bool is_nameable(const std::string& name, const Size& size) const;
  void note_result(const Value& value);
  std::vector<std::pair<std::size_t, std::size_t>> parts_between(std::size_t begin, std::size_t end,
                                                                 std::string_view sign) const;

  // Defined in host_effects.cc: the names of variables that the tokens may write, by an assignment,
  // ++ or --, by taking an address, or by a call.
  std::set<std::string> names_written(std::size_t begin, std::size_t end) const;
  std::pair<std::size_t, std::size_t> written_by(std::size_t sign, std::size_t begin,
                                                 std::size_t end) const;
  bool is_write(std::size_t i) const;
  bool has_effects(std::size_t begin, std::size_t end) const;
  /// Whether the tokens may launch kernels or use device memory, directly or through calls.
  bool may_work(const Tokens& tokens, std::size_t begin, std::size_t end, int depth = 0) const;
  void forget(const std::string& name, std::size_t offset, std::string_view why);
  void forget_exposed(std::size_t offset);
  void forget_written(std::size_t begin, std::size_t end, std::size_t offset, std::string_view why);
  void forget_arguments(std::size_t begin, std::size_t end, const std::vector<Value>& values,
                        const std::string& name);
  void expose(const Value& value);
  void forget_unfollowed(std::size_t begin, std::size_t end);
  void mark_followed(std::size_t begin, std::size_t end);

  // These functions evaluate expressions; they are in host_expressions.cc, host_places.cc and
  // host_names.cc.
  Value evaluate(std::size_t begin, std::size_t end);
  Value assignment();
  bool assign_here(Value& result);
  void assign(std::size_t begin, std::size_t end, Value value, std::size_t sign);
  Value* part_of(Value& object, std::size_t& i, std::size_t end);
  Value conditional();
  /// Evaluates an operand that may not be reached (of &&, || or ?:), and merges the states with and
  /// without it.
  Value only_if(const Value& condition, bool wanted, const std::function<Value()>& part);
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
  std::optional<std::pair<std::size_t, std::string>> locate(const std::string& name) const;
  TypeAt type_at(std::size_t i, std::size_t end) const;
  Value cast(const TypeAt& type, Value value, std::size_t offset);
  Value cast_number(const std::string& type, const Value& value, std::size_t offset);
  Value cast_expression(std::string_view word);
  std::vector<Value> arguments(std::vector<std::size_t>* places = nullptr);

  // These functions interpret calls; they are in host_calls.cc and host_launches.cc.
  Value call(const std::string& name, const std::vector<std::string>& templates,
             std::size_t offset);
  Value call_lambda(const Value& lambda, const std::vector<Value>& values, std::size_t open,
                    std::size_t offset);
  Value swap();
  /// Interprets the body of a function or lambda whose parameters are in scope, and returns its
  /// result.
  Value run_body(const Tokens& tokens, std::size_t begin, std::size_t end, bool* is_certain);
  Value default_of(const FunctionParameter& parameter);
  Variable* variable_of(const Value& reference);
  bool is_harmless(const std::string& name) const;
  std::optional<Value> call_runtime(const std::string& name, std::vector<Value>& values,
                                    std::size_t offset);
  std::optional<Value> call_arithmetic(const std::string& name, const std::vector<Value>& values);
  std::optional<Value> call_torch(const std::string& name, const std::vector<Value>& values,
                                  std::size_t offset);
  std::optional<Value> call_own(const std::string& name, const std::vector<std::string>& templates,
                                const std::vector<Value>& values, std::size_t open,
                                std::size_t offset);
  /// The scope and name of the variable that is passed as argument `index`; nothing if the argument
  /// is no variable.
  std::optional<std::pair<std::size_t, std::string>> place_of_argument(std::size_t open,
                                                                       std::size_t index);
  void bind_templates(const Item& function, const std::vector<std::string>& templates,
                      const std::vector<Value>& values, Scopes& scopes);
  Value call_method(const Value& object, const std::string& name, std::size_t offset);
  void allocate(const Value& target, const Value& bytes, std::size_t offset);
  void clear(const Value& target, const Value& value, const Value& bytes, std::size_t offset);
  void copy(const Value& target, const Value& from, const Value& bytes, const Value& kind,
            std::size_t offset);
  void upload(const Value& target, const Value& from, const Value& bytes, std::size_t offset);
  void download(const Value& target, const Value& from, const Value& bytes, std::size_t offset);
  void use_stream(const Value& stream, std::size_t offset);
  Buffer& buffer_of(const Value& value) {
    return out_.buffers[static_cast<std::size_t>(value.buffer)];
  }
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

  // Small helpers that all host_*.cc files use.
  const Token& at(std::size_t i) const { return i < tokens_->size() ? (*tokens_)[i] : nothing_; }
  std::size_t closing(std::size_t open) const;
  std::size_t place(std::size_t i) const;
  void miss(std::size_t offset, std::string text);
  void note(std::size_t offset, std::string text);
  Value unknown(std::size_t offset, std::string why) const;
  /// The number that decides a branch or a loop; nothing if the value is not a known number. A
  /// named constant of main() gives nothing, since it may be a size of the task.
  std::optional<std::int64_t> decided(const Value& value) const;
  /// The value converted to a condition: 1 for memory that exists, 0 for a null pointer and for the
  /// status "success".
  Value truth(const Value& value) const;
  Value* referred(const Value& reference);
  static Value integer(const Size& size);
  static Value real(const Size& size);
  static Value text(std::string word);
  /// Takes one unit from the budget of work. False once more was spent than any real program needs.
  bool spend();

  const ForeignSource& source_;
  const std::vector<Item>& items_;
  TypeNames types_;
  HostProgram out_;
  Token nothing_{};
  /// The tokens of the function that is being interpreted, with macros replaced.
  const Tokens* tokens_ = nullptr;
  std::size_t at_ = 0;  ///< The current token of the expression that is being evaluated.
  std::size_t end_ = 0;
  Scopes scopes_;
  std::map<const Item*, Tokens> bodies_;
  std::map<std::size_t, Tokens> defaults_;  ///< Default arguments, by their first token.
  /// Write operators that were interpreted exactly, so that their operands need not become unknown.
  std::set<std::pair<const Tokens*, std::size_t>> followed_;
  std::map<std::string, Value> globals_;
  std::map<const Macro*, Tokens> macro_bodies_;
  std::set<std::string> resolving_;
  std::vector<const Item*> callers_;
  /// Tokens and scopes of the functions around the current one, whose variables a lambda may read.
  std::vector<std::pair<const Tokens*, Scopes*>> frames_;
  Value result_;  ///< The value that the last function returned.
  /// Pairs of condition and value: what the current function returned under conditions so far.
  std::vector<std::pair<Value, Value>> returned_;
  std::vector<Value> path_;  ///< The undecided conditions around the current statement.
  /// Why it is unknown whether the current function reaches this statement.
  std::optional<Remark> doubt_;
  /// How many undecided branches and loops are around the current statement, in all functions.
  int inside_ = 0;
  std::string stream_;  ///< The stream on which the last work was queued.
  int depth_ = 0;
  int open_branches_ = 0;  ///< The number of `else` branches that go on to the end of the function.
  /// A `break` or `continue` of the current loop under an undecided condition.
  std::optional<Remark> leap_;
  std::vector<Scopes> leaps_;  ///< The scopes at each `break` or `continue` of the loop.
  std::int64_t budget_ = 20'000;
};

}  // namespace kw::import
