// Manifests that a Job renders: istioctl itself, and what is told when it fails.
#include "stage.hpp"

using namespace istio_it;

namespace {

/// A namespace of that name for as long as this lives.
class Namespace {
 public:
  explicit Namespace(const std::string& name) : m_name(name) {
    must(kubectl("home", {"create", "namespace", name}));
    must(kubectl("home",
                 {"label", "namespace", name, "pod-security.kubernetes.io/enforce=restricted"}));
  }
  ~Namespace() { (void)kubectl("home", {"delete", "namespace", m_name, "--wait=false"}); }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

 private:
  std::string m_name;
};

const char* const k_ns = "kubist-render-test";

Words render(const Words& more, const std::string& image = k_istioctl) {
  Words args{"istio", "install", "--dry-run=client", "--render", image, "--render-namespace", k_ns};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

void refused(const Words& args, const std::vector<std::string>& told) {
  const CommandResult run = run_kubist(args);
  CHECK_MESSAGE(run.exit_code != 0, run.out);
  for (const std::string& text : told) {
    CHECK_MESSAGE(run.err.find(text) != std::string::npos, text, " is not in:\n", run.err);
  }
  CHECK(must(kubectl("home", {"get", "jobs", "-n", k_ns, "-o", "name"})).empty());
}

}  // namespace

TEST_CASE("istio install --render: what a Job prints is checked, and why it fails is told") {
  load_istioctl();
  ensure_absent();
  const Namespace ns(k_ns);

  const Words minimal = render({"--", "manifest", "generate", "--set", "profile=minimal"});
  const std::string would = must(run_kubist(minimal));
  CHECK(would.find("deployment/istiod created (dry run)") != std::string::npos);
  CHECK(would.find("ingressgateway") == std::string::npos);
  CHECK(must(kubectl("home", {"get", "jobs", "-n", k_ns, "-o", "name"})).empty());
  CHECK(eventually([] {
    return must(kubectl("home", {"get", "pods", "-n", k_ns, "-o", "name"})).empty();
  }));

  refused(render({"--version", "1.30.0"}), {"not of 1.30.0"});
  refused(render({"--sha256", std::string(64, '0')}), {"has the SHA-256"});
  refused(render({"--", "manifest", "generate", "--set", "profile=nobody"}),
          {"exited with code", "nobody"});
  refused(render({"--", "version", "--remote=false"}), {"has no kind"});
  refused(render({}, "localhost/nobody:1"), {"ImagePullBackOff", "localhost/nobody:1"});
  refused({"istio", "diff", "istio.yaml", "other.yaml"}, {"needs one PATH"});
  must(kubectl("home", {"create", "quota", "none", "--hard=pods=0", "-n", k_ns}));
  refused(render({}), {"exceeded quota"});
  CHECK(verdict() == "absent");
}

TEST_CASE("spec.istio: rendered by a Job on the cluster, where the Project grants the image") {
  load_istioctl();
  ensure_absent();
  const Json args = Json::array({"manifest", "generate", "--set", "profile=minimal"});
  Stage stage("istio-render", granting("Image/docker.io/istio/istioctl:*"),
              {{"mode", "Install"},
               {"version", "1.31.0"},
               {"source", {{"render", {{"image", k_istioctl}, {"args", args}}}}}});
  CHECK(run_kubist(stage.reconcile()).exit_code != 0);
  CHECK(reason(stage.cluster(), "Stalled") == "IstioInstallNotGranted");
  must(kubectl(
      "home",
      {"patch", "kproj", stage.project(), "--type=merge", "-p",
       Json{{"spec", granting(cat("Image/", k_istioctl, " manifest generate *"))}}.dump()}));
  Audit audit("home");
  Words dry = stage.reconcile();
  dry.emplace_back("--dry-run=client");
  must(run_kubist(dry));
  CHECK(audit.writes(stage.user()).empty());
  must(run_kubist(stage.reconcile()));
  CHECK(condition(stage.cluster(), "IstioReady") == "True");
  CHECK((*stage.cluster())["status"]["istio"]["version"] == "1.31.0");
  CHECK(exists("configmap", "kubist-install", k_system));
  stage.check_others_go_on();
  const auto jobs = [&] {
    std::string verbs;
    for (const AuditedWrite& write : audit.writes(stage.user())) {
      verbs += write.resource == "jobs" ? write.verb + ' ' : "";
    }
    return verbs;
  };
  CHECK(jobs() == "create delete ");
  must(run_kubist(stage.reconcile()));
  CHECK(jobs() == "create delete ");
}
