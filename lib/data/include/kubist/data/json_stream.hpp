#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/page_buffer.hpp>
#include <kubist/util/result.hpp>

/// Replies of the API server, read without building a tree of them.
namespace kubist::data {

/// What a LIST or Table reply says about itself.
struct ListHead {
  std::string api_version;
  std::string kind;
  std::string resource_version;
  std::string continue_token;             ///< empty on the last page
  std::optional<std::int64_t> remaining;  ///< remainingItemCount
  std::size_t items = 0;                  ///< items (rows) in this reply
};

/// One object of a reply. All views point into the page or into the reader and end with the next
/// page; a missing field is empty.
struct ListItem {
  std::string_view raw;  ///< its JSON text as received
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view name_space;
  std::string_view uid;
  std::string_view resource_version;
  std::int64_t generation = 0;
  std::vector<std::string_view> extra;  ///< one per pointer given to select(), strings unquoted
};

using ItemHandler = std::function<util::Result<>(const ListItem& item)>;

/// Reads LIST replies page by page. Keeps its memory between pages. One thread at a time.
class ListReader {
 public:
  ListReader();
  ~ListReader();
  ListReader(ListReader&&) noexcept;
  ListReader& operator=(ListReader&&) noexcept;

  /// Further scalar fields wanted of each item, as JSON pointers ("/status/phase").
  void select(std::vector<std::string> pointers);
  /// Hands each element of `items` to `on_item`, in order. `page` holds one whole reply.
  /// Errors: invalid (not JSON, cut short, no list; the byte offset is named) or on_item's own.
  util::Result<ListHead> read(const PageBuffer& page, const ItemHandler& on_item);
  /// Reads one object (a GET reply) the same way.
  util::Result<> read_object(const PageBuffer& page, const ItemHandler& on_item);

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// A column of a meta.k8s.io/v1 Table.
struct TableColumn {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::int64_t priority = 0;  ///< 0 is always shown, others with -o wide
};

/// One row; views end with the next page.
struct TableRow {
  std::vector<std::string_view>
      cells;        ///< as kubectl prints them: first line, control bytes escaped
  ListItem object;  ///< the row's object (metadata only, or whole); raw is empty when there is none
};

using ColumnsHandler = std::function<util::Result<>(const std::vector<TableColumn>& columns)>;
using RowHandler = std::function<util::Result<>(const TableRow& row)>;

/// Reads Table replies page by page. One thread at a time.
class TableReader {
 public:
  TableReader();
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  /// Further scalar fields wanted of each row's object.
  void select(std::vector<std::string> pointers);
  /// `on_columns` is called when the reply has columnDefinitions (first pages and watch events that
  /// repeat them), before its rows.
  util::Result<ListHead> read(const PageBuffer& page, const ColumnsHandler& on_columns,
                              const RowHandler& on_row);

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

enum class WatchType { added, modified, deleted, bookmark, error, unknown };

struct WatchEvent {
  WatchType type = WatchType::unknown;
  std::string_view type_text;
  ListItem object;  ///< for `error` its raw is the metav1.Status
};

using EventHandler = std::function<util::Result<>(const WatchEvent& event)>;

/// Cuts a watch's byte stream into events. One thread at a time.
class WatchDecoder {
 public:
  /// An event longer than `max_event_bytes` is an error.
  explicit WatchDecoder(std::size_t max_event_bytes = std::size_t{64} << 20U);
  ~WatchDecoder();
  WatchDecoder(WatchDecoder&&) noexcept;
  WatchDecoder& operator=(WatchDecoder&&) noexcept;

  void select(std::vector<std::string> pointers);
  /// Takes what arrived, in pieces of any size; calls `on_event` for each whole event.
  util::Result<> feed(std::string_view bytes, const EventHandler& on_event);
  /// Bytes of an event that has not ended yet: not 0 at the end of a stream means it was cut.
  std::size_t pending() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// metadata.continue in the first bytes of a LIST or Table reply that is still arriving (it comes
/// before the items), so that the next page can be asked for early. Nothing: not seen yet, or this
/// is the last page.
std::optional<std::string> find_continue(std::string_view prefix);

}  // namespace kubist::data
