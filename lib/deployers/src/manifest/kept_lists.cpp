#include <chrono>
#include <utility>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/deployers/kept_lists.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {

namespace {

constexpr std::size_t k_few = 2;  // as many are read by name
constexpr std::chrono::minutes k_age{1};

}  // namespace

/// A kind in a namespace, as one user sees it.
struct KeptLists::Group {
  std::mutex mutex;       ///< held while it is listed: who asks then waits for the list
  std::size_t asked = 0;  ///< or expected to be
  bool listed = false;
  std::chrono::steady_clock::time_point listed_at;
  std::map<std::string, std::string> texts;  ///< by name
};

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

std::optional<data::Json> KeptLists::take(kube::Client& client, const kube::ApiResource& resource,
                                          const resources::ObjectRef& ref,
                                          const std::stop_token& stop) {
  const auto group = this->group(client, resource, ref.ns);
  const std::lock_guard lock(group->mutex);
  if (++group->asked > k_few && !std::exchange(group->listed, true)) {
    data::ListReader reader;
    kube::ListOptions options;
    options.label_selector = k_managed_label;
    options.form = kube::Form::metadata;
    const auto keep = [&](const data::ListItem& item) -> util::Result<> {
      group->texts.emplace(item.name, item.raw);
      return {};
    };
    group->listed_at = std::chrono::steady_clock::now();
    const auto end = client.list_pages(
        resource, ref.ns, options,
        [&](const data::PageBuffer& page) -> util::Result<> {
          KUBIST_CHECK(reader.read(page, keep));
          return {};
        },
        stop);
    if (!end) {  // it may not be listed, or not now
      group->texts.clear();
    }
  }
  const auto found = group->texts.extract(ref.name);
  if (!found || std::chrono::steady_clock::now() - group->listed_at > k_age) {
    return std::nullopt;
  }
  auto object = data::parse_json(found.mapped(), ref.name);
  return object ? std::optional(*std::move(object)) : std::nullopt;
}

}  // namespace kubist::deployers
