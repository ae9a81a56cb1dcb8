#include <deque>

#include <kubist/data/json_stream.hpp>
#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "object_reader.hpp"

namespace kubist::data {

using util::Result;

namespace {

/// What is more than plain ASCII, or may be a command of CI (util::printable).
bool needs_care(std::string_view text) {
  const auto is_special = [](unsigned char c) { return c < 0x20 || c >= 0x7F || c == '#'; };
  return std::any_of(text.begin(), text.end(), is_special) || text.find("::") != text.npos;
}

/// As kubectl: the first line only, and nothing that drives a terminal.
std::string careful(std::string_view text) {
  const std::size_t end = text.find_first_of("\f\n\r");
  std::string line;
  for (char c : text.substr(0, end)) {
    if (c == '\x1b') {
      line += "^[";
    } else {
      line += c;
    }
  }
  line = util::printable(line);
  return end == text.npos ? line : line + "...";
}

}  // namespace

struct TableReader::Impl {
  od::parser parser;
  ObjectReader objects;
  std::deque<std::string> texts;  ///< of the current row's cells that are no plain strings
  TableRow row;

  simdjson::error_code read_cell(od::value value, std::string_view& cell) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) {
      return error;
    }
    if (type == od::json_type::string) {
      if (const auto error = value.get_string().get(cell)) {
        return error;
      }
      cell = needs_care(cell) ? std::string_view(texts.emplace_back(careful(cell))) : cell;
      return simdjson::SUCCESS;
    }
    if (type == od::json_type::array || type == od::json_type::object) {
      if (const auto error = simdjson::to_json_string(value).get(cell)) {
        return error;
      }
      cell = texts.emplace_back(util::printable(util::trim(cell)));
      return simdjson::SUCCESS;
    }
    cell = util::trim(value.raw_json_token());
    if (type == od::json_type::null) {
      cell = {};  // as kubectl: a column that the object lacks is blank
    } else if (type == od::json_type::number && cell.find_first_of(".eE") != cell.npos) {
      if (const auto number = parse_double(cell)) {
        cell = texts.emplace_back(go_general(*number));
      }
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code read_cells(od::value value) {
    od::array cells;
    if (const auto error = value.get_array().get(cells)) {
      return error;
    }
    for (auto element : cells) {
      od::value cell;
      if (const auto error = element.get(cell)) {
        return error;
      }
      if (const auto error = read_cell(cell, row.cells.emplace_back())) {
        return error;
      }
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code read_row(od::value value) {
    row.cells.clear();
    row.object = {};
    texts.clear();
    return for_each_field(value, [&](std::string_view key, od::value member) {
      od::json_type type{};
      if (key == "cells") {
        return read_cells(member);
      }
      if (key == "object" && !member.type().get(type) && type == od::json_type::object) {
        return objects.read(member, row.object);
      }
      return simdjson::SUCCESS;
    });
  }

  Result<> read_rows(od::value value, ListHead& head, const RowHandler& on_row) {
    return read_elements(
        value, "rows of the table", "a row of the table", [&](od::value element) -> Result<> {
          if (const auto error = read_row(element)) {
            return json_error(error, util::cat("row ", head.items, " of the table"));
          }
          ++head.items;
          return on_row(row);
        });
  }

  static simdjson::error_code read_column(od::value value, TableColumn& column) {
    return for_each_field(value, [&](std::string_view key, od::value member) {
      if (key == "name") {
        column.name = text_of(member);
      } else if (key == "type") {
        column.type = text_of(member);
      } else if (key == "format") {
        column.format = text_of(member);
      } else if (key == "description") {
        column.description = text_of(member);
      } else if (key == "priority") {
        return member.get_int64().get(column.priority);
      }
      return simdjson::SUCCESS;
    });
  }

  static Result<std::vector<TableColumn>> read_columns(od::value value) {
    constexpr std::string_view k_what = "columnDefinitions of the table";
    std::vector<TableColumn> columns;
    KUBIST_CHECK(read_elements(value, k_what, k_what, [&](od::value element) -> Result<> {
      if (const auto error = read_column(element, columns.emplace_back())) {
        return json_error(error, k_what);
      }
      return {};
    }));
    return columns;
  }
};

TableReader::TableReader() : m_impl(std::make_unique<Impl>()) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

void TableReader::select(std::vector<std::string> pointers) {
  m_impl->objects.pointers = std::move(pointers);
}

Result<ListHead> TableReader::read(const PageBuffer& page, const ColumnsHandler& on_columns,
                                   const RowHandler& on_row) {
  od::document document;
  od::object root;
  if (const auto error = open_page(m_impl->parser, page, document, root)) {
    return json_error(error, "the table");
  }
  ListHead head;
  bool has_rows = false;
  const auto on_field = [&](std::string_view key, od::value value) -> Result<> {
    if (key == "columnDefinitions") {
      KUBIST_TRY(const auto columns, Impl::read_columns(value));
      return columns.empty() ? Result<>() : on_columns(columns);
    }
    if (key != "rows") {
      return read_head(key, value, "the table", head);
    }
    has_rows = true;
    return m_impl->read_rows(value, head, on_row);
  };
  KUBIST_CHECK(read_fields(root, "the table", on_field));
  if (!has_rows || head.kind != "Table") {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("the reply is no table (kind ", head.kind, ")"));
  }
  return head;
}

}  // namespace kubist::data
