#include <kubist/kube/api_error.hpp>
#include <kubist/util/text.hpp>

#include "client_support.hpp"

using namespace client_test;

TEST_CASE("api error: kinds, reasons and causes") {
  struct Case {
    int code;
    std::string body;
    util::ErrorKind kind;
    const char* reason;
  };
  const std::vector<Case> cases{
      {404, status(404, "NotFound", "configmaps \\\"a\\\" not found"), util::ErrorKind::not_found,
       "NotFound"},
      {404, "404 page not found\n", util::ErrorKind::not_found, "NotFound"},
      {401, "Unauthorized", util::ErrorKind::forbidden, "Unauthorized"},
      {403, status(403, "Forbidden", "no"), util::ErrorKind::forbidden, "Forbidden"},
      {403, status(403, "Forbidden", "admission webhook \\\"w\\\" denied the request: no"),
       util::ErrorKind::denied, "Forbidden"},
      {409, status(409, "AlreadyExists", "exists"), util::ErrorKind::conflict, "AlreadyExists"},
      {422, status(422, "Invalid", "bad"), util::ErrorKind::invalid, "Invalid"},
      {410, status(410, "Expired", "old"), util::ErrorKind::unavailable, "Expired"},
      {500, status(500, "InternalError", "failed calling webhook"), util::ErrorKind::unavailable,
       "InternalError"},
      {500,
       status(500, "", "failed to create typed patch object: .foo: field not declared in schema"),
       util::ErrorKind::invalid, "InternalError"},
      {500,
       status(500, "",
              "failed to create typed patch object (a/b; apps/v1, Kind=Deployment): "
              ".spec.replicas: expected numeric (int or float), got string"),
       util::ErrorKind::invalid, "InternalError"},
      {503, "<html>proxy</html>", util::ErrorKind::unavailable, "ServiceUnavailable"},
      {504, "", util::ErrorKind::timeout, "Timeout"},
  };
  for (const Case& item : cases) {
    CAPTURE(item.body);
    const util::Error error =
        api_error("GET", "http://me:pw@x/y", response_of(item.code, item.body));
    CHECK(error.kind == item.kind);
    CHECK(error.reason == item.reason);
    CHECK(error.http_status == item.code);
    CHECK(error.message.starts_with("GET http://***@x/y: "));
    CHECK(error.message.find("<html>") == std::string::npos);
  }
  const util::Error conflict = api_error(
      "PATCH", "http://x",
      response_of(
          409,
          status(
              409, "Conflict", "Apply failed",
              R"(,"details":{"causes":[)"
              R"({"reason":"FieldManagerConflict","message":"conflict with \"helm\" using apps/v1 at T","field":".spec.replicas"},)"
              R"({"reason":"FieldManagerConflict","message":"conflict with \"hpa\"","field":".spec.x"}]})")));
  const auto fields = field_conflicts(conflict);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0] == FieldConflict{"helm", "Update", ".spec.replicas",
                                   "conflict with \"helm\" using apps/v1 at T"});
  CHECK(fields[1].operation == "Apply");
}

