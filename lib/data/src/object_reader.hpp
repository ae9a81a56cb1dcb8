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

/// Calls `on_element(value)` for each element of an array, in its order; null has none. It gives a
/// Result. `all` and `one` name the array and an element of it in errors of simdjson.
template <class OnElement>
util::Result<> read_elements(od::value value, std::string_view all, std::string_view one,
                             OnElement&& on_element) {
  od::json_type type{};
  if (!value.type().get(type) && type == od::json_type::null) {
    return {};
  }
  od::array elements;
  if (const auto error = value.get_array().get(elements)) {
    return json_error(error, all);
  }
  for (auto element : elements) {
    od::value each;
    if (const auto error = element.get(each)) {
      return json_error(error, one);
    }
    KUBIST_CHECK(on_element(each));
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

/// Takes kind, apiVersion and metadata of what is called `what`; other fields are not touched.
util::Result<> read_head(std::string_view key, od::value value, std::string_view what,
                         ListHead& head);
/// A string, or empty for any other type.
std::string_view text_of(od::value value);

}  // namespace kubist::data
