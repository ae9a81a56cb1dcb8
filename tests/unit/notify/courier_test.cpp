#include <mutex>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/notify/courier.hpp>

#include "support/fake_resolver.hpp"

using namespace kubist;

namespace {

/// What is said when a message to that URL does not arrive.
std::string trouble_with(const std::string& url) {
  std::mutex mutex;
  std::string said;
  {
    notify::Courier courier([&](const std::string& trouble) {
      const std::lock_guard lock(mutex);
      said += trouble;
    });
    http::Request request;
    request.method = "POST";
    request.url = url;
    courier.send("shop", "notification ci (webhook)", request);
  }
  return said;
}

}  // namespace

TEST_CASE("courier: nothing goes to a link-local address, whatever its name") {
  CHECK(trouble_with("http://link-local.test/a-secret-path") ==
        "notification ci (webhook) did not arrive: http://link-local.test: AddressNotAllowed");
  CHECK(trouble_with("http://[::ffff:169.254.7.7]/a-secret-path") ==
        "notification ci (webhook) did not arrive: http://::ffff:169.254.7.7: AddressNotAllowed");
}

TEST_CASE("courier: a project whose receivers hang drops its own only") {
  std::vector<std::string> dropped;
  notify::Courier courier([&](const std::string& trouble) { dropped.push_back(trouble); });
  std::vector<notify::Courier::Ended> hanging;
  const auto track = [&](const std::string& project) {
    auto ended = courier.track(project, project);
    const bool taken = ended != nullptr;
    if (taken) {
      hanging.push_back(std::move(ended));
    }
    return taken;
  };
  const auto fill = [&](const std::string& project) {
    int count = 0;
    while (track(project)) {
      ++count;
    }
    return count;
  };
  CHECK(fill("hangs") == 150);
  CHECK(dropped == std::vector<std::string>{"hangs was dropped: too many are under way"});
  CHECK(fill("second") == 150);
  CHECK(fill("third") == 1);  // there is always a place for one
  hanging.front()("");
  CHECK(fill("hangs") == 0);  // 300 others are under way
  hanging[1]("");
  CHECK(fill("hangs") == 1);
  hanging.erase(hanging.begin(), hanging.begin() + 2);
  for (const auto& ended : hanging) {
    ended("");
  }
}
