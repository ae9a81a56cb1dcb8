#include "execution/removal_order.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include <kubist/resources/object.hpp>

#include "execution/execution_parts.hpp"

namespace kubist::deployers {
namespace {

constexpr std::size_t k_no_node = std::numeric_limits<std::size_t>::max();

/// The items that a name stands for.
struct NamedItems {
  std::vector<std::size_t> items;      ///< in their order
  std::size_t node = k_no_node;        ///< of the name, where others depend on it
  std::size_t own = k_no_node;         ///< that one of the items which depends on the name
  std::size_t last_named = k_no_node;  ///< by that item
};

class RemovalOrder {
 public:
  explicit RemovalOrder(const std::vector<Json>& items) : m_items(items), m_order(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto name = resources::ObjectView(items[i]).annotation(k_item_annotation);
      add_name(name, i);
      if (const auto head = name.substr(0, name.find('/')); head != name) {
        add_name(head, i);
      }
    }
  }

  /// Reads what that item depends on.
  void add_dependencies(std::size_t item) {
    auto left = resources::ObjectView(m_items[item]).annotation(k_depends_annotation);
    while (!left.empty()) {
      const std::string_view name = left.substr(0, left.find(','));
      left.remove_prefix(std::min(left.size(), name.size() + 1));
      if (const auto found = m_named.find(name); found != m_named.end()) {
        depend(item, found->second);
      }
    }
  }

  Order result() && {
    return m_circular || has_cycle(m_order) ? Order(m_items.size()) : std::move(m_order);
  }

 private:
  void add_name(std::string_view name, std::size_t item) {
    if (!name.empty()) {
      m_named[name].items.push_back(item);
    }
  }

  void depend(std::size_t item, NamedItems& on) {
    if (on.last_named == item) {
      return;
    }
    on.last_named = item;
    if (std::binary_search(on.items.begin(), on.items.end(), item)) {
      depend_on_own(item, on);
      return;
    }
    if (on.node == k_no_node) {
      on.node = m_order.size();
      m_order.emplace_back();
      for (const std::size_t each : on.items) {
        m_order[each].push_back(on.node);
      }
    }
    m_order[on.node].push_back(item);
  }

  /// It has the name itself, so it depends on the others that have it.
  void depend_on_own(std::size_t item, NamedItems& on) {
    if (on.own != k_no_node) {
      m_circular = true;  // two such depend on each other
      return;
    }
    on.own = item;
    for (const std::size_t each : on.items) {
      if (each != item) {
        m_order[each].push_back(item);
      }
    }
  }

  const std::vector<Json>& m_items;
  Order m_order;
  // Not hashed: who writes the names could have them all in one bucket.
  std::map<std::string_view, NamedItems> m_named;
  bool m_circular = false;
};

}  // namespace

util::Result<Order> removal_order(const std::vector<Json>& items, const std::stop_token& stop) {
  RemovalOrder order(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (stop.stop_requested()) {
      return util::fail(util::ErrorKind::cancelled,
                        "stopped before it was known which DeployItems go first");
    }
    order.add_dependencies(i);
  }
  return std::move(order).result();
}

}  // namespace kubist::deployers
