// Fields beside the configuration, by which an item or an Execution names what is not its own.
#include "hostile_attempts.hpp"

namespace it::hostile {

std::vector<Attempt> reference_attempts() {
  const auto item = [](const std::string& name, const std::string& more, const std::string& reasons,
                       const Words& never = {}) {
    return Attempt{"DeployItem", name, "{type: kubist.io/mock, timeout: 10s, " + more + "}",
                   reasons, never};
  };
  const auto imports = [](const std::string& name, const std::string& from) {
    return Attempt{"Execution",
                   name,
                   "{imports: [{name: a, " + from +
                       "}], items: [{name: s, type: Script, script: 'true', image: "
                       "'localhost/busybox:1'}]}",
                   "Invalid|InvalidSpec|ImportNotFound|DependencyNotFound",
                   {"deployitem/PROJECT/" + name + "-s"}};
  };
  return {item("as-account", "serviceAccountName: kubist-project, config: {}", ""),
          item("export-over", "export: {secretRef: {name: db-export}}, config: {export: {a: 1}}",
               "SecretNotAllowed"),
          item("export-kept", "export: {secretRef: {name: kept}}, config: {export: {a: 1}}",
               "NameTaken"),
          item("export-token", "export: {secretRef: {name: x-import}}, config: {export: {a: 1}}",
               "SecretNotAllowed", {"secret/PROJECT/x-import"}),
          item("import-other",
               "import: {secretRef: {name: keys, namespace: OTHER, key: value}}, config: {}",
               "ImportNotFound"),
          item("import-dot", "import: {secretRef: {name: '.', key: items}}, config: {}",
               "Invalid|InvalidSpec|ImportNotFound"),
          imports("x-dot", "secretRef: {name: '.', key: items}"),
          imports("x-dots", "configMapRef: {name: '..', key: a}"),
          imports("x-run", "executionRef: {name: '../../OTHER/executions/x', export: a}"),
          runs("run-pull", "imagePullSecrets: [{name: kept}]", "SecretNotAllowed")};
}

}  // namespace it::hostile
