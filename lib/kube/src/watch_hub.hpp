#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kubist::kube {

class Feed;

/// The running watches of one client that subscriptions share.
struct WatchHub {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Feed>> feeds;
};

}  // namespace kubist::kube
