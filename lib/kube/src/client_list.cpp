#include <array>
#include <condition_variable>
#include <map>

#include <kubist/data/document.hpp>
#include <kubist/data/json_outline.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/util/text.hpp>

#include "answers.hpp"
#include "client_impl.hpp"

namespace kubist::kube {
namespace {

constexpr std::size_t k_token_prefix = 65536;  // metadata precedes the items of built-in kinds
constexpr std::int64_t k_min_limit = 100;
constexpr std::int64_t k_max_limit = 20000;

util::Error too_long(std::string_view what, std::size_t bytes, const char* of_what) {
  return util::make_error(util::ErrorKind::invalid,
                          util::cat(what, ": the list is longer than ", bytes, of_what),
                          "See docs/reference/limits.md.", std::string(http::k_failure_too_large));
}

std::string_view accept_list(Form form) {
  switch (form) {
    case Form::metadata:
      return "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    case Form::table:
      return k_accept_table;
    default:
      return "application/json";
  }
}

/// One page on its way. The worker fills it, the listing thread takes it; both hold it.
struct Page {
  std::mutex* mutex = nullptr;
  std::condition_variable* changed = nullptr;
  data::PageBuffer buffer;
  std::int64_t limit = 0;
  std::optional<std::string> token;                     // guarded; as soon as it has been seen
  std::optional<util::Result<http::Response>> outcome;  // guarded

  void begin() {
    buffer.clear();
    const std::lock_guard lock(*mutex);
    token.reset();
  }
  void append(std::string_view bytes) {
    const bool look = buffer.size() < k_token_prefix;
    buffer.append(bytes);
    if (!look) {
      return;
    }
    auto seen = data::find_continue(buffer.view());
    const std::lock_guard lock(*mutex);
    if (seen && !token) {
      token = std::move(seen);
      changed->notify_one();
    }
  }
  void finish(util::Result<http::Response> result) {
    const std::lock_guard lock(*mutex);
    outcome = std::move(result);
    changed->notify_one();
  }
};

/// Lists one collection: two pages by turns, one being handled while the other arrives.
class Lister {
 public:
  Lister(Client& client, const ApiResource& resource, std::string_view ns,
         const ListOptions& options)
      : m_client(client), m_options(options), m_path(resource.collection_path(ns)) {
    for (auto& page : m_shared->pages) {
      page.mutex = &m_shared->mutex;
      page.changed = &m_shared->changed;
    }
  }

  util::Result<ListEnd> run(const PageHandler& on_page, const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { cancel(); });
    auto end = loop(on_page);
    cancel();  // what is still on its way must not outlive this call
    for (std::size_t slot = 0; slot < 2; ++slot) {
      if (m_in_flight[slot]) {
        wait(slot);
      }
    }
    return end;
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::array<Page, 2> pages;
  };

  util::Result<ListEnd> loop(const PageHandler& on_page) {
    ListEnd end;
    std::int64_t limit = m_options.paged ? m_options.first_limit : 0;
    std::int64_t asked = 0;
    begin(0, clip(limit, asked), "");
    for (std::size_t number = 0;; ++number) {
      const std::size_t slot = number % 2;
      const std::size_t other = 1 - slot;
      Page& page = m_shared->pages[slot];
      asked += page.limit;
      const bool last_wanted = m_options.max_objects > 0 && asked >= m_options.max_objects;
      // The size of objects is known after the first page: only it is not overtaken.
      if (number > 0 && !last_wanted) {
        if (const auto token = wait_for_token(slot)) {
          begin(other, clip(limit, asked), *token);
        }
      }
      wait(slot);
      auto token = take(page);
      if (!token) {
        if (!m_options.tolerate_expired || !is_expired(token.error()) || m_fresh_token.empty()) {
          return util::fail(std::move(token).error());
        }
        end.inconsistent = true;
        asked -= page.limit;
        begin(other, clip(limit, asked), std::exchange(m_fresh_token, {}));
        continue;
      }
      KUBIST_CHECK(count(page));
      if (page.limit > 0) {
        limit = next_limit(page);
      }
      if (!token->empty() && !last_wanted && !m_in_flight[other]) {
        begin(other, clip(limit, asked), *token);
      }
      if (token->empty() || last_wanted) {
        end.more = !token->empty();
        if (m_version.empty()) {
          KUBIST_TRY(data::ListHead head, head_of(page));
          m_version = std::move(head.resource_version);
        }
        end.resource_version = m_version;
      }
      KUBIST_CHECK(on_page(page.buffer));
      if (token->empty() || last_wanted) {
        return end;
      }
    }
  }

