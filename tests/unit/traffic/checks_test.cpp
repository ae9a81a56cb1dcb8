#include <algorithm>

#include <kubist/data/json_patch.hpp>
#include <kubist/traffic/borrowed.hpp>
#include <kubist/traffic/checks.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using namespace kubist::traffic;

namespace {

Live live_shop() {
  Live live;
  live.services = {json(R"({"metadata": {"name": "shop", "namespace": "prod"},
      "spec": {"selector": {"app": "shop"}, "ports": [{"port": 80}]}})")};
  live.destination_rules = {json(R"({"metadata": {"name": "shop", "namespace": "prod"},
      "spec": {"host": "shop", "subsets": [{"name": "v1", "labels": {"version": "1"}},
                                           {"name": "v2", "labels": {"version": "2"}}]}})")};
  live.gateways = {json(R"({"metadata": {"name": "gw", "namespace": "prod"}})")};
  live.pods = {json(R"({"metadata": {"name": "a", "labels": {"app": "shop", "version": "1"}},
      "status": {"conditions": [{"type": "Ready", "status": "True"}]}})"),
               json(R"({"metadata": {"name": "b", "labels": {"app": "shop", "version": "2"}},
      "status": {"conditions": [{"type": "Ready", "status": "False"}]}})")};
  return live;
}

std::vector<std::string> reasons(std::string_view spec, const Live& live,
                                 bool by_services = false) {
  std::vector<std::string> reasons;
  for (const Problem& each : check_route(route(spec), k_place, live, "shop", by_services)) {
    CAPTURE(each.message);
    reasons.push_back(each.reason);
  }
  return reasons;
}

using Reasons = std::vector<std::string>;

}  // namespace

TEST_CASE("checks: a route to ready pods may be written") {
  CHECK(reasons(R"({"gateways": ["gw"], "routes": [{"weights": [
      {"destination": "shop", "version": "v1", "weight": 100},
      {"destination": "shop", "version": "v2", "weight": 0}]}]})",
                live_shop())
            .empty());
}

TEST_CASE("checks: what is missing is named") {
  const auto to = [](const char* backend) {
    return std::string(R"({"gateways": ["gw"], "routes": [{"weights": [)") + backend + "]}]}";
  };
  CHECK(reasons(to(R"({"destination": "shpo"})"), live_shop()) == Reasons{"UnknownDestination"});
  CHECK(reasons(to(R"({"destination": "a.example.com"})"), live_shop()) ==
        Reasons{"UnknownDestination"});
  CHECK(reasons(to(R"({"destination": "shop", "version": "v3"})"), live_shop()) ==
        Reasons{"UnknownSubset"});
  CHECK(reasons(to(R"({"destination": "shop", "port": 81})"), live_shop()) ==
        Reasons{"PortMismatch"});
  CHECK(reasons(to(R"({"destination": "shop", "version": "v2"})"), live_shop()) ==
        Reasons{"SubsetWithoutPods"});
  CHECK(reasons(R"({"gateways": ["gv"], "routes": [{"weights": [{"destination": "shop"}]}]})",
                live_shop()) == Reasons{"UnknownGateway"});
  Live outside = live_shop();
  outside.service_entries = {json(R"({"spec": {"hosts": ["*.example.com"]}})")};
  CHECK(reasons(to(R"({"destination": "a.example.com"})"), outside).empty());
  CHECK(reasons(to(R"({"destination": "shop", "version": "v1"})"), live_shop(), true) ==
        Reasons{"UnknownDestination"});
}

TEST_CASE("checks: a host has one route") {
  constexpr const char* k_spec =
      R"({"hosts": ["shop.example.com"], "gateways": ["gw"], "routes": [{"weights": [{"destination": "shop"}]}]})";
  data::Json other = json(R"({"metadata": {"name": "other", "namespace": "prod"}, "spec": {
      "hosts": ["shop.example.com"], "gateways": ["gw"], "http": [{"route": []}]}})");
  const auto beside = [&] {
    Live live = live_shop();
    live.virtual_services = {other};
    return reasons(k_spec, live);
  };
  CHECK(beside() == Reasons{"DuplicateHost"});
  other["spec"]["http"][0]["match"] = json(R"([{"uri": {"prefix": "/x"}}])");
  CHECK(beside().empty());
  other["metadata"]["name"] = "shop";
  other["spec"]["http"][0].erase("match");
  CHECK(beside().empty());
  other["metadata"]["name"] = "other";
  other["spec"]["gateways"] = json(R"([7, "gw"])");
  CHECK(beside() == Reasons{"DuplicateHost"});
  other["spec"].erase("gateways");  // the mesh's alone
  CHECK(beside().empty());
  other["spec"]["gateways"] = json(R"(["mesh", "prod/gw"])");
  CHECK(beside() == Reasons{"DuplicateHost"});
}

TEST_CASE("checks: the only port of a Service is filled in") {
  Route filled =
      route(R"({"gateways": ["gw"], "routes": [{"weights": [{"destination": "shop"}]}]})");
  fill_ports(filled, k_place, live_shop());
  CHECK(filled.rules[0].backends[0].port == 80);
}

