#include "session/kind_watch.hpp"

#include <algorithm>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/resource_version.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::Cause;
using engine::Key;
using Type = kube::WatchEventType;

namespace {

/// How long a run waits for what a watch will tell in a moment, before it lists.
constexpr std::chrono::seconds k_moment{2};
/// The same of a listing, which the run would not end sooner. It is away after 30 s of silence.
constexpr std::chrono::minutes k_listing{2};

constexpr std::string_view k_name_projects =
    ". Name the projects (project/NAME), or ask for the right to list and watch kubist's kinds in "
    "all namespaces.";

/// A person's yes, or the end of it, asks for the release that it is about.
std::pair<Key, engine::Trigger> asked_by(const Key& key, Cause cause, const Json& object) {
  if (cause == Cause::requested) {
    const resources::ObjectView view(object);
    const std::string_view request = view.annotation(resources::k_request_annotation);
    const bool is_short = request.size() <= kube::k_longest_name;  // it goes into logs and statuses
    return {key, {cause, is_short ? std::string(request) : "a request of many words"}};
  }
  if (key.kind != "Approval") {
    return {key, cause};
  }
  return {{key.group, "CanaryRelease", key.ns,
           std::string(data::string_at(object, {"spec", "release"}))},
          {Cause::requested, resources::to_string(key)}};
}

}  // namespace

KindWatch::KindWatch(std::shared_ptr<kube::Client> home, const resources::Kind& kind,
                     const WatchedNamespaces& where, Inbox& inbox, Absences& absences,
                     kube::Room& room)
    : KindWatch(std::move(home), resource_of(kind), tree_selector(kind), where,
                resource_of(kind).group_resource(), false, inbox, absences, room) {}

KindWatch::KindWatch(std::shared_ptr<kube::Client> home, const kube::ApiResource& served,
                     const WatchedNamespaces& where, Inbox& inbox, Absences& absences,
                     kube::Room& room)
    : KindWatch(std::move(home), served, "", where, served.group_resource(), true, inbox, absences,
                room) {}

KindWatch::KindWatch(std::shared_ptr<kube::Client> home, kube::ApiResource resource,
                     std::string selector, const WatchedNamespaces& where, const std::string& title,
                     bool late, Inbox& inbox, Absences& absences, kube::Room& room)
    : m_home(std::move(home)), m_inbox(inbox), m_room(room), m_primed(late) {
  m_options.ns = resource.namespaced ? where.only : "";
  if (resource.namespaced && !where.or_else.empty()) {
    m_options.on_refused = [this, &absences, namespaces = where.or_else](const util::Error&) {
      divide(namespaces, absences);
    };
  }
  m_options.resource = std::move(resource);
  m_options.label_selector = std::move(selector);
  m_watch = watch_for_good(
      m_home, m_options, title, absences,
      [this](const kube::WatchEvent& event) { return take(event); },
      [this](util::Error* trouble) { turn(trouble); });
}

void KindWatch::divide(const std::set<std::string>& namespaces, Absences& absences) {
  const kube::ApiResource& resource = m_options.resource;
  const std::lock_guard lock(m_mutex);
  for (const std::string& ns : namespaces) {
    m_parts[ns].reset(new KindWatch(m_home, resource, m_options.label_selector, {ns},
                                    util::cat(resource.group_resource(), " in ", ns), m_primed,
                                    m_inbox, absences, m_room));
  }
  m_state = State::divided;
  m_changed.notify_all();
}

/// Is it divided?
bool KindWatch::await_listing(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  m_changed.wait_for(lock, stop, k_listing, [&] { return m_state != State::listing; });
  return m_state == State::divided;
}

std::set<std::string> KindWatch::limits(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  std::set<std::string> namespaces;
  if (await_listing(lock, stop)) {
    for (const auto& [ns, part] : m_parts) {
      namespaces.insert(ns);
    }
  }
  return namespaces;
}

std::optional<Objects> KindWatch::objects(const std::string& ns, const WrittenVersions& written,
                                          const std::stop_token& stop) {
  read_again(ns);
  std::unique_lock lock(m_mutex);
  if (await_listing(lock, stop)) {
    lock.unlock();
    const auto part = m_parts.find(ns);
    return part == m_parts.end() ? std::nullopt : part->second->objects(ns, written, stop);
  }
  m_changed.wait_for(lock, stop, k_moment, [&] {
    return m_state == State::away || (m_state == State::current && has(written));
  });
  // The run lists for itself, before this listing ends.
  m_primed = m_primed || m_state == State::listing;
  if (m_state != State::current || !has(written) || (!m_options.ns.empty() && m_options.ns != ns)) {
    return std::nullopt;
  }
  Objects all;
  for (const auto& [of, shelf] : shelves_of(ns)) {
    for (const auto& [name, known] : shelf->all()) {
      if (known.unreadable) {
        all.unreadable.push_back({known.object, *known.unreadable});
      } else {
        all.items.push_back(known.object);
      }
    }
  }
  return all;
}

/// That of the namespace; empty: all.
std::map<std::string, Shelf*> KindWatch::shelves_of(const std::string& ns) {
  std::map<std::string, Shelf*> all;
  for (auto& [of, shelf] : m_shelves) {
    if (ns.empty() || of == ns) {
      all.emplace(of, &shelf);
    }
  }
  return all;
}

