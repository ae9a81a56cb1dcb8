#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/convert/convert.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "../output/document.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

/// YAML as a stream of documents, all else of one List.
util::Result<> print_objects(Context& context, const std::vector<data::Json>& objects) {
  if (context.arguments().text("output") != "yaml") {
    KUBIST_CHECK(
        print_document(context, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}}));
    return {};
  }
  std::string text;
  for (const data::Json& object : objects) {
    text += text.empty() ? "" : "---\n";
    data::write_yaml(object, text);
  }
  context.out().write(text);
  return {};
}

util::Result<int> run_convert(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto manifests, read_input(context, arguments));
  const convert::Options options{.project = arguments.text("project"),
                                 .virtual_cluster = arguments.text("virtual-cluster")};
  KUBIST_TRY(const convert::Converted converted, convert::convert(manifests, options));
  if (arguments.boolean("strict") && !converted.warnings.empty()) {
    return util::fail(data::combine_errors(converted.warnings, "the input"));
  }
  for (const util::Error& warning : converted.warnings) {
    context.log().line(cat("warning: ", warning.to_string()));
  }
  KUBIST_CHECK(print_objects(context, converted.objects));
  return k_ok;
}

constexpr std::string_view k_details =
    "Reads Canaries of Flagger (flagger.app/v1beta1) and Rollouts of Argo (argoproj.io/v1alpha1), "
    "and prints what kubist has instead: a Destination, a TrafficRoute and a CanaryRelease for "
    "each, ready for 'kubist apply -f -'. The pod template of a Rollout, or the Deployment of a "
    "Canary where it is in the input, becomes a Deployment NAME-v1 with the label 'version: v1'. "
    "The release moves the traffic to pods with the label 'version: v2': it waits until you make a "
    "Deployment NAME-v2 for the next version. No cluster is asked.\n\n"
    "Other objects in the input are used where these name them: MetricTemplate and AlertProvider "
    "of Flagger; AnalysisTemplate and ClusterAnalysisTemplate of Argo; Deployment, Service, and "
    "VirtualService and DestinationRule of Istio.\n\n"
    "Each field without a counterpart, and each object that is not used, is a warning on standard "
    "error, with file, line, column and field. With --strict warnings are errors, and "
    "nothing is printed on standard output. A step or an analysis of which nothing is left "
    "waits for a person instead, who uses 'kubist canary approve' or 'kubist canary resume'.\n\n"
    "kubist's objects go to the namespace of the project, and name a VirtualCluster that keeps the "
    "namespace of the pods. Both have the name of the converted object's namespace by default.";

}  // namespace

CommandSpec convert_command() {
  return {
      .path = "convert",
      .group = "Releases and traffic",
      .summary = "Make kubist's objects of Flagger's Canary or Argo's Rollout",
      .details = k_details,
      .arguments = "-f FILE",
      .flags = {filename_flag(),
                recursive_flag(),
                {"project", 0, FlagKind::text, "NAMESPACE",
                 "the project's namespace, for kubist's objects", "", Completes::namespaces},
                {"virtual-cluster", 0, FlagKind::text, "NAME", "the VirtualCluster that they name"},
                {"strict", 0, FlagKind::boolean, "", "a warning is an error"},
                document_flag("yaml, json or jsonpath=TEMPLATE", "yaml")},
      .examples = {{"See what a Canary becomes, and what has no counterpart",
                    "kubist convert -f canary.yaml --virtual-cluster prod"},
                   {"The same of all that a Rollout names, checked and kept in a file",
                    "kubist convert -R -f rollout/ --strict > release.yaml && kubist validate "
                    "-f release.yaml"}},
      .run = run_convert};
}

}  // namespace kubist::cli
