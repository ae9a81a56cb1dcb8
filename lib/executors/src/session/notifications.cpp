#include "session/notifications.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/notify/event.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "world/addresses.hpp"
#include "world/secret_value.hpp"

namespace kubist::executors {

using data::Json;
using engine::Graph;
using engine::NodeId;
using util::cat;

namespace {

constexpr std::size_t k_max_events = 100;  ///< of one sink and run

/// k_no_node: it belongs to none, as the Root.
NodeId project_of(const Graph& graph, NodeId id) {
  while (id != engine::k_no_node && graph[id].key.kind != "Project") {
    id = graph[id].parent;
  }
  return id;
}

/// None where the Project is Stalled for what it says.
std::vector<notify::Sink> sinks_of(const Graph& graph, NodeId project) {
  std::vector<notify::Sink> sinks;
  if (project != engine::k_no_node) {
    auto read = notify::read_sinks(graph[project].spec());
    if (!read) {
      return {};
    }
    sinks = *std::move(read);
  }
  const auto is_events = [](const auto& sink) { return sink.type == notify::SinkType::events; };
  if (std::none_of(sinks.begin(), sinks.end(), is_events)) {
    sinks.push_back(notify::default_sink());
  }
  return sinks;
}

std::string called(const notify::Sink& sink) {
  return cat("notification ", sink.name, " (", to_string(sink.type), ')');
}

}  // namespace

/// Whose sinks are told. A sink with an address is a Project's.
struct Notifications::Place {
  const Graph& graph;
  NodeId id;

  const engine::Node& project() const { return graph[id]; }
  std::string ns() const { return resources::project_namespace(*project().object); }
};

Notifications::Notifications(std::shared_ptr<kube::Client> home, NotificationHooks hooks)
    : m_home(std::move(home)), m_hooks(std::move(hooks)), m_courier(m_hooks.trouble) {}

void Notifications::tell(const Graph& graph, const engine::RunInfo& run,
                         const std::map<NodeId, StatusChange>& changes) {
  struct Told {
    notify::Message message;
    notify::Filter filter;
  };
  const int telling = ++m_tellings;
  std::map<NodeId, std::vector<Told>> by_project;
  for (const auto& [id, change] : changes) {
    auto message = notify::message_of(graph[id], change.before, change.after);
    if (!message) {
      continue;
    }
    const auto filter = notify::Filter::read(graph.settings(id));
    if (!filter) {
      m_hooks.trouble(cat(to_string(graph[id]), ": ", filter.error().to_string()));
    }
    by_project[project_of(graph, id)].push_back(
        {*std::move(message), filter ? *filter : notify::Filter()});
  }
  for (const auto& [id, told] : by_project) {
    const Place place{graph, id};
    for (const notify::Sink& sink : sinks_of(graph, id)) {
      // A run may tell more than once: it looks at releases again and again.
      notify::Batch batch{cat(run.id, '-', telling, '-', sink.name), run.started_at, {}, run.id};
      for (const Told& each : told) {
        if (each.filter.passes(each.message, sink)) {
          batch.messages.push_back(each.message);
        }
      }
      if (!batch.messages.empty()) {
        tell_sink(place, sink, batch);
      }
    }
  }
}

void Notifications::tell_sink(const Place& place, const notify::Sink& sink,
                              const notify::Batch& batch) {
  switch (sink.type) {
    case notify::SinkType::log:
      for (const notify::Message& message : batch.messages) {
        Json line = notify::to_json(message);
        line["time"] = util::format_time(batch.time);
        line["run"] = batch.run;
        m_hooks.log(line.dump(-1, ' ', false, Json::error_handler_t::replace));
      }
      break;
    case notify::SinkType::events:
      make_events(sink, batch);
      break;
    default:
      if (const auto posted = post(place, sink, batch); !posted) {
        m_hooks.trouble(cat(called(sink), " was not sent: ", posted.error().to_string()));
      }
  }
}

util::Result<> Notifications::post(const Place& place, const notify::Sink& sink,
                                   const notify::Batch& batch) {
  KUBIST_TRY(const std::string url, address_of(place, sink));
  if (sink.type == notify::SinkType::slack) {
    m_courier.send(place.ns(), called(sink), notify::slack_post(url, batch));
    return {};
  }
  util::Secret key;
  if (!sink.signing_key.name.empty()) {
    KUBIST_TRY(std::string text, read_secret(place, sink.signing_key));
    key = util::Secret(std::move(text));
  }
  m_courier.send(place.ns(), called(sink), notify::webhook_post(url, batch, key));
  return {};
}

// What an administrator wrote into the Project is allowed by that; a Secret is anybody's.
util::Result<std::string> Notifications::address_of(const Place& place, const notify::Sink& sink) {
  if (!sink.url.empty()) {
    KUBIST_CHECK(check_address(sink.url, "its address"));
    return sink.url;
  }
  KUBIST_TRY(const std::string text, read_secret(place, sink.url_from));
  std::string url(util::trim(text));
  KUBIST_CHECK(check_address(place.graph, place.project(), "webhooks", url,
                             cat("the address in Secret ", place.ns(), '/', sink.url_from.name)));
  return url;
}

util::Result<std::string> Notifications::read_secret(const Place& place,
                                                     const notify::SecretKey& from) {
  return secret_value(*m_home, place.ns(), from.name, from.key, {}, "notifications");
}

void Notifications::make_events(const notify::Sink& sink, const notify::Batch& batch) {
  const std::size_t count = std::min(batch.messages.size(), k_max_events);
  for (std::size_t at = 0; at < count; ++at) {
    const Json event = notify::event_of(batch, at);
    const std::string ns(data::string_at(event, {"metadata", "namespace"}));
    if (sink.by_default && m_refused->has(ns)) {
      continue;
    }
    if (const auto ended = m_courier.track(ns, called(sink))) {
      m_home->start(kube::create(kube::well_known::events(), event, {}),
                    [ended, quiet = sink.by_default, refused = m_refused,
                     ns](const util::Result<kube::Reply>& reply) {
                      if (!reply && reply.error().kind == util::ErrorKind::forbidden) {
                        refused->add(ns);
                      }
                      ended(reply || quiet ? "" : reply.error().message);
                    });
    }
  }
}

}  // namespace kubist::executors
