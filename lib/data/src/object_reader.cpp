#include "object_reader.hpp"

#include <kubist/util/text.hpp>

#include "json_scan.hpp"

namespace kubist::data {

tl::unexpected<util::Error> json_error(simdjson::error_code code, std::string_view what) {
  return util::fail(
      util::ErrorKind::invalid,
      util::cat(what, " is not the JSON it should be: ", simdjson::error_message(code)),
      "the reply may be cut short; trying again may help");
}

simdjson::error_code open_page(od::parser& parser, const PageBuffer& page, od::document& document,
                               od::object& root) {
  const std::string_view bytes = page.view();
  if (bytes.empty()) {
    return simdjson::EMPTY;
  }
  const auto error =
      parser.iterate(bytes.data(), bytes.size(), bytes.size() + simdjson::SIMDJSON_PADDING)
          .get(document);
  return error ? error : document.get_object().get(root);
}

std::string_view text_of(od::value value) {
  od::json_type type{};
  std::string_view text;
  if (value.type().get(type) || type != od::json_type::string || value.get_string().get(text)) {
    return {};
  }
  return text;
}

namespace {

std::int64_t integer_of(od::value value) {
  od::json_type type{};
  std::int64_t number = 0;
  if (value.type().get(type) || type != od::json_type::number || value.get_int64().get(number)) {
    return 0;
  }
  return number;
}

simdjson::error_code read_metadata(od::value value, ListItem& item) {
  return for_each_field(value, [&](std::string_view key, od::value member) {
    if (key == "name") {
      item.name = text_of(member);
    } else if (key == "namespace") {
      item.name_space = text_of(member);
    } else if (key == "uid") {
      item.uid = text_of(member);
    } else if (key == "resourceVersion") {
      item.resource_version = text_of(member);
    } else if (key == "generation") {
      item.generation = integer_of(member);
    }
    return simdjson::SUCCESS;
  });
}

simdjson::error_code read_list_meta(od::value value, ListHead& head) {
  return for_each_field(value, [&](std::string_view key, od::value member) {
    if (key == "resourceVersion") {
      head.resource_version = text_of(member);
    } else if (key == "continue") {
      head.continue_token = text_of(member);
    } else if (key == "remainingItemCount") {
      head.remaining = integer_of(member);
    }
    return simdjson::SUCCESS;
  });
}

/// A scalar's text without quotes, where it has no escapes to undo; else as it is written.
std::string_view bare(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"' && raw.find('\\') == raw.npos) {
    return raw.substr(1, raw.size() - 2);
  }
  return raw == "null" ? std::string_view{} : raw;
}

}  // namespace

simdjson::error_code ObjectReader::read(od::value value, ListItem& item) const {
  od::object object;
  if (const auto error = value.get_object().get(object)) {
    return error;
  }
  return read(object, item);
}

simdjson::error_code ObjectReader::read(od::object& object, ListItem& item) const {
  item = ListItem{};
  const auto on_field = [&](std::string_view key, od::value member) {
    if (key == "kind") {
      item.kind = text_of(member);
    } else if (key == "apiVersion") {
      item.api_version = text_of(member);
    } else if (key == "metadata") {
      od::json_type type{};
      if (!member.type().get(type) && type == od::json_type::object) {
        return read_metadata(member, item);
      }
    }
    return simdjson::SUCCESS;
  };
  if (const auto error = for_each_field(object, on_field)) {
    return error;
  }
  bool not_empty = false;
  if (const auto error = object.reset().get(not_empty)) {
    return error;
  }
  if (const auto error = object.raw_json().get(item.raw)) {
    return error;
  }
  item.raw = util::trim(item.raw);
  for (const std::string& pointer : pointers) {
    item.extra.push_back(bare(scan_pointer(item.raw, pointer).value_or(std::string_view{})));
  }
  return simdjson::SUCCESS;
}

util::Result<> read_head(std::string_view key, od::value value, std::string_view what,
                         ListHead& head) {
  if (key == "kind") {
    head.kind = text_of(value);
  } else if (key == "apiVersion") {
    head.api_version = text_of(value);
  } else if (key == "metadata") {
    if (const auto error = read_list_meta(value, head)) {
      return json_error(error, util::cat(what, "'s metadata"));
    }
  }
  return {};
}

}  // namespace kubist::data
