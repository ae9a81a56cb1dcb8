#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kubist::cli {

// What the generated pages of the reference are written with: MyST and CommonMark alike.

/// One page, its path below docs/reference.
struct Page {
  std::string path, text;
};

/// Text for people as Markdown: what has a meaning there is escaped; code in backticks stays.
std::string md_text(std::string_view text);
/// A word as code.
std::string md_code(std::string_view text);
/// One paragraph, wrapped at the width of the documents. Lines after the first begin with `indent`
/// spaces; `first` stands before it all.
std::string md_paragraph(std::string_view first, const std::string& text, std::size_t indent = 0);
/// The paragraphs of a text, parted by empty lines; those that are indented are code.
std::string md_paragraphs(std::string_view text);
/// "Sentence." of "sentence", as flags' help is written.
std::string md_sentence(std::string_view text);
/// What stands first on each page, with its title; whoever edits it reads where it comes from.
std::string md_head(std::string_view title, std::string_view source);
/// The page of a folder, which lists the others of it.
Page md_index(const std::string& folder, const std::string& text,
              const std::vector<std::string>& entries);

}  // namespace kubist::cli
