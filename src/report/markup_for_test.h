// A strict parser for the HTML of report pages: every element must be closed, every attribute
// quoted, and every '&' the start of an entity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::report {

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;

  /// Whether the element is a <span> whose only attribute is a class that colours code.
  bool is_colour() const {
    static constexpr std::string_view kClasses[] = {"tc", "td", "tk", "tt", "ts", "tn"};
    return name == "span" && attributes.size() == 1 && attributes[0].first == "class" &&
           std::ranges::find(kClasses, attributes[0].second) != std::end(kClasses);
  }
};

struct Markup {
  std::string trouble;            ///< What is wrong with the page; empty: the page is well-formed.
  std::vector<Element> elements;  ///< Elements in the order of their start tags.
  std::string text;               ///< Text outside tags; entities are not decoded.
  std::string style;              ///< Content of <style>.
  std::string script;             ///< Content of <script>.

  /// The names of all elements and their attributes, without text: equal for pages of equal
  /// structure. Spans that colour code are left out, because they depend on the text.
  std::string skeleton() const {
    std::string names;
    for (const Element& e : elements) {
      if (e.is_colour()) continue;
      names += e.name;
      for (const auto& [attribute, value] : e.attributes) names += " " + attribute;
      names += "\n";
    }
    return names;
  }
};

class MarkupReader {
 public:
  explicit MarkupReader(std::string_view html) : rest_(html) {}

  Markup read() {
    constexpr std::string_view kDoctype = "<!doctype html>";
    if (!rest_.starts_with(kDoctype)) return failed("no doctype");
    rest_.remove_prefix(kDoctype.size());
    while (!rest_.empty() && markup_.trouble.empty())
      if (rest_.front() == '<')
        read_tag();
      else
        read_text();
    if (markup_.trouble.empty() && !open_.empty()) failed("never closed: " + open_.back());
    return std::move(markup_);
  }

 private:
  Markup& failed(std::string trouble) {
    markup_.trouble = std::move(trouble) + " before: " + std::string(rest_.substr(0, 60));
    return markup_;
  }

  static bool is_escaped(std::string_view text) {
    if (text.find('<') != std::string_view::npos) return false;
    for (std::size_t at = text.find('&'); at != std::string_view::npos;
         at = text.find('&', at + 1)) {
      const auto tail = text.substr(at);
      const bool is_known = tail.starts_with("&lt;") || tail.starts_with("&gt;") ||
                            tail.starts_with("&amp;") || tail.starts_with("&quot;") ||
                            tail.starts_with("&#39;");
      if (!is_known) return false;
    }
    return true;
  }

  void read_text() {
    const std::string_view text = rest_.substr(0, rest_.find('<'));
    if (!is_escaped(text)) return void(failed("a bare '&'"));
    markup_.text += text;
    rest_.remove_prefix(text.size());
  }

  void read_tag() {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) return void(failed("a tag without end"));
    std::string_view tag = rest_.substr(1, end - 1);
    if (tag.starts_with('/')) {
      if (open_.empty() || open_.back() != tag.substr(1)) return void(failed("a stray end tag"));
      open_.pop_back();
      rest_.remove_prefix(end + 1);
      return;
    }
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    Element element;
    element.name = word(tag);
    if (element.name.empty()) return void(failed("no element"));
    if (!read_attributes(tag, element)) return void(failed("a wrong attribute"));
    rest_.remove_prefix(end + 1);
    if (!is_empty) open_.push_back(element.name);
    markup_.elements.push_back(element);
    if (element.name == "style" && !is_empty) read_raw(markup_.style);
    if (element.name == "script" && !is_empty) read_raw(markup_.script);
  }

  /// Reads the content of <style> or <script>, in which a browser expects no markup, up to the end
  /// tag.
  void read_raw(std::string& text) {
    const std::size_t end = rest_.find("</");
    if (end == std::string_view::npos) return void(failed("raw text without end"));
    text += rest_.substr(0, end);
    rest_.remove_prefix(end);
  }

  static std::string word(std::string_view& tag) {
    std::size_t n = 0;
    while (n < tag.size() && (std::isalnum(static_cast<unsigned char>(tag[n])) || tag[n] == '-'))
      ++n;
    std::string name(tag.substr(0, n));
    tag.remove_prefix(n);
    return name;
  }

  bool read_attributes(std::string_view tag, Element& element) {
    while (!tag.empty()) {
      if (tag.front() != ' ') return false;
      tag.remove_prefix(1);
      std::string name = word(tag);
      if (name.empty() || !tag.starts_with("=\"")) return false;
      const std::size_t end = tag.find('"', 2);
      if (end == std::string_view::npos) return false;
      const std::string_view value = tag.substr(2, end - 2);
      if (!is_escaped(value)) return false;
      element.attributes.emplace_back(std::move(name), value);
      tag.remove_prefix(end + 1);
    }
    return true;
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  Markup markup_;
};

}  // namespace kw::report
