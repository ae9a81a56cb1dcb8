#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubist::util {

/// How many places there are for the work of many groups. One group has at most `share`. The second
/// half of `total` is for groups that have none: so others may hold theirs for good, and each group
/// gets on all the same.
struct Shares {
  std::size_t share, total;

  /// May a group that holds so many have another one, where all hold `used`?
  bool has_room(std::size_t held, std::size_t used) const {
    return held == 0 ? used < total : held < share && used < (total + 1) / 2;
  }
};

/// Work that waits for a place, by group. Next is the group with the fewest places, of equal ones
/// the one whose turn is longest ago. One thread: FairPlaces is for several.
template <class T>
class FairQueue {
 public:
  explicit FairQueue(Shares shares) : m_shares(shares) {}

  /// Of a group the lowest `order` is first, then what came first.
  void push(const std::string& group, T what, std::size_t order = 0) {
    change(group, [&](Group& of) {
      of.since = of.waiting.empty() ? ++m_turns : of.since;
      of.waiting.emplace(order, std::move(what));
    });
  }
  /// Gives a place to what is next; nothing: nobody waits for one that there is.
  std::optional<T> pop() {
    if (m_line.empty() || !m_shares.has_room(m_line.begin()->first.first, m_used)) {
      return std::nullopt;
    }
    std::optional<T> what;
    ++m_used;
    change(m_line.begin()->second->first, [&](Group& of) {
      what = std::move(of.waiting.begin()->second);
      of.waiting.erase(of.waiting.begin());
      of.since = ++m_turns;
      ++of.held;
    });
    return what;
  }
  /// Gives a place to what does not wait for one; false: there is none.
  bool try_take(const std::string& group) {
    const auto found = m_groups.find(group);
    if (!m_shares.has_room(found == m_groups.end() ? 0 : found->second.held, m_used)) {
      return false;
    }
    ++m_used;
    change(group, [](Group& of) { ++of.held; });
    return true;
  }
  void give_back(const std::string& group) {
    --m_used;
    change(group, [](Group& of) { --of.held; });
  }
  /// Takes out all that waits and is so.
  template <class Is>
  std::vector<T> remove_if(const Is& is) {
    std::vector<T> removed;
    for (auto next = m_groups.begin(); next != m_groups.end();) {
      const auto group = next++;  // it may go
      change(group->first, [&](Group& of) {
        std::erase_if(of.waiting, [&](auto& each) {
          return is(each.second) && (removed.push_back(std::move(each.second)), true);
        });
      });
    }
    return removed;
  }

  std::size_t used() const { return m_used; }

 private:
  struct Group {
    std::size_t held = 0;
    std::uint64_t since = 0;  ///< when it came into line, or had its last turn
    std::multimap<std::size_t, T> waiting;
  };
  using Groups = std::map<std::string, Group>;

  /// Its place in line follows from what it becomes.
  template <class Change>
  void change(const std::string& name, const Change& change) {
    const auto group = m_groups.try_emplace(name).first;
    Group& of = group->second;
    m_line.erase({of.held, of.since});
    change(of);
    if (!of.waiting.empty()) {
      m_line.emplace(std::pair(of.held, of.since), &*group);
    } else if (of.held == 0) {
      m_groups.erase(group);
    }
  }

  Shares m_shares;
  std::size_t m_used = 0;
  std::uint64_t m_turns = 0;
  Groups m_groups;
  /// Groups with something that waits, by the places that they hold and since when.
  std::map<std::pair<std::size_t, std::uint64_t>, typename Groups::value_type*> m_line;
};

}  // namespace kubist::util
