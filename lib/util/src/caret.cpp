#include <kubist/util/caret.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {

tl::unexpected<Error> caret_error(std::string_view what, std::string_view text, std::size_t at,
                                  std::string_view why) {
  constexpr std::size_t k_shown = 60;
  const std::size_t line_start =
      at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0: the first line
  const std::size_t from = at - line_start > k_shown ? at - k_shown : line_start;
  std::string_view line = text.substr(from, 2 * k_shown);
  line = line.substr(0, line.find('\n'));
  const std::string before = printable(text.substr(from, at - from));
  return fail(ErrorKind::invalid,
              cat("the ", what, " does not parse at column ", at + 1, ": ", why, "\n  ",
                  printable(line), "\n  ", std::string(display_width(before), ' '), '^'));
}

Result<> check_length(std::string_view what, std::string_view text, std::size_t max) {
  if (text.size() > max) {
    return fail(ErrorKind::invalid,
                cat("the ", what, " has ", text.size(), " characters, at most ", max, " are read"));
  }
  return {};
}

}  // namespace kubist::util