const KindWatch::Known* KindWatch::find(const std::string& ns, const std::string& name) {
  const auto shelf = m_shelves.find(ns);
  return shelf == m_shelves.end() ? nullptr : shelf->second.find(name);
}

Key KindWatch::key_of(const std::string& ns, const std::string& name) const {
  return {m_options.resource.group, m_options.resource.kind, ns, name};
}

void KindWatch::rest() {
  const std::lock_guard lock(m_mutex);
  for (auto& [ns, shelf] : m_shelves) {
    shelf.rest();
  }
  for (const auto& [ns, part] : m_parts) {
    part->rest();
  }
}

bool KindWatch::has(const WrittenVersions& written) {
  return std::all_of(written.begin(), written.end(), [&](const auto& write) {
    const Known* known = find(write.first.ns, write.first.name);
    if (known == nullptr) {
      return true;  // it is gone
    }
    const resources::ObjectView view(*known->object);
    return view.uid() != write.second.uid ||
           !kube::is_newer(write.second.resource_version, view.resource_version());
  });
}

// A listing that comes late is newer than the first run.
void KindWatch::turn(util::Error* trouble) {
  const bool away = trouble != nullptr;
  if (away && trouble->http_status == 403 && m_options.resource.namespaced &&
      m_options.ns.empty() && !m_options.on_refused) {
    trouble->message += k_name_projects;
  }
  const std::lock_guard lock(m_mutex);
  m_primed = true;
  if (away) {
    m_state = State::away;
  } else if (m_state == State::away) {
    m_state = State::current;
  }
  m_changed.notify_all();
}

util::Result<> KindWatch::take(const kube::WatchEvent& event) {
  const std::lock_guard lock(m_mutex);
  if (event.type == Type::relisted) {
    end_listing();
  } else if (event.type != Type::bookmark) {
    learn(event);
  }
  if (event.type != Type::bookmark) {
    m_inbox.saw();
  }
  m_changed.notify_all();
  return {};
}

KindWatch::Known KindWatch::read(const std::string& ns, std::string_view text) {
  const util::MemoryScope memory(util::Stay::passing);  // a shelf packs it
  kube::Kept kept = m_room.read(m_options.resource, ns, text);
  auto unreadable =
      kept.unreadable ? std::make_shared<const util::Error>(*std::move(kept.unreadable)) : nullptr;
  return {std::make_shared<const Json>(std::move(kept.object)), std::move(unreadable), kept.bytes,
          kept.wanted};
}

void KindWatch::learn(const kube::WatchEvent& event) {
  const std::string ns(event.ns), name(event.name);
  const Known* known = find(ns, name);
  const ObjectPtr before = known != nullptr ? known->object : nullptr;
  if (known != nullptr) {
    m_room.leave(ns, known->bytes);  // the new one may take its place
    m_shelves.at(ns).erase(name);
  }
  Known now = read(ns, event.object);
  if (event.type == Type::listed) {
    m_listed.emplace(ns, name);
  }
  const bool gone = event.type == Type::deleted;
  const auto cause = engine::cause_of(before.get(), gone ? nullptr : now.object.get());
  if (cause && (m_primed || event.type != Type::listed)) {
    auto [asked, why] = asked_by(key_of(ns, name), *cause, *now.object);
    m_inbox.push(std::move(asked), std::move(why));
  }
  if (gone) {
    m_room.leave(ns, now.bytes);
    std::erase_if(m_shelves,
                  [&](auto& each) { return each.first == ns && each.second.is_empty(); });
  } else {
    m_shelves[ns].put(name, std::move(now));
  }
}

void KindWatch::read_again(const std::string& ns) {
  constexpr std::size_t k_at_once = 16;  // a run waits for it
  std::vector<Key> fitting;
  {
    const std::lock_guard lock(m_mutex);
    for (const auto& [of, shelf] : shelves_of(ns)) {
      for (const auto& [name, known] : shelf->all()) {
        if (known.wanted > 0 && fitting.size() < k_at_once && m_room.has(of, known.wanted)) {
          fitting.push_back(key_of(of, name));
        }
      }
    }
  }
  for (const Key& key : fitting) {
    const auto reply = m_home->run(kube::get(m_options.resource, key.ns, key.name));
    const std::lock_guard lock(m_mutex);
    const Known* known = find(key.ns, key.name);
    if (!reply || known == nullptr || known->wanted == 0) {
      continue;  // the watch tells of it
    }
    Known now = read(key.ns, reply->body);
    if (!now.unreadable) {
      m_inbox.push(key, Cause::changed);
    }
    m_shelves.at(key.ns).put(key.name, std::move(now));
  }
}

void KindWatch::end_listing() {
  for (auto& [ns, shelf] : m_shelves) {
    std::vector<std::string> missing;
    for (const auto& [name, known] : shelf.all()) {
      if (!m_listed.contains({ns, name})) {
        m_room.leave(ns, known.bytes);
        m_inbox.push(key_of(ns, name), Cause::deleted);
        missing.push_back(name);
      }
    }
    for (const std::string& name : missing) {
      shelf.erase(name);
    }
  }
  m_listed.clear();
  m_primed = true;
  m_state = State::current;
}

}  // namespace kubist::executors
