#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>

/// What is wrong with a route, and which port it means, by what is live. Pure: any thread, several
/// at once.
namespace kubist::traffic {

/// A list of objects, never changed, which all who have read it share: each of many routes of a
/// namespace has it.
class LiveObjects {
 public:
  using List = std::vector<data::Json>;
  LiveObjects() : LiveObjects(std::initializer_list<data::Json>{}) {}
  LiveObjects(std::initializer_list<data::Json> own) : m_list(std::make_shared<const List>(own)) {}
  explicit LiveObjects(std::shared_ptr<const List> list) : m_list(std::move(list)) {}
  List::const_iterator begin() const { return m_list->begin(); }
  List::const_iterator end() const { return m_list->end(); }

 private:
  std::shared_ptr<const List> m_list;  // never null
};

/// What is live in the namespace of a route (whole objects, each list as the server gives it).
struct Live {
  LiveObjects services, pods;
  LiveObjects destination_rules, virtual_services, gateways, service_entries;
  std::vector<data::Json> foreign_gateways;  ///< those of other namespaces that the route names
};

/// Why a route must not be written (yet).
struct Problem {
  std::string reason;  ///< of a condition: "UnknownDestination", "SubsetWithoutPods", ...
  std::string message;
  std::string hint;
  bool may_pass = false;  ///< waiting helps: pods may become ready
};

/// Checks the route against what is live; nothing found: it can be written.
///
///   UnknownDestination  no Service, and for names with a dot no ServiceEntry either
///                       (Services of other namespaces are not looked at)
///   UnknownSubset       no DestinationRule of that host has the subset
///   PortMismatch        the Service has no such port, or several and the route names none
///   SubsetWithoutPods   requests would go where no pod is ready (weight above 0); may_pass
///   UnknownGateway      no such Gateway
///   DuplicateHost       another VirtualService takes the same host on the same gateway with a
///                       route for everything (on `mesh`: at all, Istio's IST0109)
///
/// `owned` is the name of the route's own VirtualService. `by_services`: in HTTPRoute mode subsets
/// are Services of their own, and Istio's Gateways are not asked for.
std::vector<Problem> check_route(const Route& route, const Place& place, const Live& live,
                                 const std::string& owned, bool by_services = false);

/// Fills in the port of every backend whose Service has exactly one.
void fill_ports(Route& route, const Place& place, const Live& live);

/// Ready pods of a Service (by its selector) with these labels besides.
std::size_t ready_pods(const Live& live, const data::Json& service, const data::Json& labels);

}  // namespace kubist::traffic
