#include "item/item_request.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>

namespace kubist::deployers {
namespace {

ItemRequest::Verb verb_of(std::string_view word) {
  if (word == "reconcile" || word == "force-reconcile" || word == "test-reconcile") {
    return ItemRequest::Verb::reconcile;
  }
  return word == "interrupt" ? ItemRequest::Verb::interrupt : ItemRequest::Verb::unknown;
}

}  // namespace

ItemRequest request_of(const Json& deploy_item, const Json& status) {
  const resources::ObjectView view(deploy_item);
  if (const auto text = view.annotation(resources::k_request_annotation);
      !text.empty() && text != data::string_at(status, {"handledRequest", "request"})) {
    return {verb_of(text.substr(0, text.find('@'))), std::string(text), false};
  }
  if (const auto text = view.annotation(k_operation_annotation); !text.empty()) {
    // Operations that kubist does not know are for others.
    const auto verb = verb_of(text);
    if (verb != ItemRequest::Verb::unknown) {
      return {verb, std::string(text), true};
    }
  }
  return {};
}

Json answered(Json status, const ItemRequest& request, std::string_view message) {
  if (request.verb != ItemRequest::Verb::none && !request.operation) {
    status["handledRequest"] = {
        {"request", request.text},
        {"outcome", request.verb == ItemRequest::Verb::unknown ? "Refused" : "Done"},
        {"message", message}};
  }
  return status;
}

util::Result<> drop_operation(Session& session, const ItemRequest& request) {
  if (!request.operation) {
    return {};
  }
  // As a merge patch: whoever asks again meanwhile asks for what is being done already.
  return session.drop_annotation(k_operation_annotation);
}

}  // namespace kubist::deployers
