#pragma once
#include <mutex>
#include <set>
#include <string>

#include <kubist/kube/client.hpp>

#include "watch_hub.hpp"

namespace kubist::kube {

struct Client::Impl {
  ClusterAccess access;
  ClientOptions options;
  std::shared_ptr<http::Transport> transport;  // the top of the stack; discovery shares it
  std::unique_ptr<Discovery> discovery;
  std::unique_ptr<OpenApi> open_api;
  std::mutex warnings_mutex;
  std::set<std::string> warnings;  // reported already
  WatchHub watch_hub;
};

}  // namespace kubist::kube
