#include <chrono>
#include <utility>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/deployers/kept_lists.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {

namespace {

using Clock = std::chrono::steady_clock;
using Texts = std::map<std::string, std::string>;  ///< of objects, by name

constexpr std::size_t k_few = 2;        // as many objects of a namespace are read by name
constexpr std::size_t k_few_lists = 8;  // as many namespaces are listed each
constexpr std::chrono::minutes k_age{1};

/// Of what items keep, `max_objects` (0: all), each given to `keep`. False: that may not be listed,
/// or not now, or there is more.
bool list(kube::Client& client, const kube::ApiResource& resource, const std::string& ns,
          std::int64_t max_objects, const data::ItemHandler& keep, const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = k_managed_label;
  options.form = kube::Form::metadata;
  options.max_objects = max_objects;
  options.max_bytes = kube::k_max_list;
  options.max_page = kube::k_max_list;
  const auto end = client.list_items(resource, ns, options, keep, stop);
  return end && !end->more;
}

}  // namespace

/// A kind in a namespace, as one user sees it.
struct KeptLists::Group {
  std::mutex mutex;       ///< held while it is listed: who asks then waits for the list
  std::size_t asked = 0;  ///< or expected to be
  bool listed = false;
  Clock::time_point listed_at;
  Texts texts;
  std::optional<kube::Reservation> reservation;  ///< of the texts, where a list of its own has them
};

/// A kind in the home cluster, as kubist itself sees it.
struct KeptLists::Whole {
  std::mutex mutex;            ///< held while it is listed
  std::size_t namespaces = 0;  ///< that were asked for
  bool listed = false;
  Clock::time_point listed_at;
  std::map<std::string, Texts> texts;  ///< by namespace
};

KeptLists::KeptLists(Expected expected) : m_expected(std::move(expected)) {}
KeptLists::~KeptLists() = default;

std::shared_ptr<KeptLists::Group> KeptLists::group(const kube::Client& client,
                                                   const kube::ApiResource& resource,
                                                   const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  auto& known = m_groups[util::cat(client.server(), ' ', client.impersonated_user(), ' ',
                                   resource.collection_path(ns))];
  if (!known) {
    known = std::make_shared<Group>();
    const auto expected = m_expected.find(ns);
    known->asked = expected == m_expected.end() ? 0 : expected->second - 1;
  }
  return known;
}

/// False: the namespace has to be listed.
bool KeptLists::fill_from_whole(Group& group, kube::Client& home, const kube::ApiResource& resource,
                                const std::string& ns, const std::stop_token& stop) {
  std::shared_ptr<Whole> whole;
  {
    const std::lock_guard lock(m_mutex);
    auto& known = m_wholes[resource.collection_path("")];
    known = known ? known : std::make_shared<Whole>();
    whole = known;
  }
  const std::lock_guard lock(whole->mutex);
  if (++whole->namespaces <= k_few_lists) {
    return false;
  }
  if (!std::exchange(whole->listed, true)) {
    whole->listed_at = Clock::now();
    // Of others there may be any number: no more pages than namespaces.
    const auto most = kube::ListOptions{}.first_limit * std::int64_t(m_expected.size());
    const auto keep = [&](const data::ListItem& item) -> util::Result<> {
      const std::string of(item.name_space);
      if (m_expected.contains(of)) {
        whole->texts[of].emplace(item.name, item.raw);
      }
      return {};
    };
    if (!list(home, resource, "", most, keep, stop)) {
      whole->texts.clear();
    }
  }
  auto found = whole->texts.extract(ns);
  if (found) {
    group.texts = std::move(found.mapped());
    group.listed_at = whole->listed_at;
  }
  return bool(found);
}

std::optional<data::Json> KeptLists::take(const Reader& reader, const kube::ApiResource& resource,
                                          const resources::ObjectRef& ref,
                                          const std::stop_token& stop) {
  const auto group = this->group(reader.objects, resource, ref.ns);
  const std::lock_guard lock(group->mutex);
  if (++group->asked > k_few && !std::exchange(group->listed, true) &&
      (reader.home == nullptr || !fill_from_whole(*group, *reader.home, resource, ref.ns, stop))) {
    group->listed_at = Clock::now();
    group->reservation.emplace(reader.project_ns);
    const auto keep = [&](const data::ListItem& item) -> util::Result<> {
      KUBIST_CHECK(group->reservation->take(item.name.size() + item.raw.size()));
      group->texts.emplace(item.name, item.raw);
      return {};
    };
    if (!list(reader.objects, resource, ref.ns, 0, keep, stop)) {
      group->texts.clear();
      group->reservation.reset();
    }
  }
  const auto found = group->texts.extract(ref.name);
  if (!found || Clock::now() - group->listed_at > k_age) {
    return std::nullopt;
  }
  auto object = data::parse_json(found.mapped(), ref.name);
  return object ? std::optional(*std::move(object)) : std::nullopt;
}

}  // namespace kubist::deployers