  /// A server may go on for ever.
  util::Result<> count(const Page& page) {
    m_bytes += page.buffer.size();
    if (m_bytes <= m_options.max_bytes) {
      return {};
    }
    return util::fail(
        too_long(util::cat("GET ", http::redacted(m_url)), m_options.max_bytes, " bytes"));
  }

  /// A page's limit, cut to what is still wanted.
  std::int64_t clip(std::int64_t limit, std::int64_t asked) const {
    if (m_options.max_objects == 0) {
      return limit;
    }
    const std::int64_t left = m_options.max_objects - asked;
    return limit == 0 ? left : std::min(limit, left);
  }

  std::int64_t next_limit(const Page& page) const {
    const std::size_t per_object =
        std::max<std::size_t>(page.buffer.size() / static_cast<std::size_t>(page.limit), 1);
    return std::clamp(static_cast<std::int64_t>(m_options.page_bytes / per_object), k_min_limit,
                      k_max_limit);
  }

  void begin(std::size_t slot, std::int64_t limit, const std::string& token) {
    ApiCall call;
    call.path = m_path;
    call.accept = accept_list(m_options.form);
    call.max_body = std::min(m_options.max_page, m_options.max_bytes);
    call.query = {{"labelSelector", m_options.label_selector},
                  {"fieldSelector", m_options.field_selector},
                  {"limit", limit > 0 ? std::to_string(limit) : ""},
                  {"continue", token},
                  {"includeObject", std::string(to_query(m_options.table_objects))}};
    if (token.empty() && !m_options.resource_version.empty()) {
      // Later pages must not repeat it: the token has it.
      call.query.emplace_back("resourceVersion", m_options.resource_version);
      call.query.emplace_back("resourceVersionMatch", "NotOlderThan");
    }
    http::Request request = m_client.request_of(call);
    m_url = request.url;
    Page& page = m_shared->pages[slot];
    page.limit = limit;
    page.outcome.reset();
    page.token.reset();
    const auto pointer = std::shared_ptr<Page>(m_shared, &page);
    request.on_head = [pointer](const http::Response&) { pointer->begin(); };
    request.on_chunk = [pointer](std::string_view bytes) {
      pointer->append(bytes);
      return true;
    };
    m_in_flight[slot] = true;
    const http::Call handle = m_client.transport().start(
        std::move(request),
        [pointer](util::Result<http::Response> outcome) { pointer->finish(std::move(outcome)); });
    const std::lock_guard lock(m_calls_mutex);
    m_calls[slot] = handle;
    if (m_stopped) {
      handle.cancel();
    }
  }

  void cancel() {
    const std::lock_guard lock(m_calls_mutex);
    m_stopped = true;
    for (const http::Call& call : m_calls) {
      call.cancel();
    }
  }

  std::optional<std::string> wait_for_token(std::size_t slot) {
    Page& page = m_shared->pages[slot];
    std::unique_lock lock(m_shared->mutex);
    m_shared->changed.wait(lock, [&] { return page.token || page.outcome; });
    return page.token;
  }

  void wait(std::size_t slot) {
    Page& page = m_shared->pages[slot];
    std::unique_lock lock(m_shared->mutex);
    m_shared->changed.wait(lock, [&] { return page.outcome.has_value(); });
    m_in_flight[slot] = false;
  }

  /// The continue token of a page that has arrived; empty: the last one.
  util::Result<std::string> take(Page& page) {
    util::Result<http::Response>& outcome = *page.outcome;
    if (!outcome) {
      return util::fail(std::move(outcome).error());
    }
    m_client.report_warnings(outcome->headers);
    if (outcome->status >= 400) {
      const auto status = parse_answer(outcome->body, k_max_refusal_values);
      m_fresh_token = status ? data::string_at(*status, {"metadata", "continue"}) : "";
      return util::fail(api_error("GET", m_url, *outcome));
    }
    if (page.token) {
      return *page.token;
    }
    // The last page, or one of a custom resource, whose metadata comes after its items.
    KUBIST_TRY(data::ListHead head, head_of(page));
    m_version = std::move(head.resource_version);
    return std::move(head.continue_token);
  }

