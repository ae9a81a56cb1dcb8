#include <kubist/data/json_stream.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/words.hpp>

#include "object_reader.hpp"

namespace kubist::data {

using util::Result;

struct ListReader::Impl {
  od::parser parser;
  ObjectReader objects;
  ListItem item;

  Result<> read_items(od::value value, ListHead& head, const ItemHandler& on_item) {
    return read_elements(
        value, "items of the list", "an item of the list", [&](od::value element) -> Result<> {
          if (const auto error = objects.read(element, item)) {
            return json_error(error, util::cat("item ", head.items, " of the list"));
          }
          ++head.items;
          return on_item(item);
        });
  }
};

ListReader::ListReader() : m_impl(std::make_unique<Impl>()) {}
ListReader::~ListReader() = default;
ListReader::ListReader(ListReader&&) noexcept = default;
ListReader& ListReader::operator=(ListReader&&) noexcept = default;

void ListReader::select(std::vector<std::string> pointers) {
  m_impl->objects.pointers = std::move(pointers);
}

Result<ListHead> ListReader::read(const PageBuffer& page, const ItemHandler& on_item) {
  od::document document;
  od::object root;
  if (const auto error = open_page(m_impl->parser, page, document, root)) {
    return json_error(error, "the list");
  }
  ListHead head;
  bool has_items = false;
  const auto on_field = [&](std::string_view key, od::value value) -> Result<> {
    if (key != "items") {
      return read_head(key, value, "the list", head);
    }
    has_items = true;
    return m_impl->read_items(value, head, on_item);
  };
  KUBIST_CHECK(read_fields(root, "the list", on_field));
  if (!has_items) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("the reply is no list: it has no items (kind ", head.kind, ")"));
  }
  return head;
}

Result<> ListReader::read_object(const PageBuffer& page, const ItemHandler& on_item) {
  od::document document;
  od::object root;
  if (const auto error = open_page(m_impl->parser, page, document, root)) {
    return json_error(error, "the object");
  }
  if (const auto error = m_impl->objects.read(root, m_impl->item)) {
    return json_error(error, "the object");
  }
  return on_item(m_impl->item);
}

namespace {
constexpr util::Word<WatchType> k_watch_types[] = {{WatchType::added, "ADDED"},
                                                   {WatchType::modified, "MODIFIED"},
                                                   {WatchType::deleted, "DELETED"},
                                                   {WatchType::bookmark, "BOOKMARK"},
                                                   {WatchType::error, "ERROR"}};
}  // namespace

struct WatchDecoder::Impl {
  od::parser parser;
  ObjectReader objects;
  PageBuffer line;
  std::size_t max_bytes;

  Result<> decode(const EventHandler& on_event) {
    if (util::trim(line.view()).empty()) {
      return {};
    }
    od::document document;
    od::object root;
    if (const auto error = open_page(parser, line, document, root)) {
      return json_error(error, "a watch event");
    }
    WatchEvent event;
    bool has_object = false;
    const auto on_field = [&](std::string_view key, od::value value) -> Result<> {
      if (key == "type") {
        event.type_text = text_of(value);
      } else if (key == "object") {
        has_object = true;
        if (const auto error = objects.read(value, event.object)) {
          return json_error(error, "a watch event's object");
        }
      }
      return {};
    };
    KUBIST_CHECK(read_fields(root, "a watch event", on_field));
    if (!has_object || event.type_text.empty()) {
      return util::fail(util::ErrorKind::invalid, "a watch event without type or object");
    }
    event.type = util::value_of(k_watch_types, event.type_text).value_or(WatchType::unknown);
    return on_event(event);
  }
};

WatchDecoder::WatchDecoder(std::size_t max_event_bytes) : m_impl(std::make_unique<Impl>()) {
  m_impl->max_bytes = max_event_bytes;
}
WatchDecoder::~WatchDecoder() = default;
WatchDecoder::WatchDecoder(WatchDecoder&&) noexcept = default;
WatchDecoder& WatchDecoder::operator=(WatchDecoder&&) noexcept = default;

void WatchDecoder::select(std::vector<std::string> pointers) {
  m_impl->objects.pointers = std::move(pointers);
}

std::size_t WatchDecoder::pending() const { return m_impl->line.size(); }

Result<> WatchDecoder::feed(std::string_view bytes, const EventHandler& on_event) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (m_impl->line.size() + piece.size() > m_impl->max_bytes) {
      return util::fail(util::ErrorKind::invalid,
                        util::cat("a watch event is longer than ", m_impl->max_bytes, " bytes"));
    }
    m_impl->line.append(piece);
    if (end == bytes.npos) {
      return {};
    }
    bytes.remove_prefix(end + 1);
    auto done = m_impl->decode(on_event);
    m_impl->line.clear();
    KUBIST_CHECK(std::move(done));
  }
  return {};
}

}  // namespace kubist::data
