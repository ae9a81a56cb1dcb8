#include "tree/overlay.hpp"

#include <algorithm>

#include <kubist/deployers/execution.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

namespace {

const data::Json& json_in(const data::Json& object) { return object; }
const data::Json& json_in(const ObjectPtr& object) { return *object; }

void assign(data::Json& to, data::Json&& object) { to = std::move(object); }
void assign(ObjectPtr& to, data::Json&& object) {
  to = std::make_shared<const data::Json>(std::move(object));
}

template <class Object>
void lay_over(std::vector<Object>& objects, const data::Json& planned) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Object& live) {
    return resources::ObjectView(json_in(live)).ref() == resources::ObjectView(planned).ref();
  });
  if (found == objects.end()) {
    assign(objects.emplace_back(), data::Json(planned));
    return;
  }
  data::Json whole = json_in(*found);
  whole.update(planned, true);
  assign(*found, std::move(whole));
}

}  // namespace

void overlay(Snapshot& snapshot, const std::vector<data::Json>& planned) {
  for (const data::Json& object : planned) {
    const resources::ObjectView view(object);
    const resources::Kind* kind = resources::find_kind(view.group(), view.kind());
    const bool served = std::any_of(snapshot.served.begin(), snapshot.served.end(),
                                    [&](const kube::ApiResource& each) {
                                      return each.group == view.group() && each.kind == view.kind();
                                    });
    if ((kind == nullptr && !served) || view.labels().contains(deployers::k_execution_label)) {
      continue;
    }
    if (served || kind->node) {
      lay_over(snapshot.nodes, object);
    } else {
      lay_over(snapshot.definitions, object);
    }
  }
}

}  // namespace kubist::executors