  util::Result<data::ListHead> head_of(const Page& page) const {
    const bool table = m_options.form == Form::table;
    const auto ignore = [](const auto&) { return util::Result<>(); };
    auto head = table ? data::TableReader().read(page.buffer, ignore, ignore)
                      : data::ListReader().read(page.buffer, ignore);
    if (!head) {
      return util::fail(
          util::with_context(std::move(head).error(), "GET " + http::redacted(m_url)));
    }
    return head;
  }

  Client& m_client;
  const ListOptions& m_options;
  std::string m_path;
  std::string m_url;
  std::size_t m_bytes = 0;  // of all pages so far
  std::string m_fresh_token;
  std::string m_version;  // of the newest page whose head has been read
  std::shared_ptr<Shared> m_shared = std::make_shared<Shared>();
  std::array<bool, 2> m_in_flight{};
  std::mutex m_calls_mutex;  // guards what follows
  std::array<http::Call, 2> m_calls;
  bool m_stopped = false;
};

}  // namespace

std::string_view to_query(TableObjects objects) {
  switch (objects) {
    case TableObjects::none:
      return "None";
    case TableObjects::whole:
      return "Object";
    default:
      return "";
  }
}

util::Result<ListEnd> Client::list_pages(const ApiResource& resource, std::string_view ns,
                                         const ListOptions& options, const PageHandler& on_page,
                                         std::stop_token stop) {
  if (stop.stop_requested()) {
    return util::fail(util::ErrorKind::cancelled,
                      util::cat("listing ", resource.group_resource(), ": cancelled"));
  }
  return Lister(*this, resource, ns, options).run(on_page, stop);
}

util::Result<ListEnd> Client::list_items(const ApiResource& resource, std::string_view ns,
                                         const ListOptions& options,
                                         const data::ItemHandler& on_item, std::stop_token stop) {
  data::ListReader reader;
  const auto read = [&](const data::PageBuffer& page) -> util::Result<> {
    KUBIST_CHECK(reader.read(page, on_item));
    return {};
  };
  return list_pages(resource, ns, options, read, std::move(stop));
}

namespace {

/// Takes the items of one listing.
class Collector {
 public:
  Collector(const ApiResource& resource, const ListOptions& options)
      : m_resource(resource),
        m_room(options.room),
        m_passes(options.pass_unreadable),
        m_most(options.max_memory) {}

  util::Result<> add(const data::ListItem& item) {
    if (m_room == nullptr) {
      auto parsed = read_item(m_resource, item.raw);
      if (!parsed && m_passes) {
        objects.unreadable.push_back(
            {std::make_shared<const data::Json>(data::outline(item.raw)), parsed.error()});
        return {};
      }
      KUBIST_TRY(data::Json value, std::move(parsed));
      m_bytes += data::memory_of(value);
      objects.items.push_back(std::move(value));
      return m_bytes <= m_most
                 ? util::Result<>{}
                 : util::fail(too_long(m_resource.group_resource(), m_most, " bytes of memory"));
    }
    Kept kept = m_room->read(m_resource, item.name_space, item.raw);
    m_taken[std::string(item.name_space)] += kept.bytes;
    if (kept.unreadable) {
      objects.unreadable.push_back(
          {std::make_shared<const data::Json>(std::move(kept.object)), *kept.unreadable});
    } else {
      objects.items.push_back(std::move(kept.object));
    }
    return {};
  }
  /// It had no success.
  void leave() {
    for (const auto& [ns, bytes] : m_taken) {
      m_room->leave(ns, bytes);
    }
  }

  ObjectList objects;

 private:
  const ApiResource& m_resource;
  Room* m_room;
  const bool m_passes;
  const std::size_t m_most;  ///< without a room
  std::size_t m_bytes = 0;
  std::map<std::string, std::size_t> m_taken;  ///< of the room, by namespace
};

}  // namespace

util::Result<ObjectList> Client::list(const ApiResource& resource, std::string_view ns,
                                      const ListOptions& options, std::stop_token stop) {
  constexpr int k_attempts = 3;
  ListOptions limited = options;
  limited.max_bytes =
      std::min(options.max_bytes, options.room != nullptr ? k_max_reply : options.max_memory / 4);
  for (int attempt = 1;; ++attempt) {
    Collector collector(resource, options);
    auto end = list_items(
        resource, ns, limited, [&](const data::ListItem& item) { return collector.add(item); },
        stop);
    if (end) {
      collector.objects.resource_version = std::move(end->resource_version);
      return std::move(collector.objects);
    }
    collector.leave();
    if (!is_expired(end.error()) || attempt == k_attempts) {
      return util::fail(std::move(end).error());
    }
  }
}

}  // namespace kubist::kube