TEST_CASE("api error: a 403 advises by its cause: to ask for a right only where one is missing") {
  const auto hint = [](const std::string& message) {
    return api_error("POST", "http://x", response_of(403, status(403, "Forbidden", message))).hint;
  };
  const std::string right =
      "Ask for the right with a Role or ClusterRole, or use another --context.";
  CHECK(hint("pods is forbidden: User \\\"a\\\" cannot list resource \\\"pods\\\"") == right);
  CHECK(hint("roles \\\"r\\\" is forbidden: user \\\"a\\\" (groups=[]) is attempting to grant RBAC "
             "permissions not currently held") == right);
  CHECK(hint("no") == right);
  const std::string account = "User \\\"system:serviceaccount:shop:kubist-project\\\" cannot ";
  CHECK(hint(account +
             "create resource \\\"deployments\\\" in API group \\\"apps\\\" in the namespace "
             "\\\"dev\\\"") ==
        "An administrator grants it: kubectl create role kubist-project-deployments --verb=create "
        "--resource=deployments.apps -n dev && kubectl create rolebinding "
        "kubist-project-deployments --role=kubist-project-deployments "
        "--serviceaccount=shop:kubist-project -n dev");
  CHECK(hint(account +
             "get resource \\\"nodes/proxy\\\" in API group \\\"\\\" at the cluster scope") ==
        "An administrator grants it: kubectl create clusterrole kubist-project-nodes --verb=get "
        "--resource=nodes/proxy && kubectl create clusterrolebinding kubist-project-nodes "
        "--clusterrole=kubist-project-nodes --serviceaccount=shop:kubist-project");
  CHECK(hint("pods \\\"p\\\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, "
             "limited: pods=1") == "Free what the quota counts, or have the ResourceQuota raised.");
  CHECK(hint("pods \\\"p\\\" is forbidden: violates PodSecurity \\\"restricted:latest\\\": "
             "runAsNonRoot")
            .starts_with("Change the pod's securityContext"));
  CHECK(hint("configmaps \\\"c\\\" is forbidden: unable to create new content in namespace n "
             "because it "
             "is being terminated")
            .starts_with("The namespace is being deleted"));
  CHECK(hint("admission webhook \\\"w\\\" denied the request: no") ==
        "Change the object as the message says, or ask who keeps that policy.");
  CHECK(hint("pods \\\"p\\\" is forbidden: maximum cpu usage per Container is 1, but limit is 2") ==
        "");
}

TEST_CASE("api error: what a user may not do, told as for each of several users") {
  const std::string list = "pods is forbidden: User \"a.b\" cannot list resource \"pods\"";
  CHECK(names_denied_user(list));
  CHECK(without_denied_user(list, "a.b") ==
        "pods is forbidden: the caller cannot list resource \"pods\"");
  CHECK(without_denied_user(list, "b") == list);
  CHECK(without_denied_user(list, "a_b") == list);
  CHECK(without_denied_user("x: user \"a\" (groups=[\"one\" \"two\"]) is attempting to grant RBAC "
                            "permissions not currently held",
                            "a") ==
        "x: the caller is attempting to grant RBAC permissions not currently held");
  CHECK_FALSE(names_denied_user("pods \"user\" not found"));

  const std::string ci = "system:serviceaccount:ci:deploy";
  const std::string message = "User \"" + ci +
                              "\" cannot get resource \"nodes\" in API group \"\" at the "
                              "cluster scope";
  const util::Error error = api_error(
      "GET", "http://x",
      response_of(403, status(403, "Forbidden", util::replace_all(message, "\"", "\\\""))));
  REQUIRE(error.hint.find("--serviceaccount=ci:deploy") != std::string::npos);
  CHECK(without_denied_user(error.message + "; " + error.hint, ci) ==
        "GET http://x: the caller cannot get resource \"nodes\" in API group \"\" at the cluster "
        "scope; Ask for the right with a Role or ClusterRole, or use another --context.");
}

TEST_CASE(
    "api error: a server without kubist's kinds leads to kubist init, one without an object not") {
  const auto hint = [](const char* url, const std::string& body) {
    return api_error("GET", url, response_of(404, body)).hint;
  };
  const char* projects = "http://x/apis/kubist.io/v1alpha1/projects";
  CHECK(hint(projects, "404 page not found\n").find("run `kubist init`") != std::string::npos);
  CHECK(hint(projects, status(404, "NotFound", "projects \\\"a\\\" not found")).empty());
  CHECK(hint("http://x/apis/other.io/v1/things", "404 page not found\n").empty());
}

TEST_CASE("api error: warnings with escapes, several in one header") {
  CHECK(parse_warnings({{"Warning", R"(299 - "a \"b\" c")"},
                        {"warning", R"(299 - "x", 299 - "y" "date")"},
                        {"Warning", "rubbish"}}) ==
        std::vector<std::string>{"a \"b\" c", "x", "y"});
}
