#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "../output/document.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

/// The object with which the token ends; null where none is asked for.
util::Result<Json> bound_object(const Arguments& arguments) {
  const std::string kind = arguments.text("bound-object-kind");
  const std::string name = arguments.text("bound-object-name");
  const std::string uid = arguments.text("bound-object-uid");
  if (kind.empty() != name.empty() || (kind.empty() && !uid.empty())) {
    return util::fail(ErrorKind::usage,
                      "--bound-object-kind and --bound-object-name go together, and "
                      "--bound-object-uid only with them");
  }
  if (kind.empty()) {
    return Json();
  }
  Json bound{{"apiVersion", "v1"}, {"kind", kind}, {"name", name}};
  if (!uid.empty()) {
    bound["uid"] = uid;
  }
  return bound;
}

util::Result<Json> token_request(const Arguments& arguments) {
  Json spec = Json::object();
  const auto duration = arguments.duration("duration");
  if (duration.count() < 0 || duration % std::chrono::seconds(1) != std::chrono::nanoseconds(0)) {
    return util::fail(ErrorKind::usage, "--duration is whole seconds, and not negative",
                      "The API server gives no token for less than 10 minutes.");
  }
  if (duration.count() > 0) {
    spec["expirationSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  }
  KUBIST_TRY(Json bound, bound_object(arguments));
  if (!bound.is_null()) {
    spec["boundObjectRef"] = std::move(bound);
  }
  if (arguments.given("audience")) {
    spec["audiences"] = arguments.list("audience");
  }
  return Json{{"apiVersion", "authentication.k8s.io/v1"},
              {"kind", "TokenRequest"},
              {"spec", std::move(spec)}};
}

util::Result<int> run_create_token(Context& context, const Arguments& arguments) {
  const std::string& account = arguments.words()[0];
  KUBIST_CHECK(kube::check_name("resource name", account));
  KUBIST_TRY(const Json request, token_request(arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const kube::ApiCall call =
      kube::create_subresource(kube::well_known::service_accounts(), ns, account, "token", request);
  KUBIST_TRY(const Json answer, client->json(call, context.stop()));
  KUBIST_TRY(const bool printed, print_document(context, answer));
  if (printed) {
    return k_ok;
  }
  const std::string_view token = data::string_at(answer, {"status", "token"});
  if (token.empty()) {
    return util::fail(ErrorKind::unavailable,
                      cat("the API server gave no token for serviceaccount/", account));
  }
  context.out().write(cat(token, '\n'));
  return k_ok;
}

}  // namespace

CommandSpec create_token_command() {
  return {.path = "create token",
          .group = "Objects of any kind, as kubectl",
          .summary = "Ask for a token of a ServiceAccount",
          .details =
              "Prints the token, which the API server makes and keeps nowhere. It ends after "
              "--duration, which the server may change, or with the object that it is bound to.",
          .arguments = "SERVICEACCOUNT",
          .min_words = 1,
          .max_words = 1,
          .flags = {{"duration", 0, FlagKind::duration, "DURATION",
                     "how long it is good; without it the server decides"},
                    {"audience", 0, FlagKind::list, "NAME",
                     "whom it is for instead of the API server; may be repeated"},
                    choice_flag("bound-object-kind", 0, "KIND",
                                "the kind of the object that it ends with", "",
                                {"Node", "Pod", "Secret"}),
                    {"bound-object-name", 0, FlagKind::text, "NAME", "the name of that object"},
                    {"bound-object-uid", 0, FlagKind::text, "UID", "its uid"},
                    document_flag("json, yaml or jsonpath=TEMPLATE, or nothing for the token")},
          .examples = {{"For an hour", "kubist create token deployer -n ci --duration=1h"}},
          .run = run_create_token};
}

}  // namespace kubist::cli
