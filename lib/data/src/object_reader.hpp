#pragma once
#include <string>
#include <vector>

#include <simdjson.h>

#include <kubist/data/json_stream.hpp>

namespace kubist::data {

namespace od = simdjson::ondemand;

/// Turns simdjson's error into ours.
tl::unexpected<util::Error> json_error(simdjson::error_code code, std::string_view what);

/// Calls `on_field(key, value)` for each member of an object, in its order. It gives simdjson's
/// error code; the first one ends the loop and is given back.
template <class OnField>
simdjson::error_code for_each_field(od::object& object, OnField&& on_field) {
  for (auto field : object) {
    std::string_view key;
    od::value value;
    if (const auto error = field.unescaped_key().get(key)) {
      return error;
    }
    if (const auto error = field.value().get(value)) {
      return error;
    }
    if (const simdjson::error_code error = on_field(key, value)) {
      return error;
    }
  }
  return simdjson::SUCCESS;
}

/// The same for a value that has to be an object.
template <class OnField>
simdjson::error_code for_each_field(od::value value, OnField&& on_field) {
  od::object object;
  if (const auto error = value.get_object().get(object)) {
    return error;
  }
  return for_each_field(object, on_field);
}

/// The same for handlers that fail with errors of ours; `what` names the object in those of
/// simdjson.
template <class OnField>
util::Result<> read_fields(od::object& object, std::string_view what, OnField&& on_field) {
  util::Result<> failed;
  const auto error = for_each_field(object, [&](std::string_view key, od::value value) {
    failed = on_field(key, value);
    return failed ? simdjson::SUCCESS : simdjson::UNEXPECTED_ERROR;
  });
  KUBIST_CHECK(std::move(failed));
  if (error) {
    return json_error(error, what);
  }
  return {};
}

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
