#include "support.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "caller.hpp"
#include "support/cost.hpp"
#include "support/paths.hpp"

extern char** environ;

namespace it {

using namespace kubist;
namespace fs = std::filesystem;

namespace {

/// What takes longer hangs, on a busy machine, too. SIGTERM first: so it says what it was at.
constexpr const char* k_longest = "400";
CommandResult run(Words args, const std::string& input, const fs::path& config) {
  cost::count_process(args.front());
  args.insert(args.begin(), {"timeout", k_longest});
  util::Command command;
  command.extra_environment["KUBECONFIG"] = config;
  command.args = std::move(args);
  command.input = input;
  command.timeout = std::chrono::seconds(420);
  auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return *result;
}

/// Of a kubist with these arguments: who is impersonated is an administrator's choice.
fs::path config_for(const Words& args) {
  return std::find(args.begin(), args.end(), "--as") == args.end() ? caller::kubeconfig()
                                                                   : kubeconfig("home");
}

}  // namespace

CommandResult run_kubist(const Words& args, const std::string& input) {
  Words all{paths::program()};
  all.insert(all.end(), args.begin(), args.end());
  return run(all, input, config_for(args));
}

CommandResult kubectl(const std::string& cluster, const Words& args, const std::string& input) {
  Words all{"kubectl", "--kubeconfig", kubeconfig(cluster)};
  all.insert(all.end(), args.begin(), args.end());
  return run(all, input, kubeconfig("home"));
}

std::string must(const CommandResult& result) {
  REQUIRE_MESSAGE(result.exit_code == 0, result.exit_code, '\n', result.out, result.err);
  return result.out;
}

std::string label(const std::string& ns, const std::string& name, const std::string& cluster) {
  const auto live = get(cluster, "namespace", ns);
  return live ? (*live)["metadata"]["labels"].value(name, std::string()) : std::string();
}

std::string condition(const std::optional<Json>& live, const std::string& type) {
  return live ? kubist::testing::condition(*live, type) : std::string();
}
std::string reason(const std::optional<Json>& live, const std::string& type) {
  return live ? kubist::testing::reason(*live, type) : std::string();
}
std::string message(const std::optional<Json>& live, const std::string& type) {
  return live ? kubist::testing::message(*live, type) : std::string();
}

Background::Background(const Words& args) : Background(paths::program(), args) {}

Background::Background(const std::string& program, const Words& args) {
  Words words{program};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  cost::count_process(words.front());
  const std::string output = m_folder.path() / "output";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  std::string config =
      util::cat("KUBECONFIG=",
                (program == paths::program() ? config_for(args) : kubeconfig("home")).string());
  std::vector<char*> variables{config.data()};
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with("KUBECONFIG=")) {
      variables.push_back(*each);
    }
  }
  variables.push_back(nullptr);
  const int failed = posix_spawnp(&m_pid, argv[0], &files, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  REQUIRE_MESSAGE(failed == 0, argv[0]);
}

Background::~Background() {
  if (!m_exit) {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
  }
}

void Background::signal(int number) const { ::kill(m_pid, number); }

std::optional<int> Background::wait(int seconds) {
  eventually(
      [this] {
        int status = 0;
        if (!m_exit && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
          m_exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        return m_exit.has_value();
      },
      seconds);
  return m_exit;
}

std::string Background::output() const {
  return util::read_file(m_folder.path() / "output").value_or("");
}

std::optional<pid_t> process_with(const Words& parts) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto pid = util::parse_int(entry.path().filename().string());
    const std::string words = util::read_file(entry.path() / "cmdline").value_or("");  // it may end
    if (pid && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
          return words.find(part) != std::string::npos;
        })) {
      return static_cast<pid_t>(*pid);
    }
  }
  return std::nullopt;
}

void free_lock(const std::string& ns) {
  remove("home", "leases.coordination.k8s.io", "kubist", ns);
}

