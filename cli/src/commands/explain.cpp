#include "output/explain.hpp"

#include <cctype>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/json_schema.hpp"
#include "policy_io.hpp"
#include "query/targets.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::ErrorKind;

util::Result<kube::ApiResource> resource_of(kube::Client& client, const std::string& word,
                                            const std::string& api_version,
                                            const std::stop_token& stop) {
  KUBIST_TRY(auto resource, find_resource(client, word, stop));
  return api_version.empty() ? util::Result<kube::ApiResource>(std::move(resource))
                             : client.discovery().find_kind(api_version, resource.kind, stop);
}

util::Result<> print_explained(Context& context, const KindSchema& kind,
                               const std::vector<std::string>& path) {
  const bool recursive = context.arguments().boolean("recursive");
  const std::string output = context.arguments().text("output");
  if (output == "jsonschema") {
    if (!path.empty()) {
      return util::fail(ErrorKind::usage, "-o jsonschema is of a whole kind",
                        util::cat("Name only ", kind.kind, ", without a field."));
    }
    context.out().write(json_schema(kind).dump(2) + '\n');
    return {};
  }
  if (!output.empty() && output != "plaintext") {
    KUBIST_TRY(const Json document, explain_document(kind, path, recursive));
    KUBIST_CHECK(print_document(context, document));
    return {};
  }
  KUBIST_TRY(const std::string text, explain_text(kind, path, recursive));
  context.out().write(text);
  return {};
}

/// From the server's OpenAPI v3 document of the group and version.
util::Result<> explain_served(Context& context, const std::vector<std::string>& path,
                              const std::string& word) {
  const Arguments& arguments = context.arguments();
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto resource,
             resource_of(*client, word, arguments.text("api-version"), context.stop()));
  const std::string document = kube::open_api_path(resource);
  KUBIST_TRY(const Json openapi, client->json(kube::raw_get(document), context.stop()));
  const Json& components = data::object_at(openapi, {"components", "schemas"});
  for (const auto& [name, schema] : components.items()) {
    if (kube::describes(schema, resource)) {
      return print_explained(
          context, {resource.group, resource.version, resource.kind, &schema, &components}, path);
    }
  }
  return util::fail(ErrorKind::not_found,
                    util::cat("the server's ", document, " does not describe ", resource.kind));
}

/// From what this program knows about its own kinds.
util::Result<> explain_own(Context& context, const std::vector<std::string>& path,
                           const resources::Kind& kind) {
  return print_explained(
      context,
      {std::string(kind.group), std::string(resources::k_version), std::string(kind.name),
       resources::schema(kind.group, kind.name), nullptr},
      path);
}

util::Result<int> print_reason(Context& context, const Reason& reason) {
  const std::string output = context.arguments().text("output");
  if (!output.empty() && output != "plaintext") {
    KUBIST_CHECK(print_document(context, reason_document(reason)));
  } else {
    context.out().write(reason_text(reason));
  }
  return k_ok;
}

/// Of a word that is written as reasons are, and may be meant as one.
util::Error with_near_reason(util::Error error, const std::string& word) {
  const bool upper = !word.empty() && std::isupper(static_cast<unsigned char>(word.front())) != 0;
  if (upper && error.message.find("did you mean") == std::string::npos) {
    error.message += util::did_you_mean(word, reason_names());
  }
  return error;
}

util::Error unknown_word(const std::string& word) {
  auto known = resources::kind_words();
  known.insert(known.end(), policy_io_names().begin(), policy_io_names().end());
  return with_near_reason(
      util::make_error(ErrorKind::not_found,
                       util::cat("\"", word, "\" is none of kubist's kinds or reasons",
                                 util::did_you_mean(word, known))),
      word);
}

util::Result<int> run_explain(Context& context, const Arguments& arguments) {
  // "deployments.apps" is a type with its group, "pods.spec.containers" a field: as in kubectl the
  // first word before a dot is the type, --api-version chooses among groups.
  std::vector<std::string> path = util::split(arguments.words()[0], '.');
  while (path.size() > 1 && path.back().empty()) {
    path.pop_back();
  }
  const std::string word = path.front();
  path.erase(path.begin());
  const resources::Kind* own = resources::find_kind_by_word(word);
  const Reason* reason = own == nullptr && path.empty() ? find_reason(word) : nullptr;
  if (reason != nullptr && arguments.text("api-version").empty()) {
    return print_reason(context, *reason);
  }
  if (const auto policy_io = find_policy_io(word); own == nullptr && policy_io) {
    KUBIST_CHECK(print_explained(context, *policy_io, path));
    return k_ok;
  }
  if (arguments.boolean("offline")) {
    if (own == nullptr) {
      return util::fail(unknown_word(word));
    }
    KUBIST_CHECK(explain_own(context, path, *own));
    return k_ok;
  }
  auto explained = explain_served(context, path, word);
  const bool no_server = !explained && (explained.error().kind == ErrorKind::unavailable ||
                                        explained.error().kind == ErrorKind::timeout ||
                                        explained.error().kind == ErrorKind::not_found);
  const bool no_field = !explained && explained.error().message.starts_with("field \"");
  if (no_server && !no_field && own != nullptr) {
    KUBIST_CHECK(explain_own(context, path, *own));
    return k_ok;
  }
  if (!explained) {
    return util::fail(no_field ? explained.error() : with_near_reason(explained.error(), word));
  }
  return k_ok;
}

}  // namespace

CommandSpec explain_command() {
  return {
      .path = "explain",
      .group = "Objects of any kind, as kubectl",
      .summary = "Print the documentation of a kind, of one of its fields, or of a reason",
      .details =
          "Comes from the API server, and for kubist's own kinds from this program where there is "
          "none or it does not have them.\n\n"
          "A reason is a word such as ParentNotReady in conditions, in errors and in 'kubist "
          "tree'. "
          "It is explained without a server: what it means, whether kubist tries again, and what "
          "to do. A reason has to be written exactly; in lower case the word is a kind.\n\n"
          "Without a server it also explains what policies and executors read and write: "
          "ResourceList, PolicyRun, ReleaseObservation and ExperimentObservation.",
      .arguments = "TYPE[.FIELD[.FIELD...]] | REASON",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::explained,
      .flags = {document_flag(
                    "json, yaml, jsonpath=TEMPLATE, jsonschema for editors and checks, or "
                    "plaintext, which is for people",
                    "", {"plaintext", "jsonschema"}),
                {"recursive", 0, FlagKind::boolean, "", "the names of all fields below"},
                {"api-version", 0, FlagKind::text, "GROUP/VERSION", "of this group and version"},
                {"offline", 0, FlagKind::boolean, "", "ask no server: kubist's own kinds"}},
      .examples = {{"A field of a kind", "kubist explain virtualcluster.spec.settings"},
                   {"The fields that must be given",
                    "kubist explain virtualcluster.spec "
                    "-o jsonpath='{.fields[?(@.required==true)].name}'"},
                   {"A schema for an editor or kubeconform, without a cluster",
                    "kubist explain execution --offline -o jsonschema"},
                   {"A field of what a policy returns",
                    "kubist explain policyrun.status.requeueAfter"},
                   {"What a reason means, and what to do", "kubist explain ParentNotReady"}},
      .run = run_explain};
}

}  // namespace kubist::cli
