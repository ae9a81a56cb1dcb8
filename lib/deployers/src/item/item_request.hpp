#pragma once
#include <string>

#include "item/session.hpp"

// What a person asks of an item by annotation: resources::k_request_annotation, or upstream's
// operation annotation, which whoever handles it takes away.
namespace kubist::deployers {

inline constexpr std::string_view k_operation_annotation = "landscaper.gardener.cloud/operation";

struct ItemRequest {
  enum class Verb { none, reconcile, interrupt, unknown };
  Verb verb = Verb::none;
  std::string text;        ///< the annotation's value
  bool operation = false;  ///< it came as k_operation_annotation
};

/// What is asked for and not answered yet.
ItemRequest request_of(const Json& deploy_item, const Json& status);
/// The status with the answer. An operation is not answered there.
Json answered(Json status, const ItemRequest& request, std::string_view message);
/// Takes an answered operation annotation away; writes nothing where there was none.
util::Result<> drop_operation(Session& session, const ItemRequest& request);

}  // namespace kubist::deployers
