#pragma once

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "keep/traffic_place.hpp"

// Istio's objects hold for the whole mesh unless they say otherwise: a route of one tenant could
// take requests that others send.
namespace kubist::executors {

/// Do the Project and the Root allow these hosts? Those of the place's own Services are free. Where
/// neither has spec.allow.hosts, all are. Invalid, reason HostNotAllowed.
util::Result<> check_hosts(const Work& work, const TrafficPlace& place, const data::Json& hosts);

/// Do the hosts and endpoints of a ServiceEntry lead to servers? Not to what a proxy that follows
/// it has for itself: loopback, link-local, a socket (AddressNotAllowed). Names of endpoints are
/// hosts, as for check_hosts.
util::Result<> check_endpoints(const Work& work, const TrafficPlace& place, const data::Json& spec);

/// Do the backends of a route, and what its requests are copied to, lead to Services of the place,
/// or of another virtual cluster of the project? Else their hosts are judged as by check_hosts: a
/// gateway asks them with its own identity.
util::Result<> check_backends(const Work& work, const TrafficPlace& place,
                              const traffic::Route& route);

/// What of Istio's own fields would break proxies of others or open their files: TLS by paths of
/// files, hashes of certificates that are none, tables of a consistent hash above 65,537 entries.
/// `what`: "spec.trafficPolicy". Invalid, reason FieldNotAllowed.
util::Result<> check_istio_fields(const std::string& what, const data::Json& value);

/// Writes exportTo into the spec of a VirtualService or ServiceEntry that others' pods must not
/// follow: one for sidecars, with hosts that are no Services of the place. It then holds in the
/// place's namespace, beside Istio where the place's routes name gateways, and where
/// spec.allow.exportTo of the Project or the Root says; with * there it is left as it is.
void limit_exports(const Work& work, const TrafficPlace& place, data::Json& spec);

}  // namespace kubist::executors
