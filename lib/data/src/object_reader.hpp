#pragma once
#include <simdjson.h>

#include <string>
#include <vector>

#include <kubist/data/json_stream.hpp>

namespace kubist::data {

namespace od = simdjson::ondemand;

/// Turns simdjson's error into ours.
tl::unexpected<util::Error> json_error(simdjson::error_code code, std::string_view what);

/// Begins to read `page`; the root must be an object.
simdjson::error_code open_page(od::parser& parser, const PageBuffer& page, od::document& document,
                               od::object& root);

/// Reads one object into `item`: its raw text, the usual metadata and the pointers selected.
class ObjectReader {
 public:
  std::vector<std::string> pointers;

  simdjson::error_code read(od::value value, ListItem& item) const;
  simdjson::error_code read(od::object& object, ListItem& item) const;
};

/// Reads a ListMeta.
simdjson::error_code read_list_meta(od::value value, ListHead& head);
/// A string, or empty for any other type.
std::string_view text_of(od::value value);

}  // namespace kubist::data
