#include "server_table.hpp"

#include <algorithm>
#include <cctype>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

/// As kubectl writes it: all as long as the longest.
std::string_view event_cell(std::string_view event) {
  return event == "ADDED" ? "ADDED   " : event == "DELETED" ? "DELETED " : event;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string label_list(const data::Json* labels) {
  if (labels == nullptr || !labels->is_object() || labels->empty()) {
    return "<none>";
  }
  std::string text;
  for (const auto& [key, value] : labels->items()) {
    text += util::cat(text.empty() ? "" : ",", key, '=',
                      value.is_string() ? value.get<std::string>() : "");
  }
  return text;
}

bool same_columns(const std::vector<data::TableColumn>& a,
                  const std::vector<data::TableColumn>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.name == right.name && left.priority == right.priority;
                    });
}

}  // namespace

void ServerTable::columns_changed(const std::vector<data::TableColumn>& columns) {
  if (same_columns(columns, m_columns)) {
    return;
  }
  m_columns = columns;
  m_header_due = !m_options.no_headers;
  m_name_column = std::string::npos;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].format == "name" && columns[i].type == "string") {
      m_name_column = i;
      break;
    }
  }
}

util::Result<> ServerTable::print(const data::PageBuffer& page, std::string_view event,
                                  const Filter& filter) {
  KUBIST_CHECK(m_reader.read(
      page,
      [&](const std::vector<data::TableColumn>& columns) -> util::Result<> {
        columns_changed(columns);
        return {};
      },
      [&](const data::TableRow& row) -> util::Result<> {
        return filter && !filter(row.object) ? util::Result<>() : add(row, event);
      }));
  return {};
}

util::Result<> ServerTable::add(const data::TableRow& row, std::string_view event) {
  m_storage.clear();
  m_storage.reserve(m_options.label_columns.size() + 2);  // views into it must not move
  std::vector<std::string_view> cells;
  if (m_options.with_context) {
    cells.push_back(m_context);
  }
  if (m_options.with_event) {
    cells.push_back(event_cell(event));
  }
  if (m_options.with_namespace) {
    cells.push_back(row.object.name_space);
  }
  for (std::size_t i = 0; i < row.cells.size() && i < m_columns.size(); ++i) {
    if (!m_options.wide && m_columns[i].priority != 0) {
      continue;
    }
    std::string_view cell = row.cells[i];
    if (i == m_name_column && !m_options.kind_prefix.empty()) {
      cell = m_storage.emplace_back(util::cat(m_options.kind_prefix, '/', cell));
    }
    cells.push_back(cell);
  }
  KUBIST_CHECK(add_labels(row, cells));
  if (!m_sorter) {
    emit(cells);
    return {};
  }
  KUBIST_TRY(const auto object,
             data::parse_json(row.object.raw, "the row's object", {.keep_source = false}));
  KUBIST_TRY(auto key, m_sorter->key(object));
  m_held.push_back({{cells.begin(), cells.end()}, std::move(key)});
  return {};
}

util::Result<> ServerTable::add_labels(const data::TableRow& row,
                                       std::vector<std::string_view>& cells) {
  if (!m_options.show_labels && m_options.label_columns.empty()) {
    return {};
  }
  KUBIST_TRY(const auto object,
             data::parse_json(row.object.raw, "the row's object", {.keep_source = false}));
  const data::Json* labels = data::find_path(object, {"metadata", "labels"});
  for (const std::string& key : m_options.label_columns) {
    const bool found = labels != nullptr && labels->is_object() && labels->contains(key);
    cells.push_back(m_storage.emplace_back(found ? labels->value(key, "") : ""));
  }
  if (m_options.show_labels) {
    cells.push_back(m_storage.emplace_back(label_list(labels)));
  }
  return {};
}

void ServerTable::emit(const std::vector<std::string_view>& cells) {
  if (m_before_first) {
    std::exchange(m_before_first, {})();
  }
  if (m_header_due) {
    print_header();
  }
  m_out.row(cells);
}

void ServerTable::print_header() {
  m_header_due = false;
  std::vector<std::string> header;
  if (m_options.with_context) {
    header.emplace_back("CONTEXT");
  }
  if (m_options.with_event) {
    header.emplace_back("EVENT");
  }
  if (m_options.with_namespace) {
    header.emplace_back("NAMESPACE");
  }
  for (const data::TableColumn& column : m_columns) {
    if (m_options.wide || column.priority == 0) {
      header.push_back(upper(column.name));
    }
  }
  for (const std::string& key : m_options.label_columns) {
    header.push_back(upper(key.substr(key.rfind('/') + 1)));
  }
  if (m_options.show_labels) {
    header.emplace_back("LABELS");
  }
  m_out.row({header.begin(), header.end()});
}

util::Result<> ServerTable::finish() {
  if (!m_sorter) {
    return {};
  }
  std::vector<const SortKey*> keys;
  for (const Held& held : m_held) {
    keys.push_back(&held.key);
  }
  KUBIST_TRY(const auto order, m_sorter->order(keys));
  for (const std::size_t index : order) {
    emit({m_held[index].cells.begin(), m_held[index].cells.end()});
  }
  m_held.clear();
  m_sorter.reset();
  return {};
}

}  // namespace kubist::cli
