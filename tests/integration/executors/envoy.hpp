#pragma once
#include "support.hpp"

/// Envoys in pods that answer as a test wants.
namespace it {

/// The image of the gateway's own proxy: it has an Envoy.
std::string proxy_image();

/// A route (of a listener) that answers this status and body by itself.
Json envoy_answer(const Json& match, int status, const std::string& body = {});
/// A listener with these routes, the first that matches counts. A `delay` ("60s") comes before
/// every answer.
Json envoy_listener(int port, const Json& routes, const std::string& delay = {});
/// A pod that listens so; its counters are at port 9901. It is ready when `probe` (of Kubernetes)
/// says so.
Json envoy_pod(const std::string& ns, const std::string& name, const Json& labels,
               const Json& listeners, const Json& probe);

}  // namespace it
