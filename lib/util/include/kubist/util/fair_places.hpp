#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kubist/util/fair_queue.hpp>

namespace kubist::util {

/// Places that threads wait for, given out as FairQueue does: to each group its share, and by
/// turns. Any thread.
class FairPlaces {
 public:
  /// Held as long as it lives. REQUIRES: the places outlive it.
  class Place {
   public:
    Place(FairPlaces& places, std::string group) : m_places(&places), m_group(std::move(group)) {}
    Place(Place&& other) noexcept
        : m_places(std::exchange(other.m_places, nullptr)), m_group(std::move(other.m_group)) {}
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    FairPlaces* m_places;
    std::string m_group;
  };

  explicit FairPlaces(Shares shares) : m_queue(shares) {}

  /// Waits for a place. Nothing: stop was requested before there was one.
  std::optional<Place> take(const std::string& group, const std::stop_token& stop);
  /// Nothing: there is none now.
  std::optional<Place> try_take(const std::string& group);

 private:
  struct Waiter {
    std::condition_variable_any wake;
    bool has_place = false;
  };
  void give_out();

  std::mutex m_mutex;
  FairQueue<Waiter*> m_queue;
};

}  // namespace kubist::util
