// What is away for long: a right, a kind, a cluster. What changed meanwhile is acted upon soon
// after its return, and a line said why it was not before.
#include <memory>
#include <set>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "support.hpp"
#include "support/fault_proxy.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_executions = "executions.kubist.io";

/// Within so many seconds of its return. An absence of 30 s is as good as one of minutes: then a
/// watch asks as seldom as it ever does (every 8 s where it is refused, every 20 s where nobody
/// answers; unit.kube).
constexpr int k_of_a_right = 15;
constexpr int k_of_a_cluster = 35;

/// A user with all rights but those on one kind of kubist's, which come and go.
class OneRight {
 public:
  OneRight(std::string user, std::string plural)
      : m_user(std::move(user)), m_plural(std::move(plural)) {
    Words others;
    for (const auto& kind : kubist::resources::kinds()) {
      if (kind.group == "kubist.io" && kind.plural != m_plural) {
        others.emplace_back(kind.plural);
        others.push_back(cat(kind.plural, "/status"));
      }
    }
    Words groups;
    for (const auto& group : list_groups()) {
      if (group != "kubist.io") {
        groups.push_back(group);
      }
    }
    bind("others", Json::array({rule({"kubist.io"}, others),
                                rule(groups, {"*"}),
                                {{"nonResourceURLs", {"*"}}, {"verbs", {"get"}}}}));
    give();
  }
  ~OneRight() {
    for (const char* part : {"others", "one"}) {
      for (const char* type : {"clusterrolebindings", "clusterroles"}) {
        it::remove("home", cat(type, ".rbac.authorization.k8s.io"), name(part));
      }
    }
  }
  OneRight(const OneRight&) = delete;
  OneRight& operator=(const OneRight&) = delete;

  void give() const {
    bind("one", Json::array({rule({"kubist.io"}, {m_plural, m_plural + "/status"})}));
    REQUIRE(eventually([&] { return is_given(); }));
  }
  void take() const {
    it::remove("home", "clusterrolebindings.rbac.authorization.k8s.io", name("one"));
    REQUIRE(eventually([&] { return !is_given(); }));
  }

 private:
  static std::set<std::string> list_groups() {
    const auto found = client("home")->json(kubist::kube::raw_get("/apis"));
    REQUIRE(found);
    std::set<std::string> names{""};
    for (const Json& group : (*found)["groups"]) {
      names.insert(group["name"]);
    }
    return names;
  }
  static Json rule(const Words& groups, const Words& resources) {
    return {{"apiGroups", groups}, {"resources", resources}, {"verbs", {"*"}}};
  }
  std::string name(const std::string& part) const { return cat(m_user, '-', part); }
  void bind(const std::string& part, const Json& rules) const {
    const std::string api = "rbac.authorization.k8s.io";
    put("home",
        {{{"apiVersion", api + "/v1"},
          {"kind", "ClusterRole"},
          {"metadata", {{"name", name(part)}}},
          {"rules", rules}},
         {{"apiVersion", api + "/v1"},
          {"kind", "ClusterRoleBinding"},
          {"metadata", {{"name", name(part)}}},
          {"roleRef", {{"apiGroup", api}, {"kind", "ClusterRole"}, {"name", name(part)}}},
          {"subjects", Json::array({{{"kind", "User"}, {"name", m_user}, {"apiGroup", api}}})}}});
  }
  bool is_given() const {
    const auto review = client("home")->json(kubist::kube::create(
        resource("home", "subjectaccessreviews.authorization.k8s.io"),
        {{"apiVersion", "authorization.k8s.io/v1"},
         {"kind", "SubjectAccessReview"},
         {"spec",
          {{"user", m_user},
           {"resourceAttributes",
            {{"group", "kubist.io"}, {"resource", m_plural}, {"verb", "watch"}}}}}}));
    REQUIRE_MESSAGE(review, (review ? "" : review.error().to_string()));
    return data::bool_at(*review, {"status", "allowed"});
  }

  std::string m_user, m_plural;
};

/// Nothing reaches that port of this machine, nor is anybody told, for as long as this lives.
class Unplugged {
 public:
  explicit Unplugged(const std::string& url) : m_port(url.substr(url.rfind(':') + 1)) {
    iptables("-I");
  }
  ~Unplugged() { iptables("-D"); }
  Unplugged(const Unplugged&) = delete;
  Unplugged& operator=(const Unplugged&) = delete;

 private:
  void iptables(const char* what) const {
    const auto done = kubist::util::run_command(
        {.args = {"iptables", "-w", what, "INPUT", "-p", "tcp", "--dport", m_port, "-j", "DROP"}});
    REQUIRE_MESSAGE((done && done->exit_code == 0), (done ? done->err : done.error().to_string()));
  }
  std::string m_port;
};

