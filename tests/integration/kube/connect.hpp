#pragma once
#include <memory>

#include <doctest/doctest.h>

#include <kubist/kube/client.hpp>
#include <kubist/kube/kubeconfig.hpp>

/// A client of the cluster that KUBECONFIG names.
inline std::shared_ptr<kubist::kube::Client> connect(kubist::kube::ClientOptions options = {}) {
  auto access = kubist::kube::find_access({}, kubist::kube::process_environment());
  REQUIRE_MESSAGE(access, access.error().to_string());
  auto client = kubist::kube::Client::connect(std::move(*access), std::move(options));
  REQUIRE_MESSAGE(client, client.error().to_string());
  return *client;
}
