#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json_stream.hpp>
#include <kubist/util/result.hpp>

#include "sorting.hpp"
#include "table.hpp"

namespace kubist::cli {

struct ServerTableOptions {
  bool wide = false;
  bool no_headers = false;
  bool with_context = false;               ///< --contexts: see of_context()
  bool with_namespace = false;             ///< -A
  bool show_labels = false;                ///< --show-labels
  bool with_event = false;                 ///< --output-watch-events
  std::string kind_prefix;                 ///< "deployment.apps": names as KIND/NAME; empty: bare
  std::vector<std::string> label_columns;  ///< -L

  /// Do rows need their objects' metadata?
  bool needs_metadata() const { return with_namespace || show_labels || !label_columns.empty(); }
};

/// Prints Table replies of one kind as kubectl does. Headers come once, before the first row.
class ServerTable {
 public:
  /// Which rows to print.
  using Filter = std::function<bool(const data::ListItem& object)>;

  ServerTable(TableWriter& out, ServerTableOptions options)
      : m_out(out), m_options(std::move(options)) {}

  /// Holds rows until finish() and prints them in that order.
  void sort_by(Sorter sorter) { m_sorter = std::move(sorter); }
  /// The context that the next rows are of.
  void of_context(std::string context) { m_context = std::move(context); }
  /// Called before the first row.
  void before_first(std::function<void()> action) { m_before_first = std::move(action); }

  util::Result<> print(const data::PageBuffer& page, std::string_view event = {},
                       const Filter& filter = {});
  /// Prints what was held for sorting; later pages are printed as they come.
  util::Result<> finish();

 private:
  struct Held {
    std::vector<std::string> cells;
    SortKey key;
  };
  util::Result<> add(const data::TableRow& row, std::string_view event);
  util::Result<> add_labels(const data::TableRow& row, std::vector<std::string_view>& cells);
  void emit(const std::vector<std::string_view>& cells);
  void print_header();
  void columns_changed(const std::vector<data::TableColumn>& columns);

  TableWriter& m_out;
  ServerTableOptions m_options;
  std::string m_context;
  std::function<void()> m_before_first;
  data::TableReader m_reader;
  std::vector<data::TableColumn> m_columns;
  std::size_t m_name_column = std::string::npos;
  bool m_header_due = false;
  std::vector<std::string> m_storage;  ///< texts of the row at hand that are not in the page
  std::optional<Sorter> m_sorter;
  std::vector<Held> m_held;
};

}  // namespace kubist::cli