/// A kubist that watches a project.
class Watch {
 public:
  explicit Watch(const std::string& project, const Words& more = {}) {
    Words words{"reconcile", "Project/" + project, "--watch"};
    words.insert(words.end(), more.begin(), more.end());
    m_run = std::make_unique<Background>(words);
  }
  void says(const std::string& words, int seconds = 60) const {
    CHECK_MESSAGE(
        eventually([&] { return m_run->output().find(words) != std::string::npos; }, seconds),
        words, '\n', m_run->output());
  }
  void end() const {
    m_run->signal(SIGTERM);
    CHECK_MESSAGE(m_run->wait(20) == 143, m_run->output());
  }
  std::string output() const { return m_run->output(); }

 private:
  std::unique_ptr<Background> m_run;
};

bool vc_is_ready(const std::string& project, const std::string& name) {
  return condition(vc(project, name), "Ready") == "True";
}

/// A Cluster behind that proxy, and a namespace on it.
std::vector<Json> behind(const FaultProxy& proxy, const std::string& kubeconfig,
                         const std::string& project, const std::string& name,
                         const std::string& tier) {
  Json config = Json::parse(kubeconfig);
  config["clusters"][0]["cluster"]["server"] = proxy.url();
  return {secret(project, name, config.dump()),
          object("Cluster", project, name,
                 {{"kubeconfigSecretRef", {{"name", name}}}, {"istio", {{"mode", "Ignore"}}}}),
          virtual_cluster(project, name, name, cat(project, '-', name),
                          {{"labels", {{"tier", tier}}}})};
}

}  // namespace

TEST_CASE("outages: soon after a right, a kind or a cluster is back, what changed is acted upon") {
  World world("outages");
  const std::string right = world.name("right"), kind = world.name("kind"), off = world.name("off");
  world.make_project(right);
  world.make_project(kind);
  world.make_project(off, {{"allow", {{"clusters", {"https://127.0.0.1:*"}}}}});
  const std::string config = world.token_kubeconfig("target1").first;
  FaultProxy home, refused("target1");
  const FaultProxy unplugged("target1");
  const auto put_far = [&](const std::string& tier) {
    put("home", behind(refused, config, off, "refused", tier));
    put("home", behind(unplugged, config, off, "unplugged", tier));
  };
  const auto far_have = [&](const std::string& tier) {
    return label(off + "-refused", "tier", "target1") == tier &&
           label(off + "-unplugged", "tier", "target1") == tier;
  };
  for (const std::string& project : {right, kind}) {
    put("home", {object("Cluster", project, "home", {{"home", true}}),
                 virtual_cluster(project, "dev", "home", project + "-dev")});
  }
  put_far("old");
  const OneRight virtual_clusters(world.user(), "virtualclusters");
  const Watch of_right(right, home.through({"--as", world.user()})), of_kind(kind), of_off(off);
  REQUIRE_MESSAGE(eventually([&] { return vc_is_ready(right, "dev"); }), of_right.output());
  REQUIRE_MESSAGE(eventually([&] { return vc_is_ready(kind, "dev"); }), of_kind.output());
  REQUIRE_MESSAGE(eventually([&] { return far_have("old"); }), of_off.output());

  auto cable = std::make_unique<Unplugged>(unplugged.url());
  refused.rules(Json::array({{{"fault", "reset"}}}));
  refused.cut();
  virtual_clusters.take();
  home.cut();  // the API server asks for rights when a watch begins
  it::remove("home", "customresourcedefinitions.apiextensions.k8s.io", k_executions);
  of_right.says("the watch of virtualclusters.kubist.io is away");
  of_kind.says(cat("the watch of ", k_executions, " is away"));
  put_far("new");
  put("home", {virtual_cluster(right, "late", "home", right + "-late"),
               virtual_cluster(kind, "late", "home", kind + "-late")});
  of_right.says("the watch of virtualclusters.kubist.io is still away after 3");
  of_right.says("virtualclusters.kubist.io is forbidden");
  of_kind.says(cat("the watch of ", k_executions, " is still away after 3"));
  of_kind.says("Install kubist's kinds on this cluster with 'kubist init'.");
  of_off.says(cat("namespaces at ", refused.url(), " is still away after 3"));
  of_off.says(cat("namespaces at ", unplugged.url(), " is "));
  CHECK_FALSE((vc_is_ready(right, "late") || vc_is_ready(kind, "late")));
  CHECK(far_have("old"));

  REQUIRE(run_kubist(as_administrator({"init"})).exit_code == 0);
  const Json all{{"name", "all"},
                 {"type", "Templates"},
                 {"template", "function(x) [{name: 'one', type: 'kubist.io/mock'}]"}};
  put("home", {object("Execution", kind, "late", {{"items", Json::array({all})}})});
  CHECK_MESSAGE(eventually(
                    [&] {
                      return vc_is_ready(kind, "late") &&
                             condition(get("home", "kexec", "late", kind), "Ready") == "True";
                    },
                    k_of_a_right),
                of_kind.output());
  virtual_clusters.give();
  CHECK_MESSAGE(eventually([&] { return vc_is_ready(right, "late"); }, k_of_a_right),
                of_right.output());
  cable.reset();
  refused.rules(Json::array());
  CHECK_MESSAGE(eventually([&] { return far_have("new"); }, k_of_a_cluster), of_off.output());

  for (const Watch* each : {&of_right, &of_kind, &of_off}) {
    each->end();
  }
}
