#include "edit_patch.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

bool is_secret(const Json& object) { return data::string_at(object, {"kind"}) == "Secret"; }

/// Readers quote what they stumble over.
util::Error reading_error(const Json& opened, const util::Error& error) {
  return is_secret(opened) ? data::place_alone(error, "it is not YAML of one object") : error;
}

util::Result<> check_identity(const Json& opened, const Json& edited) {
  const auto same = [&](std::initializer_list<std::string_view> keys) {
    return data::string_at(opened, keys) == data::string_at(edited, keys);
  };
  if (!same({"apiVersion"}) || !same({"kind"}) || !same({"metadata", "name"}) ||
      !same({"metadata", "namespace"})) {
    return util::fail(ErrorKind::invalid,
                      "at least one of apiVersion, kind, name and namespace was changed",
                      "An edit cannot make another object: 'kubist apply' does.");
  }
  return {};
}

/// The lists that a merge patch replaces or takes away, whole, as JSON pointers.
void find_lists(const Json& patch, const Json& opened, const std::string& at,
                std::vector<std::string>& lists) {
  for (const auto& [key, value] : patch.items()) {
    std::string pointer = at;
    data::append_token(pointer, key);
    const Json* before = data::find(opened, pointer);
    if (value.is_array() || (before != nullptr && before->is_array())) {
      lists.push_back(std::move(pointer));
    } else if (value.is_object()) {
      find_lists(value, opened, pointer, lists);
    }
  }
}

/// Only what nobody else has changed may be replaced.
util::Result<> check_lists(const std::vector<std::string>& lists, const Json& opened,
                           const Json& now) {
  std::vector<std::string> changed;
  for (const std::string& pointer : lists) {
    const Json* before = data::find(opened, pointer);
    const Json* after = data::find(now, pointer);
    if ((before == nullptr) != (after == nullptr) || (before != nullptr && *before != *after)) {
      changed.push_back(data::dotted_path(pointer));
    }
  }
  return changed.empty() ? util::Result<>{}
                         : util::fail(ErrorKind::conflict,
                                      cat("somebody else has changed ", util::join(changed, ", "),
                                          " since the object was opened"),
                                      "Edit it again: it is opened as it is now.");
}

}  // namespace

util::Result<Json> read_edited(const Json& opened, const std::string& text) {
  auto document = data::read_document(text, "the edited file");
  if (!document) {
    return util::fail(reading_error(opened, document.error()));
  }
  if (!document->value.is_object()) {
    return util::fail(ErrorKind::invalid, "the edited file is not an object");
  }
  KUBIST_CHECK(check_identity(opened, document->value));
  return std::move(document->value);
}

bool same_content(const std::string& a, const std::string& b) {
  const auto first = data::read_document(a, "a");
  const auto second = data::read_document(b, "b");
  return a == b || (first && second && first->value == second->value);
}

util::Result<Json> write_edited(Context& context, const LiveObject& opened, const Json& edited) {
  constexpr int k_attempts = 5;
  Json patch = data::make_merge_patch(opened.object, edited);
  std::vector<std::string> lists;
  find_lists(patch, opened.object, "", lists);
  const resources::ObjectRef ref = resources::ObjectView(opened.object).ref();
  KUBIST_TRY(const auto client, context.client());
  const kube::Writer writer({.field_manager = "kubist-edit"});
  Json now = opened.object;
  for (int attempt = 1;; ++attempt) {
    if (!lists.empty()) {
      patch["metadata"]["resourceVersion"] = resources::ObjectView(now).resource_version();
    }
    auto after =
        writer.patch({*client}, opened.resource, ref.ns, ref.name, kube::PatchType::merge, patch);
    if (after || lists.empty() || !kube::is_conflict(after.error()) || attempt == k_attempts) {
      return after;
    }
    KUBIST_TRY(now, client->json(kube::get(opened.resource, ref.ns, ref.name), context.stop()));
    KUBIST_CHECK(check_lists(lists, opened.object, now));
  }
}

}  // namespace kubist::cli
