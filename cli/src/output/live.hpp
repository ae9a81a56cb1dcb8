#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <kubist/cli/sink.hpp>

#include "terminal/picture.hpp"

namespace kubist::cli {

/// A text that changes while somebody looks. On a terminal each takes the place of the one before;
/// elsewhere each that differs from it is printed. One thread.
class Live {
 public:
  /// `columns` tells the width of the terminal; empty: it is none.
  Live(Sink& out, std::function<std::size_t()> columns)
      : m_out(out), m_picture(out), m_columns(std::move(columns)) {}
  /// Lines, each with its end. On a terminal lines longer than it is wide are cut.
  void show(std::string_view text);

 private:
  Sink& m_out;
  Picture m_picture;
  std::function<std::size_t()> m_columns;
  std::string m_shown;
};

/// The width of the terminal behind standard output; 80 where it does not say.
std::size_t terminal_columns();

}  // namespace kubist::cli
