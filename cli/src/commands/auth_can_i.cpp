#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "../query/targets.hpp"
#include "commands.hpp"
#include "output/document.hpp"

namespace kubist::cli {
namespace {

using util::cat;

struct Asker {
  std::shared_ptr<kube::Client> client;
  std::string user;  ///< whom it acts as; empty: the caller
};

/// The caller, or the account of a Project, by impersonation.
util::Result<Asker> asker_of(Context& context, const Arguments& arguments) {
  KUBIST_TRY(auto client, context.client());
  if (!arguments.given("project")) {
    return Asker{std::move(client), ""};
  }
  KUBIST_TRY(const auto projects, find_resource(*client, "projects.kubist.io", context.stop()));
  KUBIST_TRY(const data::Json project,
             client->json(kube::get(projects, "", arguments.text("project")), context.stop()));
  std::string user = resources::project_user(project);
  return Asker{client->as(user), std::move(user)};
}

/// TYPE or TYPE/NAME, of a kind that the server serves. Not_found: it serves none of that name.
util::Result<kube::AccessQuestion> question_of(Context& context, const Arguments& arguments,
                                               kube::Client& client) {
  const std::string& word = arguments.words()[1];
  const auto slash = word.find('/');
  KUBIST_TRY(const auto resource, find_resource(client, word.substr(0, slash), context.stop()));
  kube::AccessQuestion question;
  question.verb = util::lower(arguments.words()[0]);
  question.group = resource.group;
  question.resource = resource.plural;
  question.subresource = arguments.text("subresource");
  question.name = slash == std::string::npos ? "" : word.substr(slash + 1);
  if (resource.namespaced && !arguments.boolean("all-namespaces")) {
    KUBIST_TRY(question.ns, context.ns());
  }
  return question;
}

/// What an administrator gives that the account lacks.
std::string advice(const Asker& asker, const kube::AccessQuestion& question) {
  const std::string user =
      asker.user.empty() ? "you have" : cat("the account ", asker.user, " has");
  const std::string where =
      question.ns.empty() ? "in the whole cluster" : cat("in namespace ", question.ns);
  return cat(user, " no role for it ", where);
}

util::Result<int> run_can_i(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const Asker asker, asker_of(context, arguments));
  KUBIST_TRY(const auto question, question_of(context, arguments, *asker.client));
  KUBIST_TRY(const auto answer, asker.client->can_i(question, context.stop()));
  const std::string reason =
      answer.reason.empty() && !answer.allowed ? advice(asker, question) : answer.reason;
  KUBIST_TRY(const bool printed, print_document(context, {{"allowed", answer.allowed},
                                                          {"reason", reason},
                                                          {"verb", question.verb},
                                                          {"resource", question.resource},
                                                          {"group", question.group},
                                                          {"namespace", question.ns},
                                                          {"user", asker.user}}));
  if (!printed) {
    context.out().write(arguments.boolean("quiet") ? ""
                        : answer.allowed           ? "yes\n"
                                                   : cat("no - ", reason, '\n'));
  }
  return answer.allowed ? k_ok : k_error;
}

}  // namespace

CommandSpec auth_can_i_command() {
  return {
      .path = "auth can-i",
      .group = "Objects of any kind, as kubectl",
      .summary = "Ask the API server what you, or a project's account, may do",
      .details =
          "Prints yes, or no with the reason; the exit code is 0 or 1. With --project it asks as "
          "the ServiceAccount as which kubist handles that project's objects on the home cluster. "
          "You need the right to impersonate it. On other clusters the limit of a project is the "
          "account of the kubeconfig.",
      .arguments = "VERB TYPE[/NAME]",
      .min_words = 2,
      .max_words = 2,
      .flags = {{"project", 0, FlagKind::text, "NAME", "ask as this project's account"},
                {"subresource", 0, FlagKind::text, "NAME", "such as log or status"},
                {"all-namespaces", 'A', FlagKind::boolean, "", "ask about all namespaces"},
                {"quiet", 'q', FlagKind::boolean, "", "print nothing: the exit code tells"},
                document_flag()},
      .examples = {{"May I delete pods here?", "kubist auth can-i delete pods"},
                   {"May project shop make Deployments in shop-dev?",
                    "kubist auth can-i create deployments.apps --project shop -n shop-dev"}},
      .run = run_can_i};
}

}  // namespace kubist::cli
