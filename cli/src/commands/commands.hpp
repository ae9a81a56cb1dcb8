#pragma once
#include <kubist/cli/command.hpp>

// One function per command, each in its own file; commands.cpp lists them in the order of help.
namespace kubist::cli {

const CommandSpec& agent_collect_command();
const CommandSpec& agent_restore_command();
const CommandSpec& api_resources_command();
const CommandSpec& auth_can_i_command();
const CommandSpec& apply_command();
const CommandSpec& canary_simulate_command();
const CommandSpec& complete_command();
const CommandSpec& completion_command();
const CommandSpec& config_current_context_command();
const CommandSpec& config_get_contexts_command();
const CommandSpec& config_use_context_command();
const CommandSpec& config_view_command();
const CommandSpec& controller_command();
const CommandSpec& delete_command();
const CommandSpec& deployitem_delete_command();
const CommandSpec& deployitem_describe_command();
const CommandSpec& deployitem_exports_command();
const CommandSpec& deployitem_interrupt_command();
const CommandSpec& deployitem_list_command();
const CommandSpec& deployitem_logs_command();
const CommandSpec& deployitem_state_get_command();
const CommandSpec& deployitem_state_ls_command();
const CommandSpec& deployitem_state_put_command();
const CommandSpec& deployitem_state_rm_command();
const CommandSpec& deployitem_reconcile_command();
const CommandSpec& describe_command();
const CommandSpec& diff_command();
const CommandSpec& dump_command();
const CommandSpec& events_command();
const CommandSpec& why_command();
const CommandSpec& explain_command();
const CommandSpec& garbage_command();
const CommandSpec& get_command();
const CommandSpec& init_command();
const CommandSpec& istio_check_command();
const CommandSpec& istio_diff_command();
const CommandSpec& istio_install_command();
const CommandSpec& istio_move_command();
const CommandSpec& istio_uninstall_command();
const CommandSpec& istio_upgrade_command();
const CommandSpec& reconcile_command();
const CommandSpec& canary_history_command();
const CommandSpec& canary_list_command();
const CommandSpec& canary_status_command();
const CommandSpec& canary_approve_command();
const CommandSpec& canary_promote_command();
const CommandSpec& canary_pause_command();
const CommandSpec& canary_resume_command();
const CommandSpec& canary_abort_command();
const CommandSpec& canary_retry_command();
const CommandSpec& experiment_list_command();
const CommandSpec& experiment_status_command();
const CommandSpec& experiment_pause_command();
const CommandSpec& experiment_resume_command();
const CommandSpec& experiment_abort_command();
const CommandSpec& route_explain_command();
const CommandSpec& tree_command();
const CommandSpec& uninstall_command();
const CommandSpec& validate_command();
const CommandSpec& options_command();
const CommandSpec& policy_init_command();
const CommandSpec& policy_list_command();
const CommandSpec& policy_run_command();
const CommandSpec& policy_test_command();
const CommandSpec& policy_trace_command();
const CommandSpec& version_command();
const CommandSpec& wait_command();

}  // namespace kubist::cli
