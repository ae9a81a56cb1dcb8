#include "session/metadata_watch.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "session/watches.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using Type = kube::WatchEventType;

namespace {

constexpr std::chrono::minutes k_recent{2};

}  // namespace

MetadataWatch::MetadataWatch(std::shared_ptr<kube::Client> client, kube::WatchOptions options,
                             Counts counts, std::string name, Absences& absences, Changed changed,
                             const util::Clock& clock)
    : m_counts(counts),
      m_absences(absences),
      m_name(std::move(name)),
      m_changed(std::move(changed)),
      m_since(clock.now() - k_recent),
      m_options(std::move(options)) {
  m_options.form = kube::Form::metadata;
  m_watch = watch_for_good(client, m_options, m_name, absences,
                           [this](const kube::WatchEvent& event) { return take(event); });
}

MetadataWatch::~MetadataWatch() {
  m_watch = {};  // ends it
  m_absences.forget(m_name);
}

MetadataWatch::Written MetadataWatch::written_by(const kube::WatchEvent& event) {
  Written written{std::string(event.resource_version), {}, {}, {}};
  const auto read = event.json();
  const Json object = read ? *read : Json();
  for (const Json& entry : data::array_at(object, {"metadata", "managedFields"})) {
    const std::string time(data::string_at(entry, {"time"}));
    bool has_data = false;
    for (const char* field : {"f:data", "f:binaryData", "f:stringData"}) {
      has_data = has_data || data::find_path(entry, {"fieldsV1", field}) != nullptr;
    }
    (has_data ? written.data : written.rest) +=
        cat(data::string_at(entry, {"manager"}), ' ', time, '\n');
    written.last = std::max(written.last, time);
  }
  return written;
}

// Times have whole seconds, so that in doubt the data was written.
bool MetadataWatch::is_change(const Written& before, const Written& now) const {
  return before.version != now.version &&
         (m_counts == Counts::all || before.data != now.data || before.rest == now.rest);
}

bool MetadataWatch::may_be_unseen(const Written& written) const {
  const auto at = util::parse_time(written.last);
  return m_complete || !at || *at > m_since;
}

util::Result<> MetadataWatch::take(const kube::WatchEvent& event) {
  if (event.type == Type::relisted) {
    end_listing();
    return {};
  }
  if (event.type == Type::bookmark) {
    return {};
  }
  const Place place(event.ns, event.name);
  if (event.type == Type::deleted) {
    m_known.erase(place);
    m_changed(place.first, place.second);
    return {};
  }
  Written now = written_by(event);
  const auto [known, fresh] = m_known.try_emplace(place, now);
  const bool changed = fresh ? may_be_unseen(now) : is_change(known->second, now);
  known->second = std::move(now);
  if (event.type == Type::listed) {
    m_listed.insert(place);
  }
  if (changed) {
    m_changed(place.first, place.second);
  }
  return {};
}

void MetadataWatch::end_listing() {
  const bool is_empty = m_listed.empty();
  for (const Place& place : take_missing(m_known, m_listed)) {
    m_changed(place.first, place.second);
  }
  if (!m_complete && is_empty) {
    m_changed("", "");
  }
  m_complete = true;
}

}  // namespace kubist::executors
