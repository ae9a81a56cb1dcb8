#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>

namespace kubist::cli {

/// How columns are aligned; the defaults are kubectl's for `get`.
struct TableStyle {
  std::size_t min_width = 6;
  std::size_t padding = 3;
  /// Columns never get narrower from one flush to the next (watches, long listings).
  bool remember_widths = true;
};

/// Aligns rows of cells exactly as kubectl's tabwriter does: a column is as wide as its widest cell
/// (in code points) among neighbouring rows that have it, and the last cell of a row is not padded.
/// Rows wait for flush(), or until some megabytes are held: memory stays bounded.
class TableWriter {
 public:
  explicit TableWriter(Sink& out, TableStyle style = {}) : m_out(out), m_style(style) {}
  ~TableWriter() { flush(); }
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// Newlines and tabs in a cell end the line or the cell, as in Go; the alignment of what came
  /// before is settled at a line of one cell.
  void row(const std::vector<std::string_view>& cells);
  /// A line that is no part of the table but keeps its place among the rows.
  void line(std::string_view text) { row({text}); }
  /// Writes what is held; not Sink::flush().
  void flush();
  /// The next rows are another table.
  void forget_widths();
  /// Has any row been given?
  bool used() const { return m_used; }

 private:
  struct Cell {
    std::uint32_t size;   ///< bytes in m_text
    std::uint32_t width;  ///< code points
  };
  struct Row {
    std::size_t text;   ///< offset in m_text
    std::size_t cells;  ///< offset in m_cells
    std::size_t count;
  };
  void add(const std::vector<std::string_view>& cells);
  void add_broken(const std::vector<std::string_view>& cells);
  void format(std::size_t begin, std::size_t end);
  std::size_t column_width(std::size_t begin, std::size_t end, std::size_t column);
  void write_rows(std::size_t begin, std::size_t end);

  Sink& m_out;
  TableStyle m_style;
  std::string m_text;
  std::vector<Cell> m_cells;
  std::vector<Row> m_rows;
  std::vector<std::size_t> m_widths;      ///< of the columns being formatted
  std::vector<std::size_t> m_remembered;  ///< the widest so far
  bool m_used = false;
};

/// A table as data: what commands with their own columns return and print.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};
/// Prints it as `get` prints tables; nothing where there are no rows.
void print_table(Sink& out, const Table& table, bool no_headers = false);

}  // namespace kubist::cli
