#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/checks.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {
namespace {

using data::Json;
using resources::ObjectView;
using util::cat;

bool has_labels(const Json& object, const Json& wanted) {
  const Json& labels = ObjectView(object).labels();
  return std::ranges::all_of(wanted.items(), [&](const auto& entry) {
    const auto found = labels.find(entry.key());
    return found != labels.end() && *found == entry.value();
  });
}

bool is_ready(const Json& pod) {
  if (!ObjectView(pod).deletion_timestamp().empty()) {
    return false;
  }
  return std::ranges::any_of(data::array_at(pod, {"status", "conditions"}),
                             [](const Json& condition) {
                               return data::string_at(condition, {"type"}) == "Ready" &&
                                      data::string_at(condition, {"status"}) == "True";
                             });
}

class Checker {
 public:
  Checker(const Route& route, const Place& place, const Live& live, const std::string& owned,
          bool by_services)
      : m_route(route), m_place(place), m_live(live), m_owned(owned), m_by_services(by_services) {}

  std::vector<Problem> run() {
    for (const Rule& rule : m_route.rules) {
      for (const Backend& backend : rule.backends) {
        check_backend(rule, backend);
      }
      if (rule.mirror) {
        Backend mirror = rule.mirror->to;
        mirror.weight = 0;  // a copy that nobody answers does no harm
        check_backend(rule, mirror);
      }
    }
    if (!m_by_services) {
      check_gateways();
      check_hosts();
    }
    return std::move(m_problems);
  }

 private:
  const Json* service_named(const std::string& name) const {
    const auto found = std::ranges::find_if(
        m_live.services, [&](const Json& each) { return ObjectView(each).name() == name; });
    return found == m_live.services.end() ? nullptr : &*found;
  }

  void check_backend(const Rule& rule, const Backend& backend) {
    const std::string host = full_host(backend.destination, m_place);
    const std::string suffix = cat('.', m_place.ns, ".svc.", m_place.domain);
    if (!host.ends_with(suffix)) {
      check_outside(rule, host);
      return;
    }
    std::string name = host.substr(0, host.size() - suffix.size());
    if (m_by_services) {
      name = subset_service(name, backend.version);
    }
    const Json* service = service_named(name);
    if (service == nullptr) {
      std::vector<std::string> names;
      for (const Json& each : m_live.services) {
        names.emplace_back(ObjectView(each).name());
      }
      add({"UnknownDestination",
           cat("route ", rule.name, ": there is no Service ", m_place.ns, '/', name,
               util::did_you_mean(name, names)),
           cat("Make Destination/", backend.destination, ", or correct the name.")});
      return;
    }
    check_port(rule, backend, *service);
    const Json* labels = subset_labels(rule, backend, host);
    static const Json no_labels = Json::object();
    if (labels != nullptr || m_by_services || backend.version.empty()) {
      check_pods(rule, backend, *service, labels == nullptr ? no_labels : *labels);
    }
  }

  void check_outside(const Rule& rule, const std::string& host) {
    if (host.ends_with(cat(".svc.", m_place.domain))) {
      return;
    }
    const bool known = std::ranges::any_of(m_live.service_entries, [&](const Json& entry) {
      return std::ranges::any_of(data::array_at(entry, {"spec", "hosts"}), [&](const Json& each) {
        return each.is_string() && util::glob_match(each.get_ref<const std::string&>(), host);
      });
    });
    if (!known) {
      add({"UnknownDestination",
           cat("route ", rule.name, ": the mesh does not know the host ", host),
           "Make an ExternalService with it."});
    }
  }

  void check_port(const Rule& rule, const Backend& backend, const Json& service) {
    std::vector<std::string> ports;
    bool found = false;
    for (const Json& port : data::array_at(service, {"spec", "ports"})) {
      const auto number = data::int_at(port, {"port"});
      ports.push_back(cat(number));
      found = found || number == backend.port;
    }
    if (found || (backend.port == 0 && ports.size() == 1)) {
      return;
    }
    add({"PortMismatch",
         cat("route ", rule.name, ": Service ", m_place.ns, '/', ObjectView(service).name(),
             " has the port", ports.size() == 1 ? " " : "s ", util::join(ports, ", "),
             backend.port == 0 ? std::string(", the route names none")
                               : cat(", not ", backend.port)),
         "Name one of them as the port."});
  }

  // Null: there is none (reported), or none is asked for.
  const Json* subset_labels(const Rule& rule, const Backend& backend, const std::string& host) {
    if (backend.version.empty() || m_by_services) {
      return nullptr;
    }
    std::vector<std::string> names;
    for (const Json& each : m_live.destination_rules) {
      if (full_host(data::string_at(each, {"spec", "host"}), m_place) != host) {
        continue;
      }
      for (const Json& subset : data::array_at(each, {"spec", "subsets"})) {
        const auto name = data::string_at(subset, {"name"});
        if (name == backend.version) {
          static const Json no_labels = Json::object();
          const Json* labels = data::find_path(subset, {"labels"});
          return labels == nullptr ? &no_labels : labels;
        }
        names.emplace_back(name);
      }
    }
    add({"UnknownSubset",
         cat("route ", rule.name, ": destination ", backend.destination, " has no version ",
             backend.version,
             names.empty() ? std::string(", it has none")
                           : cat(", only ", util::join(names, ", "))),
         cat("Add the subset to Destination/", backend.destination, '.')});
    return nullptr;
  }

