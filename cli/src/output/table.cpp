#include "table.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

constexpr std::size_t k_held_bytes = std::size_t{4} << 20U;

/// Of a cell, in code points: colours (ESC [ ... m) take no place.
std::size_t width_of(std::string_view cell) {
  std::size_t width = 0;
  for (std::size_t escape = cell.find('\x1b'); escape != cell.npos; escape = cell.find('\x1b')) {
    width += util::code_points(cell.substr(0, escape));
    const std::size_t end = cell.find('m', escape);
    cell.remove_prefix(end == cell.npos ? cell.size() : end + 1);
  }
  return width + util::code_points(cell);
}

}  // namespace

void TableWriter::row(const std::vector<std::string_view>& cells) {
  const bool broken = std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return cell.find_first_of("\n\t") != std::string_view::npos;
  });
  broken ? add_broken(cells) : add(cells);
}

void TableWriter::add_broken(const std::vector<std::string_view>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += i == 0 ? "" : "\t";
    text += cells[i];
  }
  for (const std::string& line : util::split(text, '\n')) {
    const std::vector<std::string> pieces = util::split(line, '\t');
    add({pieces.begin(), pieces.end()});
  }
}

void TableWriter::add(const std::vector<std::string_view>& cells) {
  m_used = true;
  m_rows.push_back({m_text.size(), m_cells.size(), cells.size()});
  for (const std::string_view cell : cells) {
    m_cells.push_back(
        {static_cast<std::uint32_t>(cell.size()), static_cast<std::uint32_t>(width_of(cell))});
    m_text += cell;
  }
  if (cells.size() == 1 || (m_style.remember_widths && m_text.size() > k_held_bytes)) {
    flush();
  }
}

void TableWriter::flush() {
  m_widths.clear();
  format(0, m_rows.size());
  m_text.clear();
  m_cells.clear();
  m_rows.clear();
}

void TableWriter::forget_widths() {
  flush();
  m_remembered.clear();
}

// The algorithm of Go's text/tabwriter: neighbouring rows that have the column form a block, whose
// width is settled before the columns to its right are.
void TableWriter::format(std::size_t begin, std::size_t end) {
  const std::size_t column = m_widths.size();
  const auto has_column = [&](std::size_t row) { return column + 1 < m_rows[row].count; };
  for (std::size_t row = begin; row < end; ++row) {
    if (!has_column(row)) {
      continue;
    }
    write_rows(begin, row);
    begin = row;
    while (row < end && has_column(row)) {
      ++row;
    }
    m_widths.push_back(column_width(begin, row, column));
    format(begin, row);
    m_widths.pop_back();
    begin = row;
  }
  write_rows(begin, end);
}

std::size_t TableWriter::column_width(std::size_t begin, std::size_t end, std::size_t column) {
  std::size_t width = m_style.min_width;
  for (std::size_t row = begin; row < end; ++row) {
    width = std::max(width, m_cells[m_rows[row].cells + column].width + m_style.padding);
  }
  if (m_style.remember_widths) {
    if (m_remembered.size() <= column) {
      m_remembered.resize(column + 1);
    }
    width = std::max(width, m_remembered[column]);
    m_remembered[column] = width;
  }
  return width;
}

void TableWriter::write_rows(std::size_t begin, std::size_t end) {
  std::string line;
  for (std::size_t row = begin; row < end; ++row) {
    line.clear();
    std::size_t text = m_rows[row].text;
    for (std::size_t i = 0; i < m_rows[row].count; ++i) {
      const Cell& cell = m_cells[m_rows[row].cells + i];
      line.append(m_text, text, cell.size);
      text += cell.size;
      if (i < m_widths.size() && m_widths[i] > cell.width) {
        line.append(m_widths[i] - cell.width, ' ');
      }
    }
    line += '\n';
    m_out.write(line);
  }
}

void print_table(Sink& out, const Table& table, bool no_headers) {
  if (table.rows.empty()) {
    return;
  }
  TableWriter writer(out);
  const auto add = [&](const std::vector<std::string>& cells) {
    writer.row({cells.begin(), cells.end()});
  };
  if (!no_headers) {
    add(table.header);
  }
  for (const std::vector<std::string>& row : table.rows) {
    add(row);
  }
}

}  // namespace kubist::cli
