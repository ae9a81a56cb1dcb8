#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/kubeconfig_edit.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/table.hpp"

namespace kubist::cli {
namespace {

using kube::KubeconfigEntry;
using util::ErrorKind;

constexpr std::string_view k_group = "Settings";

util::Result<kube::Kubeconfig> load(Context& context) {
  return kube::load_kubeconfig(context.overrides(), kube::process_environment());
}

void keep(std::vector<KubeconfigEntry>& entries, std::string_view name) {
  std::erase_if(entries, [&](const KubeconfigEntry& entry) { return entry.name != name; });
}

/// Only what the current context needs.
util::Result<> minify(kube::Kubeconfig& config, const std::string& wanted) {
  const std::string name = wanted.empty() ? config.current_context : wanted;
  const KubeconfigEntry* context = config.context(name);
  if (context == nullptr) {
    return util::fail(ErrorKind::not_found, name.empty() ? std::string("current-context is not set")
                                                         : util::cat("no context \"", name, "\""));
  }
  const std::string cluster(data::string_at(context->value, {"cluster"}));
  const std::string user(data::string_at(context->value, {"user"}));
  config.current_context = name;
  keep(config.contexts, name);
  keep(config.clusters, cluster);
  keep(config.users, user);
  return {};
}

util::Result<int> view(Context& context, const Arguments& arguments) {
  KUBIST_TRY(auto config, load(context));
  if (arguments.boolean("minify")) {
    KUBIST_CHECK(minify(config, arguments.text("context")));
  }
  KUBIST_CHECK(print_document(context, kube::to_json(config, !arguments.boolean("raw"))));
  return k_ok;
}

util::Result<int> get_contexts(Context& context, const Arguments& arguments) {
  const std::string output = arguments.text("output");
  KUBIST_TRY(const auto config, load(context));
  std::vector<std::string> names = arguments.words();
  if (names.empty()) {
    for (const KubeconfigEntry& entry : config.contexts) {
      names.push_back(entry.name);
    }
  }
  std::sort(names.begin(), names.end());
  Table table{{"CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"}, {}};
  data::Json document{{"contexts", data::Json::array()}};
  for (const std::string& name : names) {
    const KubeconfigEntry* entry = config.context(name);
    if (entry == nullptr) {
      return util::fail(ErrorKind::not_found, util::cat("context ", name, " not found"));
    }
    if (output == "name") {
      context.out().write(name + '\n');
      continue;
    }
    const auto text = [&](std::string_view key) {
      return std::string(data::string_at(entry->value, {key}));
    };
    table.rows.push_back({name == config.current_context ? "*" : " ", name, text("cluster"),
                          text("user"), text("namespace")});
    document["contexts"].push_back({{"name", name},
                                    {"current", name == config.current_context},
                                    {"cluster", text("cluster")},
                                    {"user", text("user")},
                                    {"namespace", text("namespace")}});
  }
  KUBIST_TRY(const bool printed, print_document(context, document));
  if (printed) {
    return k_ok;
  }
  if (output.empty() && table.rows.empty() && !arguments.boolean("no-headers")) {
    TableWriter(context.out()).row({table.header.begin(), table.header.end()});
  }
  print_table(context.out(), table, arguments.boolean("no-headers"));
  return k_ok;
}

util::Result<int> use_context(Context& context, const Arguments& arguments) {
  const std::string& name = arguments.words()[0];
  KUBIST_CHECK(kube::use_context(context.overrides(), kube::process_environment(), name));
  context.out().write(util::cat("Switched to context \"", name, "\".\n"));
  return k_ok;
}

/// The one that is named, or with --current the one that is in effect.
util::Result<std::string> context_to_set(Context& context, const Arguments& arguments) {
  const bool current = arguments.boolean("current");
  const std::string name = arguments.words().empty() ? std::string() : arguments.words()[0];
  if (current == !name.empty()) {
    return util::fail(ErrorKind::usage,
                      current ? "--current and the name of a context exclude each other"
                              : "'kubist config set-context' needs a NAME or --current");
  }
  if (!current) {
    return name;
  }
  KUBIST_TRY(const auto config, load(context));
  return config.current_context.empty()
             ? util::fail(ErrorKind::not_found, "no current context is set",
                          "kubist config use-context NAME sets it.")
             : util::Result<std::string>(config.current_context);
}

util::Result<int> set_context(Context& context, const Arguments& arguments) {
  kube::ContextChange change;
  KUBIST_TRY(change.name, context_to_set(context, arguments));
  const auto value = [&](std::string_view flag) {
    return arguments.given(flag) ? std::optional(arguments.text(flag)) : std::nullopt;
  };
  change.cluster = value("cluster");
  change.user = value("user");
  change.ns = value("namespace");
  KUBIST_TRY(const bool created,
             kube::set_context(context.overrides(), kube::process_environment(), change));
  context.out().write(
      util::cat("Context \"", change.name, "\" ", created ? "created" : "modified", ".\n"));
  return k_ok;
}

util::Result<int> current_context(Context& context, const Arguments&) {
  KUBIST_TRY(const auto config, load(context));
  if (config.current_context.empty()) {
    return util::fail(ErrorKind::not_found, "current-context is not set",
                      "kubist config use-context NAME sets it.");
  }
  context.out().write(config.current_context + '\n');
  return k_ok;
}

}  // namespace

CommandSpec config_view_command() {
  return {.path = "config view",
          .group = k_group,
          .summary = "Print the kubeconfig that is in effect, without its secrets",
          .flags = {document_flag("json, yaml or jsonpath=TEMPLATE", "yaml"),
                    {"minify", 0, FlagKind::boolean, "", "only what the current context needs"},
                    {"raw", 0, FlagKind::boolean, "", "with certificates, keys and tokens"}},
          .examples = {{"What the current context says", "kubist config view --minify"}},
          .run = view};
}

CommandSpec config_get_contexts_command() {
  return {.path = "config get-contexts",
          .group = k_group,
          .summary = "Print the contexts of the kubeconfig",
          .arguments = "[NAME...]",
          .max_words = -1,
          .completes = Completes::contexts,
          .flags = {document_flag("json, yaml, jsonpath=TEMPLATE or name, or nothing for a table",
                                  "", {"name"}),
                    {"no-headers", 0, FlagKind::boolean, "", "leave out the line of headers"}},
          .examples = {{"All contexts", "kubist config get-contexts"}},
          .run = get_contexts};
}

CommandSpec config_use_context_command() {
  return {.path = "config use-context",
          .group = k_group,
          .summary = "Make a context the current one",
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .completes = Completes::contexts,
          .examples = {{"Switch", "kubist config use-context prod"}},
          .run = use_context};
}

/// kubectl's short word for it.
CommandSpec config_use_command() {
  CommandSpec spec = config_use_context_command();
  spec.path = "config use";
  spec.hidden = true;
  return spec;
}

CommandSpec config_set_context_command() {
  return {.path = "config set-context",
          .group = k_group,
          .summary = "Change or add a context of the kubeconfig",
          .details =
              "--cluster, --user and --namespace say what it becomes; what is not given stays, and "
              "an empty namespace goes. Comments among the contexts are lost.",
          .arguments = "(NAME | --current)",
          .max_words = 1,
          .completes = Completes::contexts,
          .flags = {{"current", 0, FlagKind::boolean, "", "the context that is in effect"}},
          .examples = {{"Work in another namespace",
                        "kubist config set-context --current --namespace=shop-dev"}},
          .run = set_context};
}

CommandSpec config_current_context_command() {
  return {.path = "config current-context",
          .group = k_group,
          .summary = "Print the name of the current context",
          .examples = {{"Where am I?", "kubist config current-context"}},
          .run = current_context};
}

}  // namespace kubist::cli
