#include "watch_turns.hpp"

#include <utility>

#include <kubist/data/document.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/backoff.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "answers.hpp"
#include "watch_pause.hpp"

namespace kubist::kube {
namespace {

using util::ErrorKind;

constexpr util::BackoffPolicy k_unreachable{std::chrono::milliseconds(800),
                                            std::chrono::milliseconds(20000), 2.0};
constexpr util::BackoffPolicy k_refused{std::chrono::milliseconds(800),
                                        std::chrono::milliseconds(8000), 2.0};
constexpr std::chrono::seconds k_healthy{
    120};  // a watch that stood so long forgets earlier trouble
constexpr std::chrono::seconds k_too_short{
    1};  // a watch that ends so soon without an event is trouble, with one it waits in the end
constexpr int k_min_timeout_s = 300;
constexpr int k_max_timeout_s = 600;
constexpr int k_forbidden = 403;

WatchEventType type_of(data::WatchType type) {
  switch (type) {
    case data::WatchType::added:
      return WatchEventType::added;
    case data::WatchType::modified:
      return WatchEventType::modified;
    case data::WatchType::deleted:
      return WatchEventType::deleted;
    default:
      return WatchEventType::bookmark;
  }
}

/// A watch sends one object an event: asked for a List form, the server refuses with 406.
std::string_view accept_event(Form form) {
  switch (form) {
    case Form::metadata:
      return k_accept_metadata;
    case Form::table:
      return k_accept_table;
    default:
      return "application/json";
  }
}

std::string_view version_of(std::string_view told) {
  return told.size() <= k_longest_version ? told : std::string_view();
}

WatchEvent event_of(WatchEventType type, const data::ListItem& item) {
  WatchEvent event;
  event.type = type;
  event.object = item.raw;
  event.ns = item.name_space;
  event.name = item.name;
  event.uid = item.uid;
  event.resource_version = version_of(item.resource_version);
  return event;
}

}  // namespace

WatchTurns::WatchTurns(Client& client, const WatchOptions& options, const WatchHandler& handler,
                       std::stop_token stop)
    : m_client(client),
      m_options(options),
      m_handler(handler),
      m_stop(std::move(stop)),
      m_version(options.resource_version),
      m_field_selector(options.field_selector) {
  if (!options.name.empty()) {
    m_field_selector +=
        util::cat(m_field_selector.empty() ? "" : ",", "metadata.name=", options.name);
  }
}

util::Result<std::chrono::milliseconds> WatchTurns::pause_after(util::Result<> turn) {
  if (turn) {
    return m_short > 1
               ? util::backoff_delay(k_unreachable, m_short - 1, 0.5 + util::random_unit() / 2)
               : std::chrono::milliseconds(0);
  }
  util::Error& error = turn.error();
  if (m_handler_failed) {
    return util::fail(std::move(error));
  }
  if (m_stop.stop_requested()) {
    return std::chrono::milliseconds(0);
  }
  if (is_expired(error)) {
    m_version.clear();
  } else if (!may_pass(error)) {
    m_refused = error.http_status == k_forbidden && !m_listed && m_options.on_refused;
    if (!m_options.lasting || m_refused) {
      return util::fail(std::move(error));
    }
    m_version.clear();
  }
  m_away = true;
  if (m_options.on_trouble) {
    m_options.on_trouble(error);
  }
  return watch_pause(error, ++m_failures, util::random_unit());
}

void WatchTurns::begin_again() {
  m_version.clear();
  m_handler_failed = false;
  m_away = true;
}

util::Result<> WatchTurns::hand_over(const WatchEvent& event) {
  if (m_stop.stop_requested()) {
    return util::fail(ErrorKind::cancelled, "the watch has ended");
  }
  auto taken = util::guarded([&] { return m_handler(event); });
  m_handler_failed = !taken;
  return taken;
}

util::Result<> WatchTurns::list() {
  ListOptions options;
  options.form = m_options.form;
  options.label_selector = m_options.label_selector;
  options.field_selector = m_field_selector;
  data::ListReader reader;
  // The handler takes what the listing before had found for part of this one: it lists once more.
  const bool again = m_broke_off;
  const auto on_page = [&](const data::PageBuffer& page) -> util::Result<> {
    m_broke_off = true;
    if (m_options.form == Form::table) {
      WatchEvent event;
      event.type = WatchEventType::listed;
      event.object = page.view();
      return hand_over(event);
    }
    KUBIST_CHECK(reader.read(page, [&](const data::ListItem& item) {
      return hand_over(event_of(WatchEventType::listed, item));
    }));
    return {};
  };
  KUBIST_TRY(const ListEnd end,
             m_client.list_pages(m_options.resource, m_options.ns, options, on_page, m_stop));
  m_broke_off = false;
  m_listed = true;
  const std::string_view version = version_of(end.resource_version);
  m_version = again ? "" : version;
  WatchEvent event;
  event.type = WatchEventType::relisted;
  event.resource_version = version;
  KUBIST_CHECK(hand_over(event));
  return version.empty() ? util::fail(ErrorKind::unavailable,
                                      util::cat("list of ", m_options.resource.group_resource(),
                                                ": it has no resourceVersion to watch from"))
                         : util::Result<>();
}

http::Request WatchTurns::begin() {
  m_began = std::chrono::steady_clock::now();
  http::Request request = m_client.request_of(watch_call());
  m_url = request.url;
  request.long_running = true;
  request.silence = m_options.silence;
  request.max_body = 0;  // an event at a time
  request.on_head = [this](const http::Response&) {
    if (m_away.exchange(false) && m_options.on_back) {
      m_options.on_back();
    }
  };
  m_decoder.emplace();
  m_fault.reset();
  m_events = 0;
  return request;
}

bool WatchTurns::feed(std::string_view bytes) {
  auto fed = m_decoder->feed(bytes, [&](const data::WatchEvent& event) { return on_event(event); });
  if (!fed) {
    m_fault = std::move(fed).error();
  }
  return !m_fault;
}

util::Result<> WatchTurns::end(util::Result<http::Response> outcome) {
  const auto lasted = std::chrono::steady_clock::now() - m_began;
  const bool is_short = lasted < k_too_short;
  m_short = is_short ? m_short + 1 : 0;
  if (lasted > k_healthy || (m_events > 0 && !is_short)) {
    m_failures = 0;
  }
  if (m_fault) {
    // What cannot be decoded was cut by a proxy or is no watch: take it up again.
    m_fault->kind =
        m_fault->kind == ErrorKind::invalid && !m_handler_failed && m_fault->http_status == 0
            ? ErrorKind::unavailable
            : m_fault->kind;
    return util::fail(std::move(*m_fault));
  }
  if (!outcome) {
    return util::fail(std::move(outcome).error());
  }
  m_client.report_warnings(outcome->headers);
  if (outcome->status >= 400) {
    return util::fail(api_error("GET", m_url, *outcome));
  }
  if (is_short && m_events == 0) {
    return util::fail(ErrorKind::unavailable,
                      util::cat("GET ", m_url, ": the watch ended at once"));
  }
  return {};
}

util::Result<> WatchTurns::on_event(const data::WatchEvent& event) {
  if (event.type == data::WatchType::error) {
    KUBIST_TRY(const data::Json status, parse_answer(event.object.raw, k_max_refusal_values));
    return util::fail(status_error(util::cat("watch ", m_url), status));
  }
  if (event.type == data::WatchType::unknown) {
    return {};
  }
  ++m_events;
  const WatchEvent told = event_of(type_of(event.type), event.object);
  KUBIST_CHECK(hand_over(told));
  if (!told.resource_version.empty()) {
    m_version = told.resource_version;
  }
  return {};
}

ApiCall WatchTurns::watch_call() const {
  ApiCall call;
  call.path = m_options.resource.collection_path(m_options.ns);
  call.accept = accept_event(m_options.form);
  const int timeout =
      k_min_timeout_s + static_cast<int>((k_max_timeout_s - k_min_timeout_s) * util::random_unit());
  call.query = {{"watch", "1"},
                {"allowWatchBookmarks", "true"},
                {"timeoutSeconds", std::to_string(timeout)},
                {"resourceVersion", m_version},
                {"labelSelector", m_options.label_selector},
                {"fieldSelector", m_field_selector}};
  return call;
}

bool may_pass(const util::Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
}

std::chrono::milliseconds watch_pause(const util::Error& error, int failures, double unit) {
  return util::backoff_delay(may_pass(error) ? k_unreachable : k_refused, failures, 0.5 + unit / 2);
}

}  // namespace kubist::kube