TEST_CASE("borrowed: only weights change, and only of what was read") {
  const data::Json live = json(R"({"metadata": {"name": "shop", "namespace": "prod",
      "uid": "u7", "resourceVersion": "7"}, "spec": {"hosts": ["shop"], "http": [
        {"name": "admin", "match": [{"uri": {"prefix": "/admin"}}],
         "route": [{"destination": {"host": "admin"}}]},
        {"name": "main", "route": [{"destination": {"host": "shop", "subset": "v1"}, "weight": 100},
                                   {"destination": {"host": "shop", "subset": "v2"}}]}]}})");
  const Route wanted = route(R"({"hosts": ["shop"], "routes": [{"name": "main", "weights": [
      {"destination": "shop", "version": "v2", "weight": 20},
      {"destination": "shop", "version": "v1", "weight": 80}]}]})");
  const auto patch = borrowed_patch(live, wanted, k_place);
  REQUIRE_MESSAGE(patch.has_value(), patch.error().to_string());
  CHECK((*patch)[0] == json(R"({"op": "test", "path": "/metadata/uid", "value": "u7"})"));
  const auto changed = live.patch(*patch);
  CHECK(changed["spec"]["http"][1]["route"][0]["weight"] == 80);
  CHECK(changed["spec"]["http"][1]["route"][1]["weight"] == 20);
  CHECK(changed["spec"]["http"][0] == live["spec"]["http"][0]);
  CHECK(borrowed_patch(changed, wanted, k_place) == data::Json::array());
}

TEST_CASE("borrowed: the patch fails where what it touches has changed, and only there") {
  const data::Json live = json(R"({"metadata": {"name": "shop", "namespace": "prod",
      "uid": "u7", "resourceVersion": "7"}, "spec": {"hosts": ["shop"], "http": [
        {"name": "main", "route": [{"destination": {"host": "shop", "subset": "v1"}, "weight": 90},
                                   {"destination": {"host": "shop", "subset": "v2"}, "weight": 10}]}]}})");
  const auto wanted = [](const std::string& name) {
    return route(R"({"hosts": ["shop"], "routes": [{)" + name + R"("weights": [
        {"destination": "shop", "version": "v1", "weight": 80},
        {"destination": "shop", "version": "v2", "weight": 20}]}]})");
  };
  const auto fits = [](const data::Json& meanwhile, const data::Json& patch) {
    try {
      (void)meanwhile.patch(patch);
      return true;
    } catch (const data::Json::exception&) {
      return false;
    }
  };
  const auto patch = borrowed_patch(live, wanted(R"("name": "main", )"), k_place).value();
  data::Json elsewhere = live;
  elsewhere["metadata"]["resourceVersion"] = "8";
  elsewhere["spec"]["http"][0]["timeout"] = "9s";
  elsewhere["spec"]["http"].push_back({{"name", "more"}});
  CHECK(fits(elsewhere, patch));
  for (const auto& [path, value] : std::vector<std::pair<std::string, data::Json>>{
           {"/metadata/uid", "u8"},
           {"/spec/http/0/name", "other"},
           {"/spec/http/0/route/0/weight", 50},
           {"/spec/http/0/route/1/destination/subset", "v3"}}) {
    CAPTURE(path);
    data::Json here = live;
    here[data::Json::json_pointer(path)] = value;
    CHECK_FALSE(fits(here, patch));
  }
  data::Json nameless = live;
  nameless["spec"]["http"][0].erase("name");
  const auto strict = borrowed_patch(nameless, wanted(""), k_place).value();
  CHECK(fits(nameless, strict));
  nameless["metadata"]["resourceVersion"] = "8";
  CHECK_FALSE(fits(nameless, strict));
}

TEST_CASE("borrowed: destinations that are no list are none") {
  const data::Json live = json(R"({"metadata": {"name": "shop", "namespace": "prod"},
      "spec": {"http": [{"route": {"destination": {"host": "shop"}}}]}})");
  const auto patch = borrowed_patch(
      live, route(R"({"hosts": ["shop"], "routes": [{"weights": [{"destination": "shop"}]}]})"),
      k_place);
  REQUIRE_FALSE(patch);
  CHECK(patch.error().message.find("has 0 destinations") != std::string::npos);
}

TEST_CASE("borrowed: what does not fit is refused") {
  const data::Json live = json(R"({"metadata": {"name": "shop", "namespace": "prod"},
      "spec": {"http": [{"route": [{"destination": {"host": "shop", "subset": "v1"}},
                                   {"destination": {"host": "other"}}]}]}})");
  for (
      const char* weights :
      {R"([{"destination": "shop", "version": "v1", "weight": 1}])",
       R"([{"destination": "shop", "version": "v1", "weight": 1}, {"destination": "shop", "version": "v2"}])"}) {
    CAPTURE(weights);
    CHECK_FALSE(borrowed_patch(
        live,
        route(std::string(R"({"hosts": ["shop"], "routes": [{"weights": )") + weights + "}]}"),
        k_place));
  }
  CHECK_FALSE(borrowed_patch(
      live,
      route(
          R"({"hosts": ["shop"], "routes": [{"name": "x", "weights": [{"destination": "shop"}]}]})"),
      k_place));
}
