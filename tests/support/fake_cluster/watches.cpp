#include "watches.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "answer.hpp"

namespace kubist::testing {

using data::Json;

bool FakeFilter::takes(const Json& object) const {
  if (object.is_null() || (!ns.empty() && ns_of(object) != ns)) {
    return false;
  }
  const auto labels = resources::LabelSelector::parse(label_selector);
  if (!labels) {
    throw bad_request(labels.error().message);
  }
  const auto fields = resources::parse_field_selector(field_selector);
  if (!fields) {
    throw bad_request(fields.error().message);
  }
  const auto holds = [&](const resources::FieldTerm& term) {
    const Json* value = &object;
    for (const std::string& key : util::split(term.path, '.')) {
      value = value != nullptr ? data::find_path(*value, {key}) : nullptr;
    }
    const std::string text =
        value != nullptr && value->is_string() ? value->get<std::string>() : "";
    return (text == term.value) != term.negated;
  };
  return labels->matches(resources::ObjectView(object).labels()) &&
         std::all_of(fields->begin(), fields->end(), holds);
}

Json FakeFilter::form(const Json& object) const {
  if (!metadata_only) {
    return object;
  }
  return {{"apiVersion", "meta.k8s.io/v1"},
          {"kind", "PartialObjectMetadata"},
          {"metadata", object.at("metadata")}};
}

FakeWatches::Place FakeWatches::open(FakeFilter filter, http::Request request, http::Done done) {
  m_open.push_back(
      std::make_shared<Open>(Open{std::move(filter), std::move(request), std::move(done)}));
  return m_open.back();
}

void FakeWatches::send(const Open& watch, const std::string& type, const Json& object) {
  // One that does not want any more cancels its call.
  static_cast<void>(watch.request.on_chunk(
      Json{{"type", type}, {"object", watch.filter.form(object)}}.dump() + '\n'));
}

// To a selector an object comes and goes with its labels.
void FakeWatches::tell(const Open& watch, const FakeEvent& event) {
  if (event.kind != watch.filter.kind) {
    return;
  }
  const bool before = watch.filter.takes(event.before);
  const bool after = event.type != "DELETED" && watch.filter.takes(event.object);
  if (before || after) {
    send(watch, !before ? "ADDED" : after ? "MODIFIED" : "DELETED", event.object);
  }
}

void FakeWatches::tell(const FakeEvent& event) {
  for (const Place& watch : m_open) {
    tell(*watch, event);
  }
}

void FakeWatches::bookmark(std::int64_t version) {
  for (const Place& watch : m_open) {
    send(*watch, "BOOKMARK",
         {{"kind", "Bookmark"}, {"metadata", {{"resourceVersion", std::to_string(version)}}}});
  }
}

bool FakeWatches::close(const Place& place) {
  const auto found = std::find(m_open.begin(), m_open.end(), place);
  if (found == m_open.end()) {
    return false;
  }
  m_open.erase(found);
  return true;
}

std::list<FakeWatches::Place> FakeWatches::take_all() { return std::exchange(m_open, {}); }

}  // namespace kubist::testing
