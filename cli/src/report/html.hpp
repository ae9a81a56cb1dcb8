#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Pieces of the page that --report html makes. All text in them is escaped: it comes from others.
namespace kubist::cli {

/// <NAME class="CLASSES">TEXT</NAME>; nothing where there is no text.
std::string html_element(std::string_view name, std::string_view classes, std::string_view text);
/// The same of sentences with code in backticks.
std::string html_prose(std::string_view classes, std::string_view sentences);
/// What one clicks to see `body`, which is HTML, as `summary` is.
std::string html_details(std::string_view classes, std::string_view summary, std::string_view body);
/// A part of the page under a heading; nothing where there is no body.
std::string html_section(std::string_view heading, std::string_view body);
/// A unified diff with its lines coloured.
std::string html_diff(std::string_view diff);

/// With two digits behind the point, as SVG reads it.
std::string html_number(double value);

/// The whole page: it loads nothing, and its policy lets it load nothing and run nothing.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace kubist::cli
