#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"

/// What the tests of the Writer share.
namespace writer_test {

using namespace kubist;
using data::Json;
using kube::DryRun;
using testing::FakeCluster;

inline Json config_map(const std::string& name, const std::string& value = "1",
                       const std::string& ns = "default") {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"data", {{"k", value}}}};
}

/// A cluster, a writer, and all that it called.
struct Desk {
  explicit Desk(DryRun dry_run = DryRun::none) {
    rules.field_manager = "tester";
    rules.dry_run = dry_run;
    rules.before = [this]() -> util::Result<> {
      ++asked;
      return refusal ? util::Result<>(util::fail(*refusal)) : util::Result<>();
    };
    rules.permit = [] { return util::Result<>(); };
    rules.sent = [this](kube::Client& sender, const kube::ApiResource& resource,
                        std::string_view ns) {
      CHECK(&sender == client.get());
      sent.push_back(util::cat(resource.plural, ' ', ns));
    };
    rules.told = [this](const kube::Write& write) { told.push_back(write); };
  }

  kube::Writer writer() const { return kube::Writer(rules); }
  kube::Target to() const { return {*client, "far"}; }
  /// As it is before the test: not in the log.
  Json put(const Json& object) { return cluster.put(object); }
  Json live(const std::string& name) { return cluster.get("configmaps", name, "default"); }
  std::string value(const std::string& name) {
    return std::string(data::string_at(live(name), {"data", "k"}));
  }
  /// "VERB OBJECT @CLUSTER DETAIL" of each.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const kube::Write& each : told) {
      all.push_back(util::cat(each.verb, ' ', each.object, " @", each.cluster,
                              each.detail.empty() ? "" : " ", each.detail));
    }
    return all;
  }
  /// Does it own a field?
  bool is_manager(const std::string& name, const std::string& manager) {
    const Json object = live(name);
    const Json& entries = data::array_at(object, {"metadata", "managedFields"});
    return std::any_of(entries.begin(), entries.end(), [&](const Json& entry) {
      return data::string_at(entry, {"manager"}) == manager;
    });
  }

  FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  kube::Writer::Rules rules;
  std::optional<util::Error> refusal;
  int asked = 0;
  std::vector<std::string> sent;
  std::vector<kube::Write> told;
};

using Lines = std::vector<std::string>;

inline const kube::ApiResource& config_maps() { return kube::well_known::config_maps(); }

inline Json set_to(const std::string& value) { return {{"data", {{"k", value}}}}; }

inline util::Result<Json> patch_value(const Desk& desk, const std::string& name,
                                      const std::string& value) {
  return desk.writer().patch(desk.to(), config_maps(), "default", name, kube::PatchType::merge,
                             set_to(value));
}

}  // namespace writer_test