std::vector<Json> granted(const std::string& ns, const std::string& name, const Json& rules,
                          const std::string& account_ns, const std::string& account) {
  const std::string group = "rbac.authorization.k8s.io";
  const Json meta{{"name", name}, {"namespace", ns}};
  return {{{"apiVersion", group + "/v1"}, {"kind", "Role"}, {"metadata", meta}, {"rules", rules}},
          {{"apiVersion", group + "/v1"},
           {"kind", "RoleBinding"},
           {"metadata", meta},
           {"roleRef", {{"apiGroup", group}, {"kind", "Role"}, {"name", name}}},
           {"subjects",
            Json::array(
                {{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", account_ns}}})}}};
}

Json token_config(const std::string& cluster, const std::string& token) {
  const Json view = Json::parse(
      must(kubectl(cluster, {"config", "view", "--raw", "--minify", "--flatten", "-o", "json"})));
  Json config = small_kubeconfig("");
  config["clusters"][0]["cluster"] = view["clusters"][0]["cluster"];
  config["users"][0]["user"] = {{"token", token}};
  return config;
}

World::World(const std::string& test)
    : m_name(util::cat("policy-", test, '-', util::random_uuid().substr(0, 5))) {
  install_crds();
  caller::add_projects(m_name);
}

namespace {

/// Objects of a cluster whose name begins so; none where they cannot be listed.
std::vector<Json> named(const std::string& cluster, const kube::ApiResource& of,
                        const std::string& prefix) {
  auto all = client(cluster)->list(of, "");
  std::vector<Json> found;
  for (Json& object : all ? all->items : found) {
    if (data::string_at(object, {"metadata", "name"}).starts_with(prefix)) {
      found.push_back(std::move(object));
    }
  }
  return found;
}

/// Nobody is left to do what finalizers stand for.
void drop_finalizers(const kube::ApiResource& of, const Json& object) {
  if (object["metadata"].contains("finalizers")) {
    static_cast<void>(client("home")->run(
        kube::patch(of, data::string_at(object, {"metadata", "namespace"}),
                    data::string_at(object, {"metadata", "name"}), kube::PatchType::merge,
                    {{"metadata", {{"finalizers", nullptr}}}})));
  }
}

/// Of all in a namespace that may have kubist's.
void drop_finalizers_in(const std::string& ns) {
  const auto index = client("home")->discovery().index();
  for (const kube::ApiResource& of : index ? (*index)->all() : std::vector<kube::ApiResource>()) {
    if (of.namespaced &&
        (of.group == resources::k_kubist_group || of.group == resources::k_landscaper_group ||
         (of.group.empty() && of.plural == "secrets"))) {
      const auto objects = client("home")->list(of, ns);
      for (const Json& object : objects ? objects->items : std::vector<Json>()) {
        drop_finalizers(of, object);
      }
    }
  }
}

void ask_for_end(const std::string& cluster, const kube::ApiResource& of, const std::string& name) {
  static_cast<void>(client(cluster)->run(kube::remove(of, "", name)));
}

}  // namespace

World::~World() {
  caller::revoke();
  if (const auto projects = client("home")->discovery().find_word("projects.kubist.io")) {
    for (const Json& project : named("home", *projects, m_name)) {
      ask_for_end("home", *projects, project["metadata"]["name"]);
      drop_finalizers(*projects, project);
    }
  }
  for (const std::string cluster : {"home", "target1"}) {
    for (const Json& ns : named(cluster, kube::well_known::namespaces(), m_name)) {
      ask_for_end(cluster, kube::well_known::namespaces(), ns["metadata"]["name"]);
      if (cluster == "home") {
        drop_finalizers_in(ns["metadata"]["name"]);
      }
    }
  }
  for (const std::string& cluster : m_accounts_on) {
    ask_for_end(cluster, kube::well_known::cluster_role_bindings(), m_name);
  }
}

namespace {

Words with_certificate(Words args, const Certificate& of) {
  args.insert(args.end(), {"--client-certificate", of.certificate, "--client-key", of.key});
  return args;
}

}  // namespace

Words World::as_user(const Words& args, const std::string& suffix) const {
  return with_certificate(args, caller::certificate(user() + suffix));
}

Words World::as_user_on(const std::string& cluster, const Words& args) const {
  Words all = with_certificate(args, issue(cluster, user(), k_administrators));
  all.insert(all.end(), {"--kubeconfig", kubeconfig(cluster)});
  return all;
}

std::pair<std::string, std::string> World::token_kubeconfig(const std::string& cluster) {
  const std::string ns = name("account");
  put(cluster,
      {Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}},
       Json{{"apiVersion", "v1"},
            {"kind", "ServiceAccount"},
            {"metadata", {{"name", "kubist"}, {"namespace", ns}}}},
       Json{{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", "ClusterRoleBinding"},
            {"metadata", {{"name", m_name}}},
            {"roleRef",
             {{"apiGroup", "rbac.authorization.k8s.io"},
              {"kind", "ClusterRole"},
              {"name", "cluster-admin"}}},
            {"subjects",
             Json::array({{{"kind", "ServiceAccount"}, {"name", "kubist"}, {"namespace", ns}}})}}});
  m_accounts_on.insert(cluster);
  const auto token = client(cluster)->json(kube::create_subresource(
      kube::well_known::service_accounts(), ns, "kubist", "token",
      {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}}));
  REQUIRE_MESSAGE(token, (token ? "" : token.error().to_string()));
  return {token_config(cluster, std::string(data::string_at(*token, {"status", "token"}))).dump(),
          util::cat("system:serviceaccount:", ns, ":kubist")};
}

void World::make_project(const std::string& project, const Json& spec) {
  put("home", {object("Project", "", project, spec)});
  must(run_kubist(as_administrator({"reconcile", "Project/" + project})));
}

RootGuard::RootGuard() {
  put("home", {object("Root", "", "root", Json::object())});
  run_kubist(as_administrator({"reconcile", "Root/root", "--timeout=60s"}));
}

RootGuard::~RootGuard() { kubectl("home", {"delete", "kroot", "root", "--ignore-not-found"}); }

void make_place(World& world) {
  world.make_project(world.name());
  put("home", {object("Cluster", world.name(), "home", {{"home", true}}),
               virtual_cluster(world.name(), "dev", "home", world.name("dev"))});
}

Json call(const std::string& name, Json parameters) {
  return {{"name", name}, {"parameters", std::move(parameters)}};
}

std::optional<Json> vc(const std::string& project, const std::string& name) {
  return get("home", "virtualclusters.kubist.io", name, project);
}

void install_crds() {
  static const bool once = [] {
    const Json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", resources::crds()}};
    if (kubectl("home", {"get", "-f", "-", "-o", "name"}, list.dump()).exit_code != 0) {
      must(kubectl("home", {"apply", "--server-side", "-f", "-"}, list.dump()));
    }
    const Json roles{{"apiVersion", "v1"}, {"kind", "List"}, {"items", setup::project_roles()}};
    must(kubectl("home", {"apply", "--server-side", "-f", "-"}, roles.dump()));
    must(kubectl("home", {"wait", "--for=condition=Established", "--timeout=60s", "-f", "-"},
                 list.dump()));
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace it
