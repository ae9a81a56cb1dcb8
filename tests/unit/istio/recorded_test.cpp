// Who is told of an installation's writes has the calls of all: objects, what is pruned, the list
// of objects and the record.
#include <doctest/doctest.h>

#include <kubist/istio/install.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"
#include "support/sent_writes.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using testing::Writes;

namespace {

/// Nothing but ConfigMaps: an istiod would have to become ready.
istio::Bundle recorded_bundle(const std::vector<std::string>& maps) {
  istio::Bundle bundle;
  bundle.version = "1.31.0";
  bundle.revision = "default";
  bundle.ns = "istio-system";
  for (const std::string& name : maps) {
    resources::Manifest manifest;
    manifest.object = testing::map_named(name);
    manifest.object["metadata"]["namespace"] = bundle.ns;
    bundle.manifests.push_back(std::move(manifest));
  }
  return bundle;
}

struct Recorder {
  /// The writes that somebody was told of.
  Writes install(const istio::Bundle& bundle, kube::DryRun dry_run = kube::DryRun::none) {
    std::vector<kube::ApiCall> calls;
    kube::Writer::Rules rules;
    rules.dry_run = dry_run;
    rules.told = [&](const kube::Write& write) {
      CHECK(write.cluster == "far");
      calls.push_back(write.call);
    };
    istio::InstallOptions options;
    options.writer = kube::Writer(std::move(rules));
    options.cluster = "far";
    options.timeout = std::chrono::nanoseconds(0);
    options.on_result = [&](const apply::ObjectResult& result) {
      calls.insert(calls.end(), result.calls.begin(), result.calls.end());
    };
    sent->take();
    const auto outcome = istio::install(*client, bundle, options);
    if (dry_run == kube::DryRun::none) {  // no istiod is of these bundles
      REQUIRE_FALSE(outcome);
      CHECK_MESSAGE(outcome.error().message.starts_with("all is applied, but Istio is "),
                    outcome.error().to_string());
    } else {
      REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
      CHECK(outcome->obstacles.empty());
      CHECK(sent->take().empty());
    }
    return testing::writes_of(calls);
  }

  testing::FakeCluster cluster;
  std::shared_ptr<testing::SentWrites> sent = std::make_shared<testing::SentWrites>(cluster);
  std::shared_ptr<kube::Client> client = cluster.connect(sent);
};

}  // namespace

TEST_CASE("recorded: an installation tells of each write, with the list and the record") {
  Recorder r;
  const istio::Bundle bundle = recorded_bundle({"a", "b"});
  const Writes planned = r.install(bundle, kube::DryRun::client);
  const Writes told = r.install(bundle);
  const Writes sent = r.sent->take();
  CHECK(testing::difference(told, sent) == "");
  REQUIRE(sent.size() == 8);
  const auto starts = [&](std::size_t at, const char* with) { return sent[at].starts_with(with); };
  constexpr const char* k_list = "PATCH /api/v1/namespaces/istio-system/configmaps/kubist-istio?";
  CHECK(starts(0, "PATCH /api/v1/namespaces/istio-system?"));
  CHECK(starts(1, "POST /api/v1/namespaces/istio-system/configmaps?"));
  CHECK(starts(4, k_list));
  CHECK(starts(5, k_list));
  CHECK(starts(6, "PATCH /api/v1/namespaces/istio-system/configmaps/kubist-install?"));
  CHECK(starts(7, k_list));
  // A plan has what needs no uid.
  CHECK(testing::difference(planned, {sent[0], sent[1], sent[2], sent[3], sent[6]}) == "");
}

TEST_CASE("recorded: what an installation prunes, and the list's loss of it") {
  Recorder r;
  r.install(recorded_bundle({"a", "b"}));
  const istio::Bundle less = recorded_bundle({"a"});
  const Writes planned = r.install(less, kube::DryRun::client);
  const Writes told = r.install(less);
  const Writes sent = r.sent->take();
  CHECK(testing::difference(told, sent) == "");
  CHECK(testing::difference(planned, sent) == "");
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].starts_with("DELETE /api/v1/namespaces/istio-system/configmaps/b"));
  CHECK(sent[1].starts_with("PATCH /api/v1/namespaces/istio-system/configmaps/kubist-istio?"));
  CHECK(r.install(less).empty());
}
