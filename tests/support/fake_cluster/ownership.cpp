// managedFields: whose each field is.
#include <algorithm>
#include <iterator>
#include <tuple>

#include <kubist/data/pointer.hpp>

#include "fields.hpp"

namespace kubist::testing {

using data::Json;

namespace {

FieldSet minus(const FieldSet& all, const FieldSet& gone) {
  FieldSet left;
  std::set_difference(all.begin(), all.end(), gone.begin(), gone.end(),
                      std::inserter(left, left.end()));
  return left;
}

bool is_entry_of(const Json& entry, const FieldWriter& writer) {
  return data::string_at(entry, {"manager"}) == writer.manager &&
         data::string_at(entry, {"operation"}) == writer.operation &&
         data::string_at(entry, {"subresource"}) == writer.subresource;
}

}  // namespace

FieldSet last_applied(const Json& live, const FieldWriter& writer) {
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    if (is_entry_of(entry, writer)) {
      return from_fields_v1(entry.at("fieldsV1"));
    }
  }
  return {};
}

bool owned_by_other(const Json& live, const FieldWriter& writer, const FieldPath& path) {
  const Json& entries = data::array_at(live, {"metadata", "managedFields"});
  return std::any_of(entries.begin(), entries.end(), [&](const Json& entry) {
    return !is_entry_of(entry, writer) && from_fields_v1(entry.at("fieldsV1")).contains(path);
  });
}

std::vector<OwnedField> own_fields(const Json& before, Json& after, const FieldWriter& writer,
                                   const std::optional<FieldSet>& applied, bool force,
                                   const Shape& shape, const std::string& now) {
  const FieldChanges changes = compare_fields(before, after, shape);
  FieldSet written = changes.added;
  written.insert(changes.modified.begin(), changes.modified.end());
  std::vector<OwnedField> conflicts;
  Json entries = Json::array();
  FieldSet own;
  Json own_entry{{"manager", writer.manager},
                 {"operation", writer.operation},
                 {"apiVersion", writer.api_version},
                 {"fieldsType", "FieldsV1"},
                 {"time", now}};
  if (!writer.subresource.empty()) {
    own_entry["subresource"] = writer.subresource;
  }
  for (Json entry : data::array_at(before, {"metadata", "managedFields"})) {
    FieldSet fields = from_fields_v1(entry.at("fieldsV1"));
    if (is_entry_of(entry, writer)) {
      own = std::move(fields);
      own_entry["time"] = entry.at("time");
      continue;
    }
    for (const FieldPath& path : fields) {
      if (written.contains(path)) {
        conflicts.push_back({entry, path});
      }
    }
    const FieldSet left = minus(minus(fields, written), changes.removed);
    if (left != fields) {
      entry["fieldsV1"] = to_fields_v1(left);
    }
    if (!left.empty()) {
      entries.push_back(std::move(entry));
    }
  }
  if (!force && !conflicts.empty()) {
    return conflicts;
  }
  FieldSet owns = own;
  if (applied) {
    owns = *applied;
  } else {
    owns.insert(written.begin(), written.end());
    owns = minus(owns, changes.removed);
  }
  if (owns != own) {
    own_entry["time"] = now;
  }
  if (!owns.empty()) {
    own_entry["fieldsV1"] = to_fields_v1(owns);
    entries.push_back(std::move(own_entry));
  }
  // Appliers first, as the server sorts them, so that an unchanged object stays so to the byte.
  std::stable_sort(entries.begin(), entries.end(), [](const Json& a, const Json& b) {
    const auto key = [](const Json& entry) {
      return std::tuple(data::string_at(entry, {"operation"}), data::string_at(entry, {"manager"}),
                        data::string_at(entry, {"subresource"}));
    };
    return key(a) < key(b);
  });
  after["metadata"].erase("managedFields");
  if (!entries.empty()) {
    after["metadata"]["managedFields"] = std::move(entries);
  }
  return {};
}

}  // namespace kubist::testing
