#include "reference/markdown.hpp"

#include <cctype>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

namespace {

constexpr std::size_t k_width = 100;

}  // namespace

std::string md_text(std::string_view text) {
  std::string result;
  bool code = false;
  for (const char c : text) {
    code = c == '`' ? !code : code;
    if (!code && (c == '*' || c == '<' || c == '[' || c == ']' || c == '\\')) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string md_code(std::string_view text) { return text.empty() ? "`\"\"`" : cat('`', text, '`'); }

std::string md_paragraph(std::string_view first, const std::string& text, std::size_t indent) {
  std::string result(first);
  std::size_t column = first.size();
  bool begins = true;
  for (const std::string& word : util::split(util::replace_all(text, "\n", " "), ' ')) {
    if (word.empty()) {
      continue;
    }
    if (!begins && column + 1 + word.size() > k_width) {
      result += cat('\n', std::string(indent, ' '), word);
      column = indent + word.size();
    } else {
      result += cat(begins ? "" : " ", word);
      column += word.size() + (begins ? 0 : 1);
    }
    begins = false;
  }
  return result + '\n';
}

std::string md_paragraphs(std::string_view text) {
  std::string result;
  for (const std::string& each :
       util::split(util::replace_all(std::string(text), "\n\n", "\f"), '\f')) {
    if (util::trim(each).empty()) {
      continue;
    }
    result += each.starts_with("    ") ? cat('\n', each, '\n')
                                       : cat('\n', md_paragraph("", md_text(each)));
  }
  return result;
}

std::string md_sentence(std::string_view text) {
  std::string sentence(text);
  if (!sentence.empty()) {
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    sentence += sentence.ends_with('.') ? "" : ".";
  }
  return sentence;
}

std::string md_head(std::string_view title, std::string_view source) {
  return cat("<!-- Generated from ", source, ". The test unit.reference renews it. -->\n# ", title,
             '\n');
}

Page md_index(const std::string& folder, const std::string& text,
              const std::vector<std::string>& entries) {
  std::string page = text + "\n```{toctree}\n:maxdepth: 1\n\n";
  for (const std::string& entry : entries) {
    page += entry + '\n';
  }
  return {folder + "/index.md", page + "```\n"};
}

}  // namespace kubist::cli
