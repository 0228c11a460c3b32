// Builds the tree from yaml-cpp's events, so that limits are checked before anything is stored.
// SPDX-License-Identifier: Apache-2.0
#include "task/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "base/characters.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxDepth = 16;

/// The exception by which the event handler stops yaml-cpp; caught in parse_yaml.
struct Refused {
  Position place;
  std::string about;
  std::string message;
};

Position position_of(const YAML::Mark& mark) {
  // yaml-cpp gives errors without a place a mark with line and column -1.
  if (mark.line < 0 || mark.column < 0) return {};
  return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  Yaml take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    open(mark, "?", anchor, Yaml::Kind::Null);
    close();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{position_of(mark), "alias",
                  "YAML aliases (*name) are not supported; repeat the value"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Yaml& node = open(mark, tag, anchor, Yaml::Kind::Scalar);
    node.scalar = value;
    node.is_quoted = tag == "!";
    close();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Yaml::Kind::Sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Yaml::Kind::Mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  /// Begins a node, which close() will add to its parent. In a mapping under construction, nodes
  /// are keys and values in turn.
  Yaml& open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             Yaml::Kind kind) {
    const Position place = position_of(mark);
    if (anchor != 0) throw Refused{place, "anchor", "YAML anchors (&name) are not supported"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{place, "tag", "YAML tags (!name) are not supported"};
    if (stack_.size() >= kMaxDepth)
      throw Refused{place, "levels",
                    fmt::format("the YAML text is nested deeper than {} levels", kMaxDepth)};
    Yaml node;
    node.kind = kind;
    node.place = place;
    stack_.push_back(std::move(node));
    return stack_.back();
  }

  void close() {
    Yaml node = std::move(stack_.back());
    stack_.pop_back();
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Yaml& parent = stack_.back();
    if (parent.kind == Yaml::Kind::Sequence) {
      parent.items.push_back(std::move(node));
    } else if (parent.items.empty()) {
      check_key(parent, node);
      parent.items.push_back(std::move(node));
    } else {
      parent.entries.push_back({std::move(parent.items.back()), std::move(node)});
      parent.items.clear();
    }
  }

  static void check_key(const Yaml& mapping, const Yaml& key) {
    if (key.kind != Yaml::Kind::Scalar)
      throw Refused{key.place, "key", "a key of a YAML mapping must be a plain word"};
    if (mapping.find(key.scalar) != nullptr)
      throw Refused{key.place, "twice " + sanitise(key.scalar, 40),
                    fmt::format("duplicate key '{}'", sanitise(key.scalar, 40))};
    // The limit bounds the quadratic search for duplicate keys.
    constexpr std::size_t kMaxKeys = 1000;
    if (mapping.entries.size() >= kMaxKeys)
      throw Refused{key.place, "keys", fmt::format("this mapping has more than {} keys", kMaxKeys)};
  }

  std::vector<Yaml> stack_;
  Yaml root_;
};

}  // namespace

Yaml::Yaml() = default;
Yaml::Yaml(const Yaml&) = default;
Yaml::Yaml(Yaml&&) noexcept = default;
Yaml& Yaml::operator=(const Yaml&) = default;
Yaml& Yaml::operator=(Yaml&&) noexcept = default;
Yaml::~Yaml() = default;

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name.scalar == key) return &value;
  return nullptr;
}

std::string_view name_of(Yaml::Kind kind) {
  switch (kind) {
    case Yaml::Kind::Null:
      return "nothing";
    case Yaml::Kind::Scalar:
      return "a single value";
    case Yaml::Kind::Sequence:
      return "a list";
    case Yaml::Kind::Mapping:
      return "a mapping";
  }
  return "";
}

Result<Yaml> parse_yaml(std::string_view text, std::string_view origin) {
  const auto refuse = [&](Position place, std::string about, std::string message,
                          ErrorCode code = ErrorCode::BadInput) {
    return fail_input(code, About{std::move(about)}, std::move(message),
                      fmt::format("{}:{}:{}", origin, place.line, place.column));
  };
  if (text.size() > kMaxYamlBytes)
    return refuse({}, format_bytes(kMaxYamlBytes),
                  fmt::format("the YAML file has {}; at most {} are read",
                              format_bytes(text.size()), format_bytes(kMaxYamlBytes)),
                  ErrorCode::TooLarge);
  if (const auto binary = find_control(text, "\n\r\t"); binary != std::string_view::npos)
    return refuse(kw::position_of(text, binary), "text file", "the YAML file is not a text file");
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder;
    if (!parser.HandleNextDocument(builder)) return Yaml{};
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      return refuse(second.take().place, "second document",
                    "the file holds a second YAML document; a task file has one");
    return builder.take();
  } catch (const Refused& refused) {
    return refuse(refused.place, refused.about, refused.message);
  } catch (const YAML::Exception& error) {
    return refuse(position_of(error.mark), "syntax", sanitise(error.msg, 200));
  }
}

}  // namespace kw::task
