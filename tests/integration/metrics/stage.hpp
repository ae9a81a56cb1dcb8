#pragma once
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>
#include <kubist/metrics/provider.hpp>

#include "support.hpp"

/// Two versions behind the real gateway, and requests that are counted as they are sent. kubist has
/// the rights of the test case's caller (caller.hpp).
namespace metrics_test {

using namespace it;
namespace metrics = kubist::metrics;

/// A namespace with Service, DestinationRule, Gateway and VirtualService: /v1/* goes to v1, /v2/*
/// to v2; a path that ends in "bad" is answered 500. Gone with it.
class Stage {
 public:
  explicit Stage(const std::string& test);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// The caller's client.
  const std::shared_ptr<kubist::kube::Client>& home() const { return m_home; }
  metrics::Subject subject() const;
  /// Sends exactly that many requests, and fails the test unless each was answered with `status`.
  void send(const std::string& path, int count, int status);
  /// Until requests reach both versions: endpoints take a moment to come to a gateway.
  void wait_until_served();

 private:
  std::string host() const { return m_ns + ".example.com"; }
  int answered(const std::string& path, int status, int count);

  std::string m_ns;
  std::shared_ptr<kubist::kube::Client> m_home;
  std::string m_gateway;  ///< address
};

/// What a provider sees; fails the test where it sees nothing.
metrics::Sample sample(metrics::Provider& provider, const metrics::Subject& subject);
/// The same once nothing is on its way any more: Envoy publishes histograms later than counters.
metrics::Sample settled_sample(metrics::Provider& provider, const metrics::Subject& subject);
/// The reason why it sees nothing; empty where it sees something.
std::string reason(metrics::Provider& provider, const metrics::Subject& subject);
/// Samples until the arms have gained so many requests since `before` in all, each of them timed
/// (where asked for), or two minutes have passed; what they gained then.
std::map<std::string, metrics::Counts> gained(metrics::Provider& provider,
                                              const metrics::Subject& subject,
                                              const metrics::Sample& before, double requests,
                                              bool timed_too = true);

}  // namespace metrics_test
