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
                             Counts counts, std::string name, WatchRoom::Seat seat,
                             Absences& absences, Changed changed, const util::Clock& clock)
    : m_counts(counts),
      m_absences(absences),
      m_name(std::move(name)),
      m_changed(std::move(changed)),
      m_since(clock.now() - k_recent),
      m_options(std::move(options)),
      m_known(std::move(seat)) {
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

std::size_t MetadataWatch::Written::bytes() const {
  return version.size() + data.size() + rest.size() + last.size();
}

util::Result<> MetadataWatch::take(const kube::WatchEvent& event) {
  if (m_known.is_full() || event.type == Type::bookmark) {
    return {};
  }
  if (event.type == Type::relisted) {
    end_listing();
    return {};
  }
  const Place place(event.ns, event.name);
  if (event.type == Type::deleted) {
    m_known.erase(place);
    m_changed(place.first, place.second);
    return {};
  }
  Written now = written_by(event);
  const Written* before = m_known.find(place);
  const bool changed = before == nullptr ? may_be_unseen(now) : is_change(*before, now);
  if (event.type == Type::listed) {
    m_known.list(place);
  }
  if (m_known.put(place, std::move(now)) && changed) {
    m_changed(place.first, place.second);
  }
  return {};
}

void MetadataWatch::end_listing() {
  const bool is_empty = m_known.is_nothing_listed();
  for (const auto& [place, written] : m_known.take_missing()) {
    m_changed(place.first, place.second);
  }
  if (!m_complete && is_empty) {
    m_changed("", "");
  }
  m_complete = true;
}

}  // namespace kubist::executors