  void check_pods(const Rule& rule, const Backend& backend, const Json& service,
                  const Json& labels) {
    if (backend.weight == 0 || data::find_path(service, {"spec", "selector"}) == nullptr ||
        ready_pods(m_live, service, labels) > 0) {
      return;
    }
    add({"SubsetWithoutPods",
         cat("route ", rule.name, ": no pod of destination ", backend.destination,
             backend.version.empty() ? std::string() : cat(" version ", backend.version),
             " is ready, its requests would fail"),
         "Wait for its pods, or give it the weight 0.", true});
  }

  void check_gateways() {
    for (const std::string& gateway : served_gateways(m_route, m_place)) {
      const auto is_it = [&](const Json& each) {
        return cat(ObjectView(each).ns(), '/', ObjectView(each).name()) == gateway;
      };
      const bool known = gateway == k_mesh || std::ranges::any_of(m_live.gateways, is_it) ||
                         std::ranges::any_of(m_live.foreign_gateways, is_it);
      if (!known) {
        add({"UnknownGateway", cat("there is no Gateway ", gateway),
             "Make an EntryGateway of that name, or name an Istio Gateway as NAMESPACE/NAME."});
      }
    }
  }

  void check_hosts() {
    const std::vector<std::string> hosts = served_hosts(m_route, m_place);
    const std::vector<std::string> gateways = served_gateways(m_route, m_place);
    for (const Json& other : m_live.virtual_services) {
      if (ObjectView(other).name() == m_owned) {
        continue;
      }
      const Bound bound = bound_by(other);
      for (const std::string& gateway : gateways) {
        const auto host =
            bound.gateways.contains(gateway)
                ? std::ranges::find_if(
                      hosts, [&](const std::string& each) { return bound.hosts.contains(each); })
                : hosts.end();
        if (host != hosts.end() && (gateway == k_mesh || takes_everything(other))) {
          add({"DuplicateHost",
               cat("VirtualService ", ObjectView(other).ns(), '/', ObjectView(other).name(),
                   " has the host ", *host, " on ", gateway,
                   ", too: which of them wins is not defined"),
               "Give each host to one route, or borrow that object (spec.object)."});
          break;
        }
      }
    }
  }

  /// The hosts and gateways of a VirtualService, read once: they have no limit.
  struct Bound {
    std::set<std::string> hosts, gateways;
  };
  Bound bound_by(const Json& other) const {
    const Place place{std::string(ObjectView(other).ns()), m_place.domain};
    Bound bound;
    for (const std::string& each : data::strings_at(other, {"spec", "hosts"})) {
      bound.hosts.insert(full_host(each, place));
    }
    for (const std::string& each : data::strings_at(other, {"spec", "gateways"})) {
      const bool whole = each == k_mesh || each.find('/') != std::string::npos;
      bound.gateways.insert(whole ? each : cat(place.ns, '/', each));
    }
    if (bound.gateways.empty()) {
      bound.gateways.emplace(k_mesh);
    }
    return bound;
  }

  static bool takes_everything(const Json& virtual_service) {
    return std::ranges::any_of(
        data::array_at(virtual_service, {"spec", "http"}),
        [](const Json& entry) { return data::array_at(entry, {"match"}).empty(); });
  }

  void add(Problem problem) { m_problems.push_back(std::move(problem)); }

  const Route& m_route;
  const Place& m_place;
  const Live& m_live;
  const std::string& m_owned;
  bool m_by_services;
  std::vector<Problem> m_problems;
};

}  // namespace

std::size_t ready_pods(const Live& live, const Json& service, const Json& labels) {
  const Json* selector = data::find_path(service, {"spec", "selector"});
  if (selector == nullptr) {
    return 0;
  }
  return static_cast<std::size_t>(std::ranges::count_if(live.pods, [&](const Json& pod) {
    return has_labels(pod, *selector) && has_labels(pod, labels) && is_ready(pod);
  }));
}

void fill_ports(Route& route, const Place& place, const Live& live) {
  const auto fill = [&](Backend& backend) {
    for (const Json& service : live.services) {
      const Json& ports = data::array_at(service, {"spec", "ports"});
      if (backend.port == 0 && ports.size() == 1 &&
          full_host(ObjectView(service).name(), place) == full_host(backend.destination, place)) {
        backend.port = static_cast<int>(data::int_at(ports[0], {"port"}));
      }
    }
  };
  for (Rule& rule : route.rules) {
    std::ranges::for_each(rule.backends, fill);
    if (rule.mirror) {
      fill(rule.mirror->to);
    }
  }
}

std::vector<Problem> check_route(const Route& route, const Place& place, const Live& live,
                                 const std::string& owned, bool by_services) {
  return Checker(route, place, live, owned, by_services).run();
}

}  // namespace kubist::traffic
