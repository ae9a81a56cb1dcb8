#include "left_out.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

const std::vector<std::string_view>& commands_left_out() {
  static const std::vector<std::string_view> paths{"alpha",
                                                   "api-versions",
                                                   "attach",
                                                   "auth reconcile",
                                                   "autoscale",
                                                   "certificate",
                                                   "cluster-info",
                                                   "config delete-cluster",
                                                   "config delete-context",
                                                   "config delete-user",
                                                   "config get-clusters",
                                                   "config get-users",
                                                   "config rename-context",
                                                   "config set",
                                                   "config set-cluster",
                                                   "config set-credentials",
                                                   "config unset",
                                                   "cordon",
                                                   "cp",
                                                   "create clusterrole",
                                                   "create clusterrolebinding",
                                                   "create cronjob",
                                                   "create deployment",
                                                   "create ingress",
                                                   "create job",
                                                   "create namespace",
                                                   "create poddisruptionbudget",
                                                   "create priorityclass",
                                                   "create quota",
                                                   "create role",
                                                   "create rolebinding",
                                                   "create service",
                                                   "create serviceaccount",
                                                   "debug",
                                                   "drain",
                                                   "exec",
                                                   "expose",
                                                   "kustomize",
                                                   "patch",
                                                   "plugin",
                                                   "port-forward",
                                                   "proxy",
                                                   "replace",
                                                   "rollout history",
                                                   "rollout pause",
                                                   "rollout resume",
                                                   "rollout undo",
                                                   "run",
                                                   "scale",
                                                   "set",
                                                   "taint",
                                                   "top",
                                                   "uncordon"};
  return paths;
}

std::string advice_for_command(std::string_view path) {
  const auto& paths = commands_left_out();
  return std::find(paths.begin(), paths.end(), path) == paths.end()
             ? ""
             : cat("kubist leaves it to kubectl: 'kubectl ", path,
                   "'. docs/reference/kubectl.md says what else it leaves out.");
}

const std::vector<WordLeftOut>& words_left_out() {
  static const std::vector<WordLeftOut> words{{"", "--match-server-version"},
                                              {"", "--username"},
                                              {"", "--password"},
                                              {"", "--kuberc"},
                                              {"", "--warnings-as-errors"},
                                              {"apply", "--force"},
                                              {"apply", "--all"},
                                              {"apply", "--applyset"},
                                              {"apply", "--prune-allowlist"},
                                              {"apply", "--record"},
                                              {"apply", "--cascade"},
                                              {"apply", "--grace-period"},
                                              {"apply", "--subresource"},
                                              {"apply", "--show-managed-fields"},
                                              {"apply", "edit-last-applied"},
                                              {"apply", "set-last-applied"},
                                              {"apply", "view-last-applied"},
                                              {"config view", "--flatten"},
                                              {"config view", "--merge"},
                                              {"delete", "-i"},
                                              {"delete", "--interactive"},
                                              {"delete", "--raw"},
                                              {"diff", "--prune-allowlist"},
                                              {"diff", "--show-managed-fields"},
                                              {"get", "--server-print"},
                                              {"wait", "-o"},
                                              {"wait", "--output"}};
  return words;
}

std::string advice_for_word(std::string_view path, std::string_view word) {
  if (word == "-k" || word == "--kustomize") {
    return "kubist leaves it to kubectl: 'kubectl kustomize FOLDER' prints what -f - takes.";
  }
  if (word == "--template") {
    return advice_for_output("go-template");
  }
  const auto& words = words_left_out();
  return std::none_of(words.begin(), words.end(),
                      [&](const WordLeftOut& each) {
                        return word == each.word && (each.path.empty() || each.path == path);
                      })
             ? ""
             : cat("kubist leaves it to kubectl: 'kubectl ", path, ' ', word,
                   "'. docs/reference/kubectl.md says why.");
}

std::string advice_for_output(std::string_view value) {
  if (value.starts_with("go-template") || value.starts_with("template")) {
    return "kubist leaves templates of Go to kubectl: 'kubectl get -o go-template=...'; "
           "jsonpath=TEMPLATE is here.";
  }
  return value == "kyaml"                 ? "kubist leaves it to kubectl: 'kubectl get -o kyaml'."
         : value == "plaintext-openapiv2" ? "kubist leaves it to kubectl: 'kubectl explain "
                                            "--output=plaintext-openapiv2'."
                                          : "";
}

std::string advice_for_group(std::string_view words) {
  return words == "create" ? "Of files, 'kubist apply -f FILE' makes what is not there." : "";
}

}  // namespace kubist::cli
