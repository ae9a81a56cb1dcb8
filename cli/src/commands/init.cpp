#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../output/set_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

void print_objects(Context& context, const std::vector<data::Json>& objects) {
  std::string text;
  for (const data::Json& object : objects) {
    text += text.empty() ? "" : "---\n";
    data::write_yaml(object, text);
  }
  context.out().write(text);
}

/// Who may make pods or tokens in a namespace can be any account of it.
util::Result<> check_outside(const setup::ProjectAccount& account) {
  const auto& homes = account.home_namespaces;
  if (account.account_ns == account.ns ||
      std::find(homes.begin(), homes.end(), account.account_ns) != homes.end()) {
    return util::fail(util::ErrorKind::usage,
                      util::cat("--service-account ", account.account_ns, '/', account.name,
                                " is in a namespace of the project"),
                      "Name one in another namespace: who may make pods in a project's namespace "
                      "can act as each account there.");
  }
  return {};
}

util::Result<> print_rbac(Context& context, const Arguments& arguments) {
  setup::ProjectAccount account;
  const std::string given = arguments.text("service-account");
  const auto slash = given.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == given.size()) {
    return util::fail(util::ErrorKind::usage,
                      util::cat("--service-account ", given, " is not of the form NAMESPACE/NAME"),
                      "The account lives outside the namespaces of projects.");
  }
  account.account_ns = given.substr(0, slash);
  account.name = given.substr(slash + 1);
  account.ns = arguments.text("namespace").empty() ? "default" : arguments.text("namespace");
  account.project = arguments.given("project") ? arguments.text("project") : account.ns;
  account.home_namespaces = arguments.list("home-namespace");
  account.creates_namespaces = arguments.boolean("create-namespaces");
  account.project_accounts = arguments.list("project-account");
  if (account.creates_namespaces && account.home_namespaces.empty()) {
    return util::fail(util::ErrorKind::usage, "--create-namespaces without --home-namespace",
                      "Name each namespace that kubist is to create.");
  }
  KUBIST_CHECK(check_outside(account));
  print_objects(context, setup::init_rbac());
  context.out().write("---\n");
  print_objects(context, setup::project_rbac(account));
  return {};
}

/// The controller's image: that of the pods of items, where no other is named.
util::Result<setup::Controller> controller_of(Context& context, const Arguments& arguments) {
  setup::Controller controller;
  if (context.ns_given()) {
    controller.ns = arguments.text("namespace");
  }
  controller.replicas = static_cast<int>(arguments.number("replicas"));
  controller.image = arguments.text("agent-image");
  if (controller.image.empty() && !arguments.boolean("print")) {
    KUBIST_TRY(const auto client, context.client());
    KUBIST_TRY(const auto root, setup::find_root(*client, context.stop()));
    controller.image = deployers::agent_image(root ? &*root : nullptr);
  } else if (controller.image.empty()) {
    controller.image = deployers::agent_image();
  }
  if (controller.image.empty()) {
    return util::fail(deployers::no_agent_image());
  }
  return controller;
}

/// Says how pods of items get their image, where nobody names one; who may not read the Root hears
/// it when an item needs it.
void advise_image(Context& context, kube::Client& client) {
  if (!deployers::agent_image().empty()) {
    return;
  }
  const auto root = setup::find_root(client, context.stop());
  if (root && deployers::agent_image(*root ? &**root : nullptr).empty()) {
    context.log().line(util::cat("note: ", deployers::no_agent_image().to_string()));
  }
}

util::Result<int> run_init(Context& context, const Arguments& arguments) {
  if (arguments.boolean("print-rbac")) {
    KUBIST_CHECK(print_rbac(context, arguments));
    return k_ok;
  }
  KUBIST_TRY(const auto format, set_format(arguments, context.reports()));
  KUBIST_TRY(const auto dry_run, dry_run_of(arguments));
  setup::InstallOptions options;
  options.version = KUBIST_VERSION;
  if (arguments.boolean("controller")) {
    KUBIST_TRY(options.controller, controller_of(context, arguments));
  }
  if (arguments.boolean("print")) {
    print_objects(context, setup::install_objects(options));
    return k_ok;
  }
  KUBIST_TRY(const auto client, context.client());
  options.dry_run = dry_run;
  options.timeout = arguments.duration("timeout");
  options.agent_image = arguments.text("agent-image");
  options.script_image = arguments.text("script-image");
  SetPrinter printer(context, format, std::string(dry_run_suffix(dry_run)), no_manifests());
  options.on_result = [&printer](const apply::ObjectResult& result) { printer.result(result); };
  const apply::Report report = setup::install_crds(*client, options, context.stop());
  if (report.ok() && options.agent_image.empty()) {
    advise_image(context, *client);
  }
  return printer.finish(report);
}

}  // namespace

