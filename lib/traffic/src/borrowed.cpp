#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/borrowed.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;
using util::Result;

class Patcher {
 public:
  Patcher(const Json& live, const Route& route, const Place& place)
      : m_live(live),
        m_route(route),
        m_place(place),
        m_own{std::string(ObjectView(live).ns()), place.domain} {}

  Result<Json> run() {
    const Json* http = data::find_path(m_live, {"spec", "http"});
    if (http == nullptr || !http->is_array()) {
      return wrong("it has no http routes");
    }
    for (const Rule& rule : m_route.rules) {
      KUBIST_TRY(const std::size_t index, entry_of(rule, *http));
      KUBIST_CHECK(set_weights(rule, (*http)[index], cat("/spec/http/", index)));
    }
    if (m_operations.empty()) {
      return m_operations;
    }
    Json patch = Json::array({test("/metadata/uid", ObjectView(m_live).uid())});
    patch.insert(patch.end(), m_operations.begin(), m_operations.end());
    return patch;
  }

 private:
  Result<std::size_t> entry_of(const Rule& rule, const Json& http) const {
    for (std::size_t i = 0; i < http.size(); ++i) {
      if (data::string_at(http[i], {"name"}) == rule.name) {
        return i;
      }
    }
    if (http.size() == 1 && m_route.rules.size() == 1 && rule.name == "route-1") {
      return 0;
    }
    return wrong(cat("it has no http route named ", rule.name));
  }

  Result<> set_weights(const Rule& rule, const Json& entry, const std::string& path) {
    const Json& destinations = data::array_at(entry, {"route"});
    if (destinations.size() != rule.backends.size()) {
      return wrong(cat("its http route ", rule.name, " has ", destinations.size(),
                       " destinations, the TrafficRoute ", rule.backends.size()));
    }
    Json changes = Json::array();
    for (const Backend& backend : rule.backends) {
      const auto index = index_of(backend, destinations);
      if (!index) {
        return wrong(cat("its http route ", rule.name, " has no destination ",
                         full_host(backend.destination, m_place), ' ', backend.version));
      }
      const Json& destination = destinations[*index];
      const bool lone = rule.backends.size() == 1;
      if (!lone && data::int_at(destination, {"weight"}) != backend.weight) {
        const std::string at = cat(path, "/route/", *index);
        changes.push_back(test(at + "/destination", destination["destination"]));
        if (destination.contains("weight")) {
          changes.push_back(test(at + "/weight", destination["weight"]));
        }
        changes.push_back({{"op", "add"}, {"path", at + "/weight"}, {"value", backend.weight}});
      }
    }
    if (!changes.empty()) {
      // Nothing else tells an entry without a name from one that somebody puts before it.
      m_operations.push_back(entry.contains("name") ? test(path + "/name", entry["name"])
                                                    : test("/metadata/resourceVersion",
                                                           ObjectView(m_live).resource_version()));
    }
    m_operations.insert(m_operations.end(), changes.begin(), changes.end());
    return {};
  }

  std::optional<std::size_t> index_of(const Backend& backend, const Json& destinations) const {
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      const auto text = [&](const char* key) {
        return data::string_at(destinations[i], {"destination", key});
      };
      const auto port = data::int_at(destinations[i], {"destination", "port", "number"});
      if (full_host(text("host"), m_own) == full_host(backend.destination, m_place) &&
          text("subset") == backend.version &&
          (backend.port == 0 || port == 0 || port == backend.port)) {
        return i;
      }
    }
    return std::nullopt;
  }

  static Json test(const std::string& path, const Json& value) {
    return {{"op", "test"}, {"path", path}, {"value", value}};
  }

  tl::unexpected<util::Error> wrong(std::string_view why) const {
    return util::fail(ErrorKind::invalid,
                      cat("VirtualService ", m_own.ns, '/', ObjectView(m_live).name(),
                          " cannot get the weights of TrafficRoute/", m_route.name, ": ", why),
                      "Of a borrowed object only weights are written: name the same routes and "
                      "destinations as it has.");
  }

  const Json& m_live;
  const Route& m_route;
  const Place& m_place;
  const Place m_own;
  Json m_operations = Json::array();
};

}  // namespace

Result<Json> borrowed_patch(const Json& live, const Route& route, const Place& place) {
  return Patcher(live, route, place).run();
}

}  // namespace kubist::traffic
