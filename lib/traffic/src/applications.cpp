#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/applications.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;
using Objects = std::vector<const Json*>;

/// The object's status on that virtual cluster; null: it is not kept there.
const Json* status_on(const Json& object, const ObjectView& virtual_cluster) {
  if (ObjectView(object).ns() != virtual_cluster.ns()) {
    return nullptr;
  }
  if (data::string_at(object, {"spec", "virtualClusterRef", "name"}) == virtual_cluster.name()) {
    return &ObjectView(object).status();
  }
  const Json& targets = data::array_at(object, {"status", "targets"});
  const auto found = std::ranges::find_if(targets, [&](const Json& each) {
    return data::string_at(each, {"virtualCluster"}) == virtual_cluster.name();
  });
  return found != targets.end() ? &*found : nullptr;
}

// The version that a subset selects.
std::string_view version_of(const Json& destination, std::string_view subset) {
  return data::string_at(destination, {"spec", "subsets", subset, "labels", "version"}, subset);
}

class VersionReader {
 public:
  VersionReader(const Objects& destinations, const Objects& routes)
      : m_destinations(destinations), m_routes(routes) {}

  void add(const Json& virtual_cluster) {
    const ObjectView view(virtual_cluster);
    for (const Json& application : data::array_at(virtual_cluster, {"status", "applications"})) {
      for (const Json& deployment : data::array_at(application, {"deployments"})) {
        VersionRow row{.project_namespace = std::string(view.ns()),
                       .virtual_cluster = std::string(view.name()),
                       .application = std::string(data::string_at(application, {"name"})),
                       .version = std::string(data::string_at(deployment, {"version"})),
                       .deployment = std::string(data::string_at(deployment, {"name"})),
                       .replicas = data::int_at(deployment, {"replicas"}),
                       .ready = data::int_at(deployment, {"readyReplicas"}),
                       .shares = {}};
        for (const Json* route : m_routes) {
          if (const Json* status = status_on(*route, view)) {
            add_shares(*route, *status, view, row);
          }
        }
        rows.push_back(std::move(row));
      }
    }
  }

  std::vector<VersionRow> rows;

 private:
  void add_shares(const Json& route, const Json& status, const ObjectView& virtual_cluster,
                  VersionRow& row) const {
    for (const Json& rule : data::array_at(status, {"routes"})) {
      for (const Json& weight : data::array_at(rule, {"weights"})) {
        if (leads_to(weight, virtual_cluster, row)) {
          row.shares.push_back({std::string(ObjectView(route).name()),
                                std::string(data::string_at(rule, {"name"})),
                                data::number_at(weight, {"percent"})});
        }
      }
    }
  }

  bool leads_to(const Json& weight, const ObjectView& virtual_cluster,
                const VersionRow& row) const {
    const auto name = data::string_at(weight, {"destination"});
    const auto subset = data::string_at(weight, {"version"});
    const auto found = std::ranges::find_if(m_destinations, [&](const Json* each) {
      return ObjectView(*each).name() == name && status_on(*each, virtual_cluster) != nullptr;
    });
    const bool known = found != m_destinations.end();
    const auto application = known ? data::string_at(**found, {"spec", "application"}, name) : name;
    return application == row.application &&
           (subset.empty() || (known ? version_of(**found, subset) : subset) == row.version);
  }

  const Objects& m_destinations;
  const Objects& m_routes;
};

}  // namespace

std::vector<VersionRow> version_rows(const Objects& virtual_clusters, const Objects& destinations,
                                     const Objects& routes) {
  VersionReader reader(destinations, routes);
  for (const Json* virtual_cluster : virtual_clusters) {
    reader.add(*virtual_cluster);
  }
  return std::move(reader.rows);
}

std::string share_words(const std::vector<RouteShare>& shares) {
  std::vector<std::string> words;
  for (const RouteShare& share : shares) {
    const bool only = std::ranges::count(shares, share.route, &RouteShare::route) == 1;
    words.push_back(cat(share.route, only || share.rule.empty() ? "" : cat("/", share.rule), ' ',
                        percent_text(share.percent)));
  }
  return util::join(words, ", ");
}

}  // namespace kubist::traffic
