#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"

/// A home cluster and a target in memory, between which clusters are registered.
namespace kubist::testing {

using data::Json;
using namespace setup;
using Place = RegisterOptions::Place;
using util::cat;

inline constexpr const char* k_user = "system:serviceaccount:kubist-system:kubist-shop";

/// Knows who asks as that user.
class AsUser : public http::Transport {
 public:
  AsUser(std::shared_ptr<http::Transport> inner, std::string user)
      : m_inner(std::move(inner)), m_user(std::move(user)) {}
  http::Call start(http::Request request, http::Done done) override {
    if (!request.url.ends_with("/selfsubjectreviews")) {
      return m_inner->start(std::move(request), std::move(done));
    }
    http::Response answer;
    answer.status = 201;
    answer.body =
        Json{{"kind", "SelfSubjectReview"}, {"status", {{"userInfo", {{"username", m_user}}}}}}
            .dump();
    done(std::move(answer));
    return {};
  }

 private:
  std::shared_ptr<http::Transport> m_inner;
  std::string m_user;
};

struct TwoClusters {
  TwoClusters() {
    home->put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "shop"}}}});
  }

  /// The token controller: fills a token Secret that was written.
  void fill(const std::string& name) {
    target->patch("secrets", name, "kubist-system", kube::PatchType::merge,
                  {{"data", {{"token", util::base64_encode("token-of-" + name)}}}});
  }
  ConnectTo connect() {
    return [this](kube::ClusterAccess access) -> util::Result<std::shared_ptr<kube::Client>> {
      ++connected;
      token = access.auth.token.reveal();
      server = access.server;
      return target->connect(std::make_shared<AsUser>(target, known_as));
    };
  }
  RegisterOptions options() {
    RegisterOptions options;
    options.ns = "shop";
    options.name = "eu";
    options.access.server = target->server();
    options.access.context_name = "eu";
    options.timeout = std::chrono::milliseconds(200);
    options.connect = connect();
    options.planned = [this](Place, const apply::ObjectResult& result) {
      planned.push_back(cat(result.ref.kind, ' ', apply::to_string(result.outcome)));
    };
    options.done = [this](Place, const apply::ObjectResult& result) {
      done.push_back(cat(result.ref.kind, ' ', apply::to_string(result.outcome)));
      if (fills && result.ref.kind == "Secret" && result.ref.ns == "kubist-system" &&
          result.outcome == apply::Outcome::created && result.written) {
        fill(result.ref.name);
      }
    };
    return options;
  }
  util::Result<RegisterReports> add(const RegisterOptions& how) {
    done.clear();
    planned.clear();
    return register_target(*home->connect(), *target->connect(), how, {});
  }
  util::Result<> rotate(bool own_credentials = true) {
    RotateOptions options;
    options.ns = "shop";
    options.name = "eu";
    options.timeout = std::chrono::milliseconds(200);
    options.connect = connect();
    options.target = own_credentials ? nullptr : target->connect();
    options.access = own_credentials ? kube::ClusterAccess{} : this->options().access;
    options.step = [this](const std::string& line) { steps.push_back(line); };
    return rotate_token(*home->connect(), options, {});
  }
  std::string kubeconfig_at_home() {
    const Json secret = home->get("secrets", "eu-kubeconfig", "shop");
    return util::base64_decode(data::string_at(secret, {"data", "value"})).value_or("");
  }
  std::string token_at_home() {
    const auto access = kube::strict_access(kubeconfig_at_home(), "it");
    return access ? access->auth.token.reveal() : "";
  }
  /// What a member of the project may do.
  void change_secret(const Json& patch) {
    home->patch("secrets", "eu-kubeconfig", "shop", kube::PatchType::merge, patch);
  }
  /// The Secret names that account; of which project the account there is; empty: there is none.
  void plant(const std::string& ns, const std::string& name, const std::string& owner) {
    change_secret(
        {{"metadata", {{"annotations", {{"kubist.io/target-account", cat(ns, '/', name)}}}}}});
    if (!owner.empty()) {
      target->put({{"apiVersion", "v1"},
                   {"kind", "ServiceAccount"},
                   {"metadata",
                    {{"name", name},
                     {"namespace", ns},
                     {"labels", {{"app.kubernetes.io/managed-by", owner == "?" ? "x" : "kubist"}}},
                     {"annotations", {{"kubist.io/registered-by", owner}}}}}});
    }
  }
  std::vector<std::string> tokens_there() {
    std::vector<std::string> names;
    for (const Json& secret : target->list("secrets", "kubist-system")) {
      names.emplace_back(resources::ObjectView(secret).name());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::shared_ptr<FakeCluster> home = std::make_shared<FakeCluster>("home");
  std::shared_ptr<FakeCluster> target = std::make_shared<FakeCluster>("eu");
  std::string known_as = k_user;
  bool fills = true;
  int connected = 0;
  std::string token;   ///< of the last connection
  std::string server;  ///< the same
  std::vector<std::string> planned, done, steps;
};

using Lines = std::vector<std::string>;

inline std::string version_of(const Json& object) {
  return std::string(resources::ObjectView(object).resource_version());
}

}  // namespace kubist::testing
