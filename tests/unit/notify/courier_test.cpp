#include <mutex>

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
    courier.send("notification ci (webhook)", request);
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
