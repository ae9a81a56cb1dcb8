#include "evidence/read_support.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/util/duration.hpp>

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text) {
  const auto time = util::parse_time(text);
  return time ? std::optional(*time) : std::nullopt;
}

std::string revision_of(const ObjectView& view) {
  const std::string_view label = view.label(k_revision_label);
  return std::string(label.empty() ? k_default_revision : label);
}

const Json* container_named(const Json& pod_spec, std::string_view name) {
  // A native sidecar is an init container.
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& container : data::array_at(pod_spec, {list})) {
      if (data::string_at(container, {"name"}) == name) {
        return &container;
      }
    }
  }
  return nullptr;
}

}  // namespace kubist::istio
