#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "manifest/limits.hpp"
#include "manifest/manifest_run.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::chrono::seconds k_kind_again{5};

/// The exports of one item, as they are put together. A path may select one value a thousand times,
/// and what exports may be long is known of their text only.
class Exports {
 public:
  /// Before such values are copied.
  util::Result<> check_room(const ExportRule& rule, const std::vector<const Json*>& values) {
    for (const Json* value : values) {
      m_bytes += data::memory_of(*value);
      if (m_bytes > k_most_memory) {
        return fail(rule, cat("the exports take more than ", k_most_memory >> 20U, " MiB"));
      }
    }
    return {};
  }
  /// "a.b" becomes {"a": {"b": value}}.
  util::Result<> put(const ExportRule& rule, Json value) {
    Json* at = &m_values;
    for (const std::string& part : util::split(rule.key, '.')) {
      if (!at->is_null() && !at->is_object()) {
        return fail(rule, "another export has its first part as a value");
      }
      at = &(*at)[part];
    }
    *at = std::move(value);
    return {};
  }
  Json take() { return std::move(m_values); }

 private:
  static constexpr std::size_t k_most_memory = std::size_t{64} << 20U;

  static tl::unexpected<util::Error> fail(const ExportRule& rule, const std::string& why) {
    return util::fail(util::ErrorKind::invalid, cat("export ", rule.key, ": ", why), "",
                      "InvalidExports");
  }

  Json m_values = Json::object();
  std::size_t m_bytes = 0;
};

/// One value as it is, several as a list, nothing where there is none.
util::Result<std::optional<Json>> value_at(const ExportRule& rule, const data::JsonPath& path,
                                           const Json& object, Exports& exports) {
  const auto result = path.find(object, data::MissingKeys::allow);
  const auto found = result ? result->values() : std::vector<const Json*>();
  if (found.empty()) {
    return std::nullopt;
  }
  KUBIST_CHECK(exports.check_room(rule, found));
  if (found.size() == 1) {
    return *found.front();
  }
  Json list = Json::array();
  for (const Json* value : found) {
    list.push_back(*value);
  }
  return list;
}

util::Result<std::optional<Json>> read_value(World& world, const Item& item, const Job& job,
                                             const ExportRule& rule, const ObjectSelector& from,
                                             const data::JsonPath& path, Pending& pending,
                                             Exports& exports) {
  auto looked = find_object(world, item, job, from);
  if (!looked) {
    return util::fail(util::with_context(looked.error(), cat("export ", rule.key)));
  }
  const std::optional<Found> found = *std::move(looked);
  const std::string where = cat("export ", rule.key, ": ", from.kind, " ", from.name);
  if (!found) {
    pending.lines.push_back(cat(where, ": the cluster has no such kind"));
    pending.ask_again = k_kind_again;  // kinds cannot be watched
    return std::nullopt;
  }
  std::optional<Json> value;
  if (found->object) {
    KUBIST_TRY(value, value_at(rule, path, *found->object, exports));
  }
  if (!value) {
    pending.add(
        job, found->resource, found->ns, from.name,
        found->object ? cat(where, " has no ", path.text()) : cat(where, " does not exist"));
  }
  return value;
}

/// From the chart's values, which never change while it is waited.
util::Result<Json> value_of_chart(const ExportRule& rule, const ManifestPlan& plan,
                                  Exports& exports) {
  KUBIST_TRY(const Json root, plan.values ? plan.values() : util::Result<Json>(Json::object()));
  KUBIST_TRY(auto value, value_at(rule, rule.path, root, exports));
  if (!value) {
    return util::fail(util::ErrorKind::invalid,
                      cat("export ", rule.key, ": the values have no ", rule.path.text()), "",
                      "InvalidExports");
  }
  return *std::move(value);
}

}  // namespace

util::Result<std::optional<Found>> find_object(World& world, const Item& item, const Job& job,
                                               const ObjectSelector& selector) {
  kube::Client& client = *job.place.objects();
  auto resource = client.discovery().find_kind(selector.api_version, selector.kind, world.stop);
  if (!resource && resource.error().kind == util::ErrorKind::not_found) {
    return std::nullopt;
  }
  if (!resource) {
    return util::fail(resource.error());
  }
  Found found;
  found.resource = *std::move(resource);
  found.ns = !found.resource.namespaced ? "" : selector.ns.empty() ? job.place.ns : selector.ns;
  KUBIST_CHECK(check_readable_namespace(job.place, found.ns));
  KUBIST_TRY(found.object, client.find(found.resource, found.ns, selector.name, world.stop));
  if (found.object) {
    KUBIST_CHECK(check_readable(item, job.place, *found.object));
  }
  return found;
}

util::Result<Json> collect_exports(World& world, const Item& item, const Job& job,
                                   const ManifestPlan& plan, Pending& pending) {
  Exports exports;
  for (const ExportRule& rule : plan.exports) {
    ObjectSelector from = rule.from;
    if (from.kind.empty()) {
      KUBIST_TRY(auto value, value_of_chart(rule, plan, exports));
      KUBIST_CHECK(exports.put(rule, std::move(value)));
      continue;
    }
    if (rule.reference) {
      KUBIST_TRY(const auto reference,
                 read_value(world, item, job, rule, from, *rule.reference, pending, exports));
      if (!reference) {
        continue;
      }
      from = {rule.referred_api_version, rule.referred_kind,
              std::string(data::string_at(*reference, {"name"})),
              std::string(data::string_at(*reference, {"namespace"}, from.ns)), std::nullopt};
      if (from.name.empty()) {
        return util::fail(util::ErrorKind::invalid,
                          cat("export ", rule.key, ": ", rule.reference->text(), " of ",
                              rule.from.kind, " ", rule.from.name, " is no reference with a name"),
                          "", "InvalidExports");
      }
    }
    KUBIST_TRY(auto value, read_value(world, item, job, rule, from, rule.path, pending, exports));
    if (value) {
      KUBIST_CHECK(exports.put(rule, *std::move(value)));
    }
  }
  return exports.take();
}

}  // namespace kubist::deployers
