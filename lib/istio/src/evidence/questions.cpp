#include "evidence/questions.hpp"

#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::istio {

using data::Json;
using util::cat;

namespace {

constexpr std::size_t k_most_memory = std::size_t{32} << 20U;  // of what is kept, for all lists
constexpr std::size_t k_max_list_text = std::size_t{32} << 20U;
constexpr std::size_t k_max_long_text = std::size_t{512} << 20U;  // pods with proxies, nodes
constexpr std::size_t k_max_object_text = std::size_t{4} << 20U;
constexpr std::size_t k_max_object_values = 200'000;
constexpr std::size_t k_longest_label = 63;

bool has_name(const data::ListItem& item) {
  return std::max(item.name.size(), item.name_space.size()) <= kube::k_longest_name;
}

/// Labels become names of revisions, and they are combined.
bool has_labels(const Json& object) {
  const Json& labels = data::object_at(object, {"metadata", "labels"});
  return std::all_of(labels.begin(), labels.end(), [](const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().size() <= k_longest_label;
  });
}

}  // namespace

Questions::Questions(kube::Client& client, std::chrono::nanoseconds timeout,
                     const std::stop_token& stop)
    : m_client(client), m_deadline(timeout, stop) {}

void Questions::all(const std::vector<std::function<void()>>& questions) {
  constexpr std::size_t k_at_once = 16;
  util::for_each_index(questions.size(), k_at_once, [&](std::size_t i) { questions[i](); });
}

Unread Questions::unread(std::string_view resource, const util::Error& error) const {
  Unread result;
  result.resource = resource;
  result.message = error.message;
  const bool late =
      error.kind == util::ErrorKind::timeout || error.kind == util::ErrorKind::cancelled;
  if (error.kind == util::ErrorKind::forbidden && error.http_status == 403) {
    result.code = cat("forbidden:", resource);
  } else if (late && error.http_status == 0) {
    result.code = "apiserver:timeout";
    result.message = cat("no answer in time about ", resource, " from ", m_client.server());
  } else if (error.http_status != 0) {
    result.code = cat("apiserver:", error.http_status);
  } else {
    result.code = cat("apiserver:", error.reason.empty() ? "error" : error.reason);
  }
  return result;
}

void Questions::pass_over(std::string_view resource, const std::string& object,
                          const util::Error& error) {
  const std::lock_guard lock(m_mutex);
  auto& [count, first] = m_passed[std::string(resource)];
  first = count++ == 0 ? cat(object, " cannot be read: ", error.message) : first;
}

std::vector<Unread> Questions::passed_over() {
  const std::lock_guard lock(m_mutex);
  std::vector<Unread> all;
  for (const auto& [resource, passed] : m_passed) {
    const auto& [count, first] = passed;
    Unread one;
    one.resource = resource;
    one.code = cat("unreadable:", resource);
    one.message = cat(count, " of ", resource, " passed over: ", first);
    all.push_back(std::move(one));
  }
  return all;
}

Unread Questions::too_large(std::string_view resource, std::string_view what) const {
  return {std::string(resource), std::string(k_too_large),
          cat(m_client.server(), " has too many ", resource, ": more than ", what)};
}

Read<bool> Questions::each(const kube::ApiResource& resource, kube::ListOptions options,
                           const Take& take, std::string_view ns, std::size_t most) {
  const std::string name = resource.group_resource();
  options.first_limit = 100;
  const bool is_long = options.max_objects > 0 || name == "nodes";
  options.page_bytes = k_max_list_text / (is_long ? 5 : 16);
  options.max_bytes = is_long ? k_max_long_text : k_max_list_text;
  options.tolerate_expired = true;
  data::ReadOptions limits;
  limits.max_nodes = k_max_object_values;
  std::optional<Unread> too_much;
  std::size_t kept = 0;
  const auto read = [&](const data::ListItem& item) -> util::Result<> {
    if (!has_name(item) ||
        (ns.empty() && options.max_objects == 0 && m_left_out.contains(item.name_space))) {
      return {};
    }
    auto object = data::parse_json(item.raw, name, limits);
    if (!object) {  // a member may have written it
      pass_over(name, cat(item.name_space, '/', item.name), object.error());
      return {};
    }
    object->emplace("kind", resource.kind);  // items of built-in kinds lack it
    const std::size_t bytes = has_labels(*object) ? take(*object) : 0;
    kept += bytes > 0 ? 1 : 0;
    if (kept > most) {
      too_much = too_large(name, cat(most));
    } else if ((m_kept += bytes) > k_most_memory) {
      too_much = too_large(name, cat(k_most_memory >> 20U, " MiB of memory"));
    }
    return too_much ? util::Result<>(util::fail(util::ErrorKind::invalid, too_much->message))
                    : util::Result<>{};
  };
  const auto end = m_client.list_items(resource, ns, options, read, stop());
  if (too_much) {
    return tl::unexpected(*too_much);
  }
  if (!end && options.max_objects > 0 && end.error().reason == http::k_failure_too_large) {
    return true;  // what came is enough to tell of
  }
  if (!end && end.error().http_status != 404) {
    return tl::unexpected(unread(name, end.error()));
  }
  return end && end->more;
}

Read<Json> Questions::get(kube::ApiCall call, std::string_view resource) {
  call.max_body = k_max_object_text;
  auto found = m_client.json(call, stop());
  if (found) {
    return std::move(*found);
  }
  if (found.error().http_status == 404) {
    return Json();
  }
  return tl::unexpected(unread(resource, found.error()));
}

}  // namespace kubist::istio
