// Lists, tables, watches and single items from whatever a server may send.

#include <kubist/data/json_stream.hpp>
#include <kubist/data/raw_format.hpp>

#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = kubist::testing::text_of(bytes, size);
  data::PageBuffer page;
  page.append(text);
  data::RawFormatter formatter;
  std::string out;
  const auto on_item = [&](const data::ListItem& item) -> util::Result<> {
    static_cast<void>(formatter.json(item.raw, out));
    static_cast<void>(formatter.yaml_item(item.raw, 0, out));
    return {};
  };
  data::ListReader lists;
  lists.select({"/metadata/name", "/spec/0/x", "/"});
  static_cast<void>(lists.read(page, on_item));
  static_cast<void>(lists.read_object(page, on_item));
  data::TableReader tables;
  static_cast<void>(tables.read(
      page, [](const std::vector<data::TableColumn>&) -> util::Result<> { return {}; },
      [&](const data::TableRow& row) -> util::Result<> {
        for (std::string_view cell : row.cells) {
          out += cell;
        }
        return {};
      }));
  data::WatchDecoder watch(1U << 20U);
  static_cast<void>(watch.feed(text, [&](const data::WatchEvent& event) -> util::Result<> {
    out += event.object.raw;
    return {};
  }));
  static_cast<void>(data::find_continue(text));
  static_cast<void>(formatter.yaml(text, out));
  return 0;
}
