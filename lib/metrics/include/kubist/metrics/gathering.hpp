#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <kubist/metrics/provider.hpp>

namespace kubist::metrics {

/// How many threads are on their way to ask for a sample, and how many of them are there. Any
/// thread.
class Arrivals {
 public:
  class Mark {
   public:
    Mark(Arrivals& all, int Arrivals::*count) : m_all(all), m_count(count) { m_all.add(count, 1); }
    ~Mark() { m_all.add(m_count, -1); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    Arrivals& m_all;
    int Arrivals::*m_count;
  };
  /// The caller may ask before this ends.
  Mark coming() { return {*this, &Arrivals::m_coming}; }
  /// The caller asks, until this ends.
  Mark there() { return {*this, &Arrivals::m_there}; }
  /// Until as many are there as come, no longer than `limit`.
  void wait(std::chrono::milliseconds limit);

 private:
  void add(int Arrivals::*count, int number);
  std::mutex m_mutex;
  std::condition_variable m_changed;
  int m_coming = 0;
  int m_there = 0;
};

/// In front of a source that can tell of many subjects in one request: one asks for all who are in
/// sample(), once those that `arrivals` knows to be coming are there (for 50 ms at most) and no
/// request is under way. A single call is asked at once. What goes wrong with a request goes to all
/// that it was for. Who is stopped leaves the others their request, which ends when all are
/// stopped; but for the one whose thread asks: it comes back with the request. Any thread.
std::shared_ptr<Provider> make_gathering_provider(std::shared_ptr<Provider> source,
                                                  std::shared_ptr<Arrivals> arrivals);

}  // namespace kubist::metrics
