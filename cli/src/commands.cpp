#include "commands/commands.hpp"

#include <algorithm>
#include <array>

#include <kubist/util/text.hpp>

namespace kubist::cli {

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> table{
      init_command(),
      apply_command(),
      reconcile_command(),
      controller_command(),
      tree_command(),
      validate_command(),
      diff_command(),
      delete_command(),
      wait_command(),
      why_command(),
      deployitem_list_command(),
      deployitem_describe_command(),
      deployitem_logs_command(),
      deployitem_exports_command(),
      deployitem_reconcile_command(),
      deployitem_interrupt_command(),
      deployitem_delete_command(),
      deployitem_state_ls_command(),
      deployitem_state_get_command(),
      deployitem_state_put_command(),
      deployitem_state_rm_command(),
      garbage_command(),
      get_command(),
      describe_command(),
      events_command(),
      logs_command(),
      explain_command(),
      edit_command(),
      label_command(),
      annotate_command(),
      create_configmap_command(),
      create_cm_command(),
      create_secret_generic_command(),
      create_secret_docker_registry_command(),
      create_secret_tls_command(),
      create_token_command(),
      rollout_status_command(),
      rollout_restart_command(),
      api_resources_command(),
      auth_can_i_command(),
      auth_whoami_command(),
      cluster_add_command(),
      cluster_check_command(),
      cluster_rotate_command(),
      canary_list_command(),
      canary_status_command(),
      canary_history_command(),
      canary_approve_command(),
      canary_promote_command(),
      canary_pause_command(),
      canary_resume_command(),
      canary_abort_command(),
      canary_retry_command(),
      canary_simulate_command(),
      convert_command(),
      experiment_list_command(),
      experiment_status_command(),
      experiment_pause_command(),
      experiment_resume_command(),
      experiment_abort_command(),
      route_explain_command(),
      istio_check_command(),
      istio_diff_command(),
      istio_install_command(),
      istio_upgrade_command(),
      istio_move_command(),
      istio_uninstall_command(),
      policy_init_command(),
      policy_test_command(),
      policy_list_command(),
      policy_trace_command(),
      policy_run_command(),
      executor_init_command(),
      executor_test_command(),
      executor_list_command(),
      executor_trace_command(),
      executor_run_command(),
      config_view_command(),
      config_get_contexts_command(),
      config_set_context_command(),
      config_use_context_command(),
      config_use_command(),
      config_current_context_command(),
      version_command(),
      options_command(),
      completion_command(),
      uninstall_command(),
      complete_command(),
      dump_command(),
      agent_restore_command(),
      agent_collect_command(),
  };
  return table;
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
      {"yes", 0, FlagKind::boolean, "",
       "confirm writes where the local configuration file asks for it"},
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
  const CommandSpec* found = nullptr;
  for (std::size_t i = 0; i < words.size() && i < 3; ++i) {
    path += path.empty() ? words[i] : ' ' + words[i];
    for (const CommandSpec& spec : commands()) {
      if (spec.path == path) {
        found = &spec;
      }
    }
  }
  return found;
}

}  // namespace kubist::cli
