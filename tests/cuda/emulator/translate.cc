// Translates CUDA source text to C++ text.
// SPDX-License-Identifier: Apache-2.0
#include "translate.h"

#include <cctype>
#include <regex>
#include <set>
#include <sstream>

namespace kw_emulated {
namespace {

// Position after the bracket that closes the bracket at `open`; brackets in strings are skipped.
std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i)
        if (text[i] == '\\') ++i;
    } else if (text[i] == '(' || text[i] == '[' || text[i] == '{') {
      ++depth;
    } else if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::string without_comments(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      out += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      for (std::size_t k = i; k < std::min(end, text.size()); ++k)
        if (text[k] == '\n') out += '\n';
      i = end == std::string::npos ? text.size() : end + 1;
      out += ' ';
    } else if (text[i] == '"') {
      const std::size_t from = i;
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
      out += text.substr(from, i - from + 1);
    } else {
      out += text[i];
    }
  }
  return out;
}

// Replaces every include by the file's text between guards, so that the preprocessor decides which
// branches are active. `within` are the files that are being read.
std::string with_includes(const std::string& text, const ReadFile& read,
                          const std::set<std::string>& within) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*$)re");
  std::istringstream lines(text);
  std::string out, line;
  while (std::getline(lines, line)) {
    std::smatch match;
    std::string inner;
    if (std::regex_match(line, match, include)) inner = read(match[1]);
    if (inner.empty()) {
      out += line + '\n';
      continue;
    }
    std::set<std::string> now = within;
    const std::string path = match[1], name = path.substr(path.rfind('/') + 1);
    if (!now.insert(name).second) continue;
    const std::string guard = "KW_HAS_" + std::regex_replace(name, std::regex("\\W"), "_");
    out += "#ifndef " + guard + "\n#define " + guard + "\n" +
           with_includes(without_comments(inner), read, now) + "#endif\n";
  }
  return out;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '(' || text[i] == '[' || text[i] == '{') {
      std::size_t end = i + 1;
      if (text[i] == '"') {
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        ++end;
      } else {
        end = behind_bracket(text, i);
      }
      parts.back() += text.substr(i, end - i);
      i = end - 1;
    } else if (text[i] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

// The characters of adjacent string literals, with runs of blanks reduced to one.
std::string template_of(const std::string& literals) {
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (literals[i] == '"')
      inside = !inside;
    else if (inside && literals[i] == '\\')
      ++i, text += ' ';
    else if (inside)
      text += literals[i];
  }
  static const std::regex blanks(R"(\s+)");
  text = std::regex_replace(text, blanks, " ");
  while (!text.empty() && (text.front() == ' ')) text.erase(0, 1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  return text;
}

struct Rule {
  const char* pattern;
  const char* code;  // %n stands for operand n, $n for group n
};

// Rules for PTX instructions. A PTX type such as .f32 becomes KW_f32, see type_names below.
constexpr Rule kRules[] = {
    {R"(mov\.u64 %0, %%?(globaltimer|clock64))", "%0 = kw_emulated::calls->global_timer()"},
    {R"(mov\.u32 %0, %%?laneid)", "%0 = kw_emulated::self->lane"},
    {R"(mov\.u32 %0, %%?smid)", "%0 = 0"},
    {R"(createpolicy\.\S+ %0(, \S+)*)", "%0 = 0"},
    {R"(prefetchu?\.\S+ \[%\d\])", ""},
    {R"(griddepcontrol\.(wait|launch_dependents))", ""},
    {R"(trap)", "__trap()"},
    {R"((membar|fence)\.\S+)", "__threadfence()"},
    {R"(bar(rier)?\.sync (\d+), (\d+))",
     "kw_emulated::calls->sync_block(*kw_emulated::self, $2, $3)"},
    {R"(bar(rier)?\.sync %0, %1)", "kw_emulated::calls->sync_block(*kw_emulated::self, %0, %1)"},
    {R"(fma\.rn\.(f32|f64) %0, %1, %2, %0)", "%0 = fma((KW_$1)%1, %2, %0)"},
    {R"(fma\.rn\.(f32|f64) %0, %0, %1, %2)", "%0 = fma((KW_$1)%0, %1, %2)"},
    {R"(fma\.rn\.(f32|f64) %0, %1, %2, %3)", "%0 = fma((KW_$1)%1, %2, %3)"},
    {R"(ld\.(volatile|relaxed|acquire)?\.?(gpu|sys)?\.?(global)?(\.[a-zA-Z0-9_:]+)*\.([fubs]\d+) %0, \[%1\](, %2)?)",
     "%0 = *(const volatile KW_$5*)(%1)"},
    {R"(st\.(volatile|relaxed|release)?\.?(gpu|sys)?\.?(global)?(\.[a-zA-Z0-9_:]+)*\.([fubs]\d+) \[%0\], %1)",
     "(__threadfence(), *(volatile KW_$5*)(%0) = %1)"},
    {R"(ld\.global(\.[a-zA-Z0-9_:]+)*\.v4\.([fubs]\d+) \{%0, ?%1, ?%2, ?%3\}, \[%4\](, %5)?)",
     "(%0 = ((const KW_$2*)(%4))[0], %1 = ((const KW_$2*)(%4))[1], %2 = ((const KW_$2*)(%4))[2], "
     "%3 = ((const KW_$2*)(%4))[3])"},
    {R"(st\.global(\.[a-zA-Z0-9_:]+)*\.v4\.([fubs]\d+) \[%0\], \{%1, ?%2, ?%3, ?%4\})",
     "(((KW_$2*)(%0))[0] = %1, ((KW_$2*)(%0))[1] = %2, ((KW_$2*)(%0))[2] = %3, ((KW_$2*)(%0))[3] = "
     "%4)"},
    {R"(ld\.shared\.v4\.([fubs]\d+) \{%0, ?%1, ?%2, ?%3\}, \[%4\])",
     "kw_emulated::load_quad((const KW_$1*)kw_emulated::shared_at(%4), %0, %1, %2, %3)"},
    {R"(st\.shared\.v4\.([fubs]\d+) \[%0\], \{%1, ?%2, ?%3, ?%4\})",
     "kw_emulated::store_quad((KW_$1*)kw_emulated::shared_at(%0), %1, %2, %3, %4)"},
    {R"(fma\.rn\.f16x2 %0, %0, %1, %2)", "%0 = kw_emulated::fma_pair(%0, %1, %2)"},
    {R"(red\.(\S+\.)?global\.(\S+\.)?add\.([fus]\d+) \[%0\], %1)",
     "(void)atomicAdd((KW_$3*)(%0), %1)"},
    {R"(cp\.async\.c[ag]\.shared\.global(\.[a-zA-Z0-9_:]+)* \[%0\], \[%1\], (\d+))",
     "memcpy(kw_emulated::shared_at(%0), (const void*)(%1), $2)"},
    {R"(cp\.async\.c[ag]\.shared\.global(\.[a-zA-Z0-9_:]+)* \[%0\], \[%1\], %2)",
     "memcpy(kw_emulated::shared_at(%0), (const void*)(%1), %2)"},
    {R"(cp\.async\.c[ag]\.shared\.global(\.[a-zA-Z0-9_:]+)* \[%0\], \[%1\], (\d+), %2)",
     "kw_emulated::copy_part(%0, (const void*)(%1), $2, %2)"},
    {R"(cp\.async\.c[ag]\.shared\.global(\.[a-zA-Z0-9_:]+)* \[%0\], \[%1\], %2, %3)",
     "kw_emulated::copy_part(%0, (const void*)(%1), %2, %3)"},
    {R"(cp\.async\.(bulk\.)?(commit_group|wait_all|wait_group .*))", ""},
    {R"(cp\.async\.bulk\.global\.shared::cta\.bulk_group \[%0\], \[%1\], (\d+))",
     "memcpy((void*)(%0), kw_emulated::shared_at(%1), $1)"},
    {R"(cvt\.rn\.bf16x2\.f32 %0, %1, %2)", "%0 = kw_emulated::pair_of<kw_emulated::Bf16>(%1, %2)"},
    {R"(cvt\.rn\.f16x2\.f32 %0, %1, %2)", "%0 = kw_emulated::pair_of<kw_emulated::F16>(%1, %2)"},
    {R"(ex2\.approx(\.ftz)?\.f32 %0, %1)", "%0 = exp2f(%1)"},
    {R"(cvt\.f32\.f16 %0, %1)", "%0 = kw_emulated::F16::widened(%1)"},
    {R"(ldmatrix\.sync\.aligned\.m8n8\.x4\.shared\.b16 \{%0, ?%1, ?%2, ?%3\}, \[%4\])",
     "kw_emulated::load_matrices<false>(%0, %1, %2, %3, %4)"},
    {R"(ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared\.b16 \{%0, ?%1, ?%2, ?%3\}, \[%4\])",
     "kw_emulated::load_matrices<true>(%0, %1, %2, %3, %4)"},
    {R"(mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32 \{%0, ?%1, ?%2, ?%3\}, \{%4, ?%5, ?%6, ?%7\}, \{%8, ?%9\}, \{%0, ?%1, ?%2, ?%3\})",
     "kw_emulated::mma_16_8_16<kw_emulated::Bf16>(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)"},
    {R"(mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32 \{%0, ?%1, ?%2, ?%3\}, \{%4, ?%5, ?%6, ?%7\}, \{%8, ?%9\}, \{%0, ?%1, ?%2, ?%3\})",
     "kw_emulated::mma_16_8_16<kw_emulated::F16>(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)"},
    {R"(cvt\.rna\.tf32\.f32 %0, %1)", "%0 = kw_emulated::tf32_of(%1)"},
    {R"(mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.tf32\.tf32\.f32 \{%0, ?%1, ?%2, ?%3\}, \{%4, ?%5, ?%6, ?%7\}, \{%8, ?%9\}, \{%0, ?%1, ?%2, ?%3\})",
     "kw_emulated::mma_16_8_8(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)"},
    // Only kernels that measure ceilings use matrix instructions, and only their time matters, so
    // they do nothing here.
    {R"((mma\.sync|wgmma)\..*)", ""},
    {R"()", ""},
};

std::string operand_of(const std::string& text) {
  const std::size_t open = text.find('(');
  return open == std::string::npos ? text : text.substr(open);
}

// Translates the body of one `asm volatile(...)` to an expression.
std::string assembly(const std::string& body) {
  const auto sections = parts_of(body, ':');
  std::vector<std::string> operands;
  for (std::size_t s = 1; s < sections.size() && s < 3; ++s)
    for (const std::string& operand : parts_of(sections[s], ','))
      if (operand.find('"') != std::string::npos) operands.push_back(operand_of(operand));
  const std::string wanted = template_of(sections[0]);
  for (const Rule& rule : kRules) {
    std::smatch match;
    if (!std::regex_match(wanted, match, std::regex(rule.pattern))) continue;
    std::string code;
    for (const char* c = rule.code; *c != 0; ++c) {
      if ((*c != '%' && *c != '$') || !std::isdigit(static_cast<unsigned char>(c[1]))) {
        code += *c;
        continue;
      }
      const auto n = static_cast<std::size_t>(c[1] - '0');
      if (*c == '$')
        code += match[n].str();
      else if (n < operands.size())
        code += operands[n];
      ++c;
    }
    return code.empty() ? "((void)0)" : "(" + code + ")";
  }
  return "kw_emulated::not_taught()";
}

std::string without_assembly(const std::string& text) {
  static const std::regex keyword(R"(\b(asm|__asm__|__asm)\b\s*(volatile|__volatile__)?\s*\()");
  std::string out;
  auto from = text.begin();
  std::smatch match;
  while (std::regex_search(from, text.end(), match, keyword)) {
    out.append(from, match[0].first);
    const auto open = static_cast<std::size_t>(match[0].second - text.begin()) - 1;
    const std::size_t end = behind_bracket(text, open);
    out += assembly(text.substr(open + 1, end - open - 2));
    from = text.begin() + static_cast<std::ptrdiff_t>(end);
  }
  return out.append(from, text.end());
}

std::string with_dynamic_shared(const std::string& text) {
  static const std::regex array(
      R"(extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?([A-Za-z_][\w:<> ]*?)\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(
      text, array, "\n#undef $2\n#define $2 (reinterpret_cast<$1*>(kw_emulated::self->shared))\n");
}

// Finds the template instances whose addresses the text takes: kw_name_0 = &gemm<64>;
std::vector<std::string> instances(const std::string& text) {
  static const std::regex line(R"(static auto\* kw_name_\d+ = &([^;]+);)");
  std::vector<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i)
    names.push_back((*i)[1]);
  return names;
}

}  // namespace

std::string translate(const std::string& source, const std::vector<std::string>& named,
                      const ReadFile& read) {
  std::string text = with_includes(without_comments(source), read, {});
  text = with_dynamic_shared(without_assembly(text));
  std::set<std::string> kernels(named.begin(), named.end());
  for (const std::string& name : instances(text)) kernels.insert(name);
  text += "\nnamespace {\n";
  int n = 0;
  for (const std::string& kernel : kernels)
    text += "const kw_emulated::Listed<&" + kernel + "> kw_listed_" + std::to_string(n++) + "(\"" +
            std::regex_replace(kernel, std::regex("\""), "\\\"") + "\");\n";
  text +=
      "}\nextern \"C\" __attribute__((visibility(\"default\"))) kw_emulated::Exports "
      "kw_emulated_exports() {\n  return {kw_emulated::kernels, &kw_emulated::bind_calls, "
      "&kw_emulated::find_self};\n}\n";
  return text;
}

}  // namespace kw_emulated
