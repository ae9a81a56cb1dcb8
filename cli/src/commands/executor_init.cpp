#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "function_files.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

// NAME, USE, SPEC and KIND stand for those given.
constexpr const char* k_definition =
    R"(# An executor: a pure function from a resource to the objects that shall exist for it, see
# docs/how-to/executors.md. Test it with
#   kubist executor test NAME.yaml NAME.test.yaml
# A KIND runs it with spec.executor: {name: NAME}.
apiVersion: kubist.io/v1alpha1
kind: ExecutorDefinition
metadata:
  name: NAME
spec:
  description: What it does, in a sentence.
USEPLACE  parameters:                 # a JSON schema; what is not given comes from settings, then from here
    type: object
    properties:
      team: {type: string, default: nobody}
  runtime:
    jsonnet:
      source: |
        function(list)
          local config = list.functionConfig;
          local resource = list.items[0];
          list {
            items: [resource, {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: resource.metadata.name + '-team', namespace: config.target.namespace },
              data: { team: config.parameters.team },
            }],
            results: [{ severity: 'info', message: 'belongs to team ' + config.parameters.team }],
          }
)";

constexpr const char* k_cases =
    R"(# Cases for `kubist executor test`: `expected` has the objects, not the resource; maps in it may leave out keys.
name: one ConfigMap says whose it is
executor:
  name: NAME
  parameters: {team: shop}
input:
  apiVersion: config.kubernetes.io/v1
  kind: ResourceList
  items:
    - apiVersion: kubist.io/v1alpha1
      kind: KIND
      metadata: {name: example, namespace: example}
      spec: {}
  functionConfig:
    target: {namespace: example}
expected:
  items:
    - kind: ConfigMap
      metadata: {name: example-team, namespace: example}
      data: {team: shop}
  results:
    - {severity: info, message: belongs to team shop}
)";

/// A Root and a Cluster have no namespace of their own: the definition names it.
bool has_namespace(std::string_view kind) { return kind != "Root" && kind != "Cluster"; }

constexpr const char* k_place =
    R"(  serviceAccountName: NAME    # of namespace kubist-system; it needs rights for the objects
  allows:
    namespaces: [NAME]
)";

util::Result<int> run_executor_init(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const std::string name, function_name(arguments));
  const std::string word = arguments.text("kind");
  const resources::Kind* kind = resources::find_kind_by_word(word);
  const auto kinds = executors::definable_kinds();
  if (kind == nullptr || std::find(kinds.begin(), kinds.end(), kind->name) == kinds.end()) {
    return util::fail(ErrorKind::usage, cat("a ", word, " cannot name an executor"),
                      cat("Kinds that can: ", util::join(kinds, ", "), '.'));
  }
  const std::string use = arguments.boolean("replace") ? "  kinds: [KIND]               # instead "
                                                         "of the built-in executor\n"
                                                       : "  wraps: KIND                 # runs "
                                                         "after the built-in executor\n";
  const auto filled = [&](std::string text) {
    text = util::replace_all(std::move(text), "USE", use);
    text = util::replace_all(std::move(text), "PLACE", has_namespace(kind->name) ? "" : k_place);
    if (!has_namespace(kind->name)) {
      text = util::replace_all(std::move(text), "config.target.namespace", cat('\'', name, '\''));
      text = util::replace_all(std::move(text), "-team, namespace: example",
                               cat("-team, namespace: ", name));
      text = util::replace_all(std::move(text), "    target: {namespace: example}\n",
                               "    target: {}\n");
    }
    return util::replace_all(util::replace_all(std::move(text), "NAME", name), "KIND", kind->name);
  };
  KUBIST_CHECK(write_function(arguments, filled(k_definition), filled(k_cases), context.out()));
  return k_ok;
}

}  // namespace

CommandSpec executor_init_command() {
  return {
      .path = "executor init",
      .group = "Policies",
      .summary = "Write an executor to start from, with cases that test it",
      .details =
          "Writes NAME.yaml, an ExecutorDefinition in Jsonnet that works, and NAME.test.yaml, "
          "cases "
          "for 'kubist executor test'. Files that exist are never touched. It runs after the "
          "built-in executor of its kind, or with --replace instead of it.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .flags = {{"kind", 0, FlagKind::text, "KIND", "the kind that it is for", "VirtualCluster",
                 Completes::resource_types},
                {"replace", 0, FlagKind::boolean, "", "run instead of the built-in executor"},
                {"dir", 0, FlagKind::text, "FOLDER", "where the files go", ".", Completes::files}},
      .examples = {{"One that runs beside the built-in one of Clusters",
                    "kubist executor init registry --kind Cluster && kubist executor test "
                    "registry.yaml registry.test.yaml"}},
      .run = run_executor_init};
}

}  // namespace kubist::cli
