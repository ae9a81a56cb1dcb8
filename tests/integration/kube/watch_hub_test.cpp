#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/kube/watch_hub.hpp>
#include <kubist/util/random.hpp>

#include "connect.hpp"

using namespace kubist;
using namespace kubist::kube;
using namespace std::chrono_literals;
using data::Json;

namespace {

/// What one subscriber was told.
class Ear {
 public:
  WakeHandlers handlers() {
    return {[this](std::string_view version) { tell(std::string(version)); },
            [this](const util::Error& error) { tell("failed: " + error.message); }};
  }
  /// The first thing told from here on that is `wanted`, or fails after a minute.
  bool hears(const std::function<bool(const std::string&)>& wanted) {
    std::unique_lock lock(m_mutex);
    const bool heard = m_changed.wait_for(
        lock, 60s, [&] { return std::any_of(m_told.begin(), m_told.end(), wanted); });
    m_told.clear();
    return heard;
  }
  std::size_t told() {
    const std::scoped_lock lock(m_mutex);
    return m_told.size();
  }

 private:
  void tell(std::string what) {
    const std::scoped_lock lock(m_mutex);
    m_told.push_back(std::move(what));
    m_changed.notify_all();
  }
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<std::string> m_told;
};

}  // namespace

TEST_CASE("kube: many who wait for objects of one kind are each woken by their own") {
  const auto client = connect();
  const std::string ns = "kube-hub-" + util::random_suffix(8);
  const auto make = [&](const ApiResource& resource, const std::string& kind, const std::string& of,
                        const std::string& name, const std::string& value) {
    Json object{{"apiVersion", "v1"}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (!of.empty()) {
      object["metadata"]["namespace"] = of;
      object["data"] = {{"k", value}};
    }
    auto made = client->json(kube::apply(resource, object));
    REQUIRE_MESSAGE(made, made.error().to_string());
    return (*made)["metadata"]["resourceVersion"].get<std::string>();
  };
  const ApiResource& maps = well_known::config_maps();
  make(well_known::namespaces(), "Namespace", "", ns, "");
  const std::string first = make(maps, "ConfigMap", ns, "a", "1");
  const auto interest = [&](const std::string& name) { return Interest{maps, ns, name, {}, true}; };
  const auto any = [](const std::string&) { return true; };

  Ear a, b, late, all;
  auto of_a = subscribe(client, interest("a"), a.handlers());
  const auto of_b = subscribe(client, interest("b"), b.handlers());
  CHECK(a.hears([&](const std::string& told) { return told == first; }));
  CHECK(b.hears([](const std::string& told) { return told.empty(); }));

  const std::string second = make(maps, "ConfigMap", ns, "a", "2");
  CHECK(a.hears([&](const std::string& told) { return told == second; }));
  const auto of_late = subscribe(client, interest("a"), late.handlers());
  CHECK(late.hears([&](const std::string& told) { return told == second; }));
  const auto of_all = subscribe(client, {maps, ns}, all.handlers());
  CHECK(all.hears(any));
  const std::string third = make(maps, "ConfigMap", ns, "b", "1");
  CHECK(b.hears([&](const std::string& told) { return told == third; }));
  CHECK(all.hears(any));
  CHECK(a.told() == 0);
  CHECK(late.told() == 0);

  of_a = Subscription();
  REQUIRE(client->run(remove(maps, ns, "a")));
  CHECK(late.hears(any));
  CHECK(a.told() == 0);

  ApiResource nothings = maps;
  nothings.plural = "nothings";
  Ear none;
  const auto of_none = subscribe(client, {nothings, ns, "x"}, none.handlers());
  CHECK(none.hears([](const std::string& told) { return told.starts_with("failed: "); }));
  static_cast<void>(client->run(remove(well_known::namespaces(), "", ns)));
}
