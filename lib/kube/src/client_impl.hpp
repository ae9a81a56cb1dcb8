#pragma once
#include <mutex>
#include <set>
#include <string>

#include <kubist/kube/client.hpp>

#include "watch_hub.hpp"
#include "watch_threads.hpp"

namespace kubist::kube {

struct Client::Impl {
  std::shared_ptr<Client> base;  // of one that acts as another user
  ClusterAccess access;
  ClientOptions options;
  std::shared_ptr<http::Transport> transport;  // the top of the stack; discovery shares it
  std::shared_ptr<Discovery> discovery;
  std::shared_ptr<OpenApi> open_api;
  std::mutex warnings_mutex;
  std::set<std::string> warnings;  // reported already
  WatchHub watch_hub;
  WatchThreads watch_threads;
};

}  // namespace kubist::kube
