#include "commands/commands.hpp"

#include <algorithm>
#include <array>

#include <kubist/util/text.hpp>

namespace kubist::cli {

namespace {

/// The record of one command, made when it is first asked for.
template <CommandSpec (*make)()>
const CommandSpec& record_of() {
  static const CommandSpec spec = make();
  return spec;
}

/// Which record a path has: a start makes only that of its own command.
struct CommandRow {
  std::string_view path;
  const CommandSpec& (*spec)();
};

constexpr CommandRow k_rows[] = {
    {"init", record_of<init_command>},
    {"apply", record_of<apply_command>},
    {"reconcile", record_of<reconcile_command>},
    {"controller", record_of<controller_command>},
    {"tree", record_of<tree_command>},
    {"validate", record_of<validate_command>},
    {"diff", record_of<diff_command>},
    {"delete", record_of<delete_command>},
    {"wait", record_of<wait_command>},
    {"why", record_of<why_command>},
    {"deployitem list", record_of<deployitem_list_command>},
    {"deployitem describe", record_of<deployitem_describe_command>},
    {"deployitem logs", record_of<deployitem_logs_command>},
    {"deployitem exports", record_of<deployitem_exports_command>},
    {"deployitem reconcile", record_of<deployitem_reconcile_command>},
    {"deployitem interrupt", record_of<deployitem_interrupt_command>},
    {"deployitem delete", record_of<deployitem_delete_command>},
    {"deployitem state ls", record_of<deployitem_state_ls_command>},
    {"deployitem state get", record_of<deployitem_state_get_command>},
    {"deployitem state put", record_of<deployitem_state_put_command>},
    {"deployitem state rm", record_of<deployitem_state_rm_command>},
    {"garbage", record_of<garbage_command>},
    {"get", record_of<get_command>},
    {"describe", record_of<describe_command>},
    {"events", record_of<events_command>},
    {"logs", record_of<logs_command>},
    {"explain", record_of<explain_command>},
    {"edit", record_of<edit_command>},
    {"label", record_of<label_command>},
    {"annotate", record_of<annotate_command>},
    {"create configmap", record_of<create_configmap_command>},
    {"create cm", record_of<create_cm_command>},
    {"create secret generic", record_of<create_secret_generic_command>},
    {"create secret docker-registry", record_of<create_secret_docker_registry_command>},
    {"create secret tls", record_of<create_secret_tls_command>},
    {"create token", record_of<create_token_command>},
    {"rollout status", record_of<rollout_status_command>},
    {"rollout restart", record_of<rollout_restart_command>},
    {"api-resources", record_of<api_resources_command>},
    {"auth can-i", record_of<auth_can_i_command>},
    {"auth whoami", record_of<auth_whoami_command>},
    {"cluster add", record_of<cluster_add_command>},
    {"cluster check", record_of<cluster_check_command>},
    {"cluster rotate", record_of<cluster_rotate_command>},
    {"canary list", record_of<canary_list_command>},
    {"canary status", record_of<canary_status_command>},
    {"canary history", record_of<canary_history_command>},
    {"canary approve", record_of<canary_approve_command>},
    {"canary promote", record_of<canary_promote_command>},
    {"canary pause", record_of<canary_pause_command>},
    {"canary resume", record_of<canary_resume_command>},
    {"canary abort", record_of<canary_abort_command>},
    {"canary retry", record_of<canary_retry_command>},
    {"canary simulate", record_of<canary_simulate_command>},
    {"convert", record_of<convert_command>},
    {"experiment list", record_of<experiment_list_command>},
    {"experiment status", record_of<experiment_status_command>},
    {"experiment pause", record_of<experiment_pause_command>},
    {"experiment resume", record_of<experiment_resume_command>},
    {"experiment abort", record_of<experiment_abort_command>},
    {"route explain", record_of<route_explain_command>},
    {"istio check", record_of<istio_check_command>},
    {"istio diff", record_of<istio_diff_command>},
    {"istio install", record_of<istio_install_command>},
    {"istio upgrade", record_of<istio_upgrade_command>},
    {"istio move", record_of<istio_move_command>},
    {"istio uninstall", record_of<istio_uninstall_command>},
    {"policy init", record_of<policy_init_command>},
    {"policy test", record_of<policy_test_command>},
    {"policy list", record_of<policy_list_command>},
    {"policy trace", record_of<policy_trace_command>},
    {"policy run", record_of<policy_run_command>},
    {"executor init", record_of<executor_init_command>},
    {"executor test", record_of<executor_test_command>},
    {"executor list", record_of<executor_list_command>},
    {"executor trace", record_of<executor_trace_command>},
    {"executor run", record_of<executor_run_command>},
    {"config view", record_of<config_view_command>},
    {"config get-contexts", record_of<config_get_contexts_command>},
    {"config set-context", record_of<config_set_context_command>},
    {"config use-context", record_of<config_use_context_command>},
    {"config use", record_of<config_use_command>},
    {"config current-context", record_of<config_current_context_command>},
    {"version", record_of<version_command>},
    {"options", record_of<options_command>},
    {"completion", record_of<completion_command>},
    {"uninstall", record_of<uninstall_command>},
    {"__complete", record_of<complete_command>},
    {"__dump-cli", record_of<dump_command>},
    {"agent restore", record_of<agent_restore_command>},
    {"agent collect", record_of<agent_collect_command>},
};

}  // namespace

const std::vector<std::reference_wrapper<const CommandSpec>>& commands() {
  static const auto all = [] {
    std::vector<std::reference_wrapper<const CommandSpec>> specs;
    for (const CommandRow& row : k_rows) {
      specs.emplace_back(row.spec());
    }
    return specs;
  }();
  return all;
}

Flag choice_flag(std::string_view name, char letter, std::string_view value, std::string_view help,
                 std::string_view initial, std::vector<std::string_view> choices,
                 std::string_view bare) {
  const FlagKind kind = bare.empty() ? FlagKind::text : FlagKind::optional;
  return {name, letter, kind, value, help, initial, Completes::choices, bare, std::move(choices)};
}

Flag kubectl_flag(std::string_view name, FlagKind kind) {
  Flag flag{name, 0, kind, "", "accepted for kubectl's sake"};
  flag.hidden = true;
  return flag;
}

const CommandGroup* find_group(std::string_view word) {
  static constexpr std::array<CommandGroup, 12> k_groups{{
      {"auth", "Ask who you are, and what you, or a project, may do"},
      {"create", "Make a ConfigMap, a Secret or a ServiceAccount's token"},
      {"rollout", "Follow and restart Deployments, StatefulSets and DaemonSets"},
      {"cluster", "Add other clusters to a project, check them, rotate their tokens"},
      {"deployitem", "Work on the items of Executions: logs, exports, state, runs"},
      {"canary", "Follow and steer the release of a new version, or simulate it"},
      {"experiment", "Follow and steer experiments that compare variants"},
      {"route", "Explain which requests a TrafficRoute takes"},
      {"istio", "Check, install, upgrade and remove Istio"},
      {"policy", "Write, test and trace policies"},
      {"executor", "Write, test and trace executors"},
      {"config", "Show the kubeconfig, choose and change its contexts"},
  }};
  const auto found = std::find_if(k_groups.begin(), k_groups.end(),
                                  [&](const CommandGroup& group) { return group.word == word; });
  return found == k_groups.end() ? nullptr : &*found;
}

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags{
      {"kubeconfig", 0, FlagKind::text, "FILE",
       "kubeconfig to use instead of $KUBECONFIG and ~/.kube/config", "", Completes::files},
      {"context", 0, FlagKind::text, "NAME", "kubeconfig context to use", "", Completes::contexts},
      {"cluster", 0, FlagKind::text, "NAME", "kubeconfig cluster to use", "", Completes::clusters},
      {"user", 0, FlagKind::text, "NAME", "kubeconfig user to use", "", Completes::users},
      {"namespace", 'n', FlagKind::text, "NAMESPACE", "namespace of the request", "",
       Completes::namespaces},
      {"server", 's', FlagKind::text, "URL", "address of the API server"},
      {"token", 0, FlagKind::text, "TOKEN", "bearer token for the API server"},
      {"as", 0, FlagKind::text, "USER", "user to impersonate"},
      {"as-group", 0, FlagKind::list, "GROUP", "group to impersonate, may be repeated"},
      {"as-uid", 0, FlagKind::text, "UID", "UID to impersonate"},
      {"certificate-authority", 0, FlagKind::text, "FILE",
       "certificates that the server's must be signed by", "", Completes::files},
      {"client-certificate", 0, FlagKind::text, "FILE", "client certificate", "", Completes::files},
      {"client-key", 0, FlagKind::text, "FILE", "key of the client certificate", "",
       Completes::files},
      {"tls-server-name", 0, FlagKind::text, "NAME",
       "name to check the server's certificate against"},
      {"insecure-skip-tls-verify", 0, FlagKind::boolean, "",
       "do not check the server's certificate (unsafe)"},
      {"request-timeout", 0, FlagKind::duration, "DURATION",
       "how long one request may take; 0 means no limit", "0"},
      {"yes", 0, FlagKind::boolean, "", "confirm what kubist would ask a person at the terminal"},
      {"v", 'v', FlagKind::number, "LEVEL",
       "trace on stderr: 6 requests, 7 headers, 8 and 9 bodies, secrets masked", "0"},
      choice_flag("color", 0, "WHEN", "colours: auto, always or never (NO_COLOR is honoured)",
                  "auto", {"auto", "always", "never"}),
      {"help", 'h', FlagKind::boolean, "", "explain the command"},
      kubectl_flag("cache-dir", FlagKind::text),
      kubectl_flag("disable-compression", FlagKind::boolean),
      kubectl_flag("log-flush-frequency", FlagKind::duration),
      kubectl_flag("profile", FlagKind::text),
      kubectl_flag("profile-output", FlagKind::text),
      kubectl_flag("vmodule", FlagKind::text),
  };
  return flags;
}

const CommandSpec* find_command(const std::vector<std::string>& words) {
  std::string path;
  const CommandRow* found = nullptr;
  for (std::size_t i = 0; i < words.size() && i < 3; ++i) {
    path += path.empty() ? words[i] : ' ' + words[i];
    for (const CommandRow& row : k_rows) {
      if (row.path == path) {
        found = &row;
      }
    }
  }
  return found == nullptr ? nullptr : &found->spec();
}

}  // namespace kubist::cli