CommandSpec init_command() {
  return {
      .path = "init",
      .group = "Start here",
      .summary = "Install or upgrade kubist's kinds in the cluster, and its controller",
      .details =
          "Applies the CustomResourceDefinitions and waits until the API server serves them. What "
          "a newer kubist installed stays as it is, and so does a DeployItem kind that somebody "
          "else installed: then items use upstream's fields, and only types kubist.io/* are "
          "claimed. It also installs the ClusterRoles kubist-project and kubist-project-own: the "
          "rights of projects' accounts on this cluster.\n\n"
          "Pods of DeployItems need an image with kubist (packaging/image of kubist's source makes "
          "it). The flags --agent-image and --script-image name images for all clusters: they are "
          "kept in spec.images of the Root, for mirrors and places without the internet, too.\n\n"
          "--controller also installs 'kubist controller' with its roles, in --namespace or "
          "kubist-system, and waits until it is ready. Its image is that of --agent-image, else "
          "the one that the Root names. The script packaging/deploy of kubist's source makes a "
          "Helm chart of the same objects. With --print nothing is sent: it prints as YAML what "
          "would be installed, but the Root.\n\n"
          "With --print-rbac nothing is sent. It prints the least rights that init needs, and "
          "those that a ServiceAccount needs with which kubist applies, reconciles and deletes "
          "what is in a project (in --namespace). The project's account, which kubist "
          "impersonates, is among them. The Project itself and its namespaces on this cluster are "
          "an administrator's: --home-namespace names those that virtual clusters adopt. With "
          "--create-namespaces kubist may create them itself. Then the account may bind the "
          "ClusterRole kubist-project in each namespace of the cluster: give it to nobody whom "
          "you would not trust with all of them.\n\n"
          "Where the Project has a spec.serviceAccountName, pass it as --project-account. That "
          "one is impersonated and bound then, in place of kubist-project. An administrator makes "
          "it.",
      .flags =
          {dry_run_flag("write nothing: client or server"),
           {"agent-image", 0, FlagKind::text, "IMAGE",
            "keep the image with kubist in the Root: it runs beside every workload"},
           {"script-image", 0, FlagKind::text, "IMAGE",
            "keep the image of scripts that name none in the Root"},
           {"controller", 0, FlagKind::boolean, "", "install the controller as well"},
           {"replicas", 0, FlagKind::number, "N", "replicas of the controller", "2"},
           {"print", 0, FlagKind::boolean, "", "print what would be installed as YAML"},
           {"print-rbac", 0, FlagKind::boolean, "", "print the minimum roles as YAML"},
           {"service-account", 0, FlagKind::text, "NAMESPACE/NAME",
            "the ServiceAccount that runs kubist, in a namespace of no project, for --print-rbac",
            "kubist-system/kubist"},
           {"project", 0, FlagKind::text, "NAME",
            "the Project, for --print-rbac; by default named as its namespace"},
           {"home-namespace", 0, FlagKind::list, "NAME",
            "a namespace of this cluster that its virtual clusters keep, for --print-rbac"},
           {"create-namespaces", 0, FlagKind::boolean, "",
            "kubist creates the namespaces of --home-namespace, for --print-rbac"},
           {"project-account", 0, FlagKind::list, "NAME",
            "spec.serviceAccountName of the Project, for --print-rbac; may be repeated"},
           {"timeout", 0, FlagKind::duration, "DURATION",
            "how long to wait for the kinds to be served", "60s"},
           set_output_flag(),
           report_flag()},
      .examples = {{"Install the kinds", "kubist init"},
                   {"The same, with the image for pods of DeployItems",
                    "kubist init --agent-image registry.example.com/kubist:v0.1.0"},
                   {"The same, with the controller",
                    "kubist init --controller --agent-image registry.example.com/kubist:v0.1.0"},
                   {"Print the kinds, without a cluster", "kubist init --print"},
                   {"Print the roles for project shop",
                    "kubist init --print-rbac -n shop --home-namespace shop-dev"}},
      .run = run_init};
}

}  // namespace kubist::cli
