#include <kubist/data/pointer.hpp>
#include <kubist/kube/client.hpp>

#include "answers.hpp"

// Questions that are sent as objects, of which the server keeps nothing.
namespace kubist::kube {
namespace {

using data::Json;

ApiCall review_call(std::string path, const Json& review) {
  ApiCall call;
  call.method = "POST";
  call.path = std::move(path);
  call.content_type = "application/json";
  call.body = std::make_shared<const std::string>(review.dump());
  call.idempotent = true;  // nothing is kept
  call.max_body = k_max_small_reply;
  return call;
}

}  // namespace

util::Result<AccessAnswer> Client::can_i(const AccessQuestion& question, std::stop_token stop) {
  Json attributes = {
      {"verb", question.verb}, {"group", question.group}, {"resource", question.resource}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      attributes[key] = value;
    }
  };
  add("subresource", question.subresource);
  add("namespace", question.ns);
  add("name", question.name);
  const Json review = {{"apiVersion", "authorization.k8s.io/v1"},
                       {"kind", "SelfSubjectAccessReview"},
                       {"spec", {{"resourceAttributes", std::move(attributes)}}}};
  KUBIST_TRY(const Json value,
             json(review_call("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review),
                  std::move(stop)));
  AccessAnswer answer;
  answer.allowed = data::bool_at(value, {"status", "allowed"});
  answer.reason = data::string_at(value, {"status", "reason"});
  return answer;
}

util::Result<Json> Client::my_rules(std::stop_token stop) {
  // One must be named; the bindings of this one are nobody's to make.
  const Json review = {{"apiVersion", "authorization.k8s.io/v1"},
                       {"kind", "SelfSubjectRulesReview"},
                       {"spec", {{"namespace", "kube-node-lease"}}}};
  return json(review_call("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", review),
              std::move(stop));
}

util::Result<Json> Client::who_am_i(std::stop_token stop) {
  const Json review = {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}};
  return json(review_call("/apis/authentication.k8s.io/v1/selfsubjectreviews", review),
              std::move(stop));
}

}  // namespace kubist::kube
