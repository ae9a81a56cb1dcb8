#include <kubist/data/document.hpp>
#include <kubist/data/json_outline.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"

namespace kubist::kube {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_most_values = 200'000;
constexpr std::size_t k_most_of_answers = std::size_t{512} << 20U;

/// Its names, each of which the API server keeps short.
Json names_of(const Json& object) {
  Json names{
      {"apiVersion", object["apiVersion"]}, {"kind", object["kind"]}, {"metadata", Json::object()}};
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "generation",
                            "creationTimestamp", "deletionTimestamp"}) {
    if (const Json* found = data::find_path(object, {"metadata", field})) {
      names["metadata"][field] = *found;
    }
  }
  return names;
}

util::Error unreadable(const Json& outline, const std::string& why, const std::string& hint) {
  const auto ns = data::string_at(outline, {"metadata", "namespace"});
  return util::make_error(
      util::ErrorKind::invalid,
      cat(data::string_at(outline, {"kind"}), '/', ns, ns.empty() ? "" : "/",
          data::string_at(outline, {"metadata", "name"}), " cannot be read: ", why),
      cat(hint, "; until then it is left as it is."), "Unreadable");
}

}  // namespace

util::Result<Json> read_item(const ApiResource& resource, std::string_view text) {
  data::ReadOptions limits;
  limits.max_bytes = k_max_object;
  limits.max_nodes = k_max_object_values;
  KUBIST_TRY(Json value, data::parse_json(text, resource.group_resource(), limits));
  value.emplace("apiVersion", resource.api_version());  // items of built-in kinds lack them
  value.emplace("kind", resource.kind);
  return value;
}

Kept Room::read(const ApiResource& resource, std::string_view ns, std::string_view text) {
  data::ReadOptions limits;
  limits.max_nodes = k_most_values;
  auto parsed = data::parse_json(text, resource.group_resource(), limits);
  Kept kept;
  kept.object = parsed ? *std::move(parsed) : data::outline(text);
  kept.object.emplace("apiVersion", resource.api_version());  // items of built-in kinds lack them
  kept.object.emplace("kind", resource.kind);
  data::erase_path(kept.object, {"metadata", "managedFields"});
  kept.bytes = data::memory_of(kept.object);
  const bool fits = take(ns, kept.bytes);
  if (!fits) {
    kept.wanted = parsed ? kept.bytes : 0;
    kept.object = names_of(kept.object);
    kept.bytes = 0;
  }
  if (!parsed) {
    kept.unreadable = unreadable(kept.object, parsed.error().message, "Correct or delete it");
  } else if (!fits) {
    kept.unreadable = unreadable(
        kept.object,
        cat("namespace ", ns, " has no room for it: its objects may take ", m_most >> 20U,
            " MiB of memory (docs/reference/limits.md)"),
        "Delete objects in the namespace, make them smaller, or keep some in another project");
  }
  return kept;
}

bool Room::take(std::string_view ns, std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  std::size_t& used = m_used.try_emplace(std::string(ns)).first->second;
  if (!ns.empty() && bytes > m_most - used) {
    return false;
  }
  used += bytes;
  return true;
}

void Room::leave(std::string_view ns, std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_used.find(ns);
  if (found != m_used.end() && (found->second -= bytes) == 0) {
    m_used.erase(found);
  }
}

Room& room_of_answers() {
  static Room& room = *new Room(k_most_of_answers);  // threads may outlive static objects
  return room;
}

util::Result<> Reservation::take(const Json& value) { return take(data::memory_of(value)); }

util::Result<> Reservation::take(std::size_t bytes) {
  if (!room_of_answers().take(m_ns, bytes)) {
    const bool never =
        bytes > room_of_answers().most() - m_bytes;  // or others of the project go on
    return util::fail(
        never ? util::ErrorKind::invalid : util::ErrorKind::unavailable,
        cat("what servers answer to the runs of project namespace ", m_ns, " takes more than ",
            room_of_answers().most() >> 20U, " MiB of memory at once"),
        never ? "Make the objects smaller, or fewer (docs/reference/limits.md)."
              : "It is tried again; make the objects of the project's items smaller, or fewer.",
        std::string(http::k_failure_too_large));
  }
  m_bytes += bytes;
  return {};
}

bool Room::has(std::string_view ns, std::size_t bytes) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_used.find(ns);
  return bytes <= m_most - (found == m_used.end() ? 0 : found->second);
}

}  // namespace kubist::kube
