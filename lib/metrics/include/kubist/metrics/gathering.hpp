#pragma once
#include <memory>

#include <kubist/metrics/provider.hpp>

namespace kubist::metrics {

/// In front of a source that can tell of many subjects in one request: calls of sample() that come
/// while a request is under way wait for its end, and then one asks for all of them. Nobody waits
/// for others to come: a call alone is asked at once. What goes wrong with a request goes to all
/// that it was for. Who is stopped leaves the others their request, which ends when all are
/// stopped; but for the one whose thread asks: it comes back with the request. Any thread.
std::shared_ptr<Provider> make_gathering_provider(std::shared_ptr<Provider> source);

}  // namespace kubist::metrics
