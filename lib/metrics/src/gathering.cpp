#include <kubist/metrics/gathering.hpp>
#include <kubist/util/threads.hpp>

#include "failures.hpp"

namespace kubist::metrics {

namespace {

constexpr std::chrono::milliseconds k_last_call{50};

/// Group commit.
class GatheringProvider : public Provider {
 public:
  GatheringProvider(std::shared_ptr<Provider> source, std::shared_ptr<Arrivals> arrivals)
      : m_source(std::move(source)), m_arrivals(std::move(arrivals)) {}

  Expected<Sample> sample(const Subject& subject, const std::stop_token& stop) override {
    const Arrivals::Mark there = m_arrivals->there();
    std::size_t at = 0;
    const std::shared_ptr<Batch> batch = join(subject, at);
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait(lock, stop,
                        [&] { return batch->done || (!m_asking && m_gathering == batch); })) {
      lock.unlock();
      leave(batch);
      return inconclusive(k_reason_cancelled, "cancelled while others asked");
    }
    if (!batch->done) {
      ask(batch, lock, stop);
    }
    return batch->samples ? (*batch->samples)[at]
                          : Expected<Sample>(tl::unexpect, answer_of(batch->samples.error()));
  }

  std::vector<Expected<Sample>> samples(const std::vector<Subject>& subjects,
                                        const std::stop_token& stop) override {
    return m_source->samples(subjects, stop);
  }

 private:
  struct Batch {
    std::vector<Subject> subjects;
    std::size_t wanted = 0;  ///< by so many that were not stopped
    std::stop_source stop;
    bool done = false;
    util::Result<std::vector<Expected<Sample>>> samples;  ///< an error: the source threw it
  };

  std::shared_ptr<Batch> join(const Subject& subject, std::size_t& at) {
    const std::lock_guard lock(m_mutex);
    if (!m_gathering) {
      m_gathering = std::make_shared<Batch>();
    }
    at = m_gathering->subjects.size();
    m_gathering->subjects.push_back(subject);
    ++m_gathering->wanted;
    return m_gathering;
  }

  void leave(const std::shared_ptr<Batch>& batch) {
    {
      const std::lock_guard lock(m_mutex);
      if (--batch->wanted > 0) {
        return;
      }
      if (m_gathering == batch) {
        m_gathering.reset();  // who comes now is not to be stopped with it
      }
    }
    batch->stop.request_stop();
  }

  void ask(const std::shared_ptr<Batch>& batch, std::unique_lock<std::mutex>& lock,
           const std::stop_token& stop) {
    m_asking = true;
    lock.unlock();
    m_arrivals->wait(k_last_call);
    lock.lock();
    m_gathering.reset();
    lock.unlock();
    auto samples = util::guarded([&] {
      const std::stop_callback leaving(stop, [&] { leave(batch); });
      return m_source->samples(batch->subjects, batch->stop.get_token());
    });
    lock.lock();
    batch->samples = std::move(samples);
    batch->done = true;
    m_asking = false;
    m_changed.notify_all();
  }

  const std::shared_ptr<Provider> m_source;
  const std::shared_ptr<Arrivals> m_arrivals;
  std::mutex m_mutex;  ///< guards what follows, and the batches but for what is being asked
  std::condition_variable_any m_changed;
  std::shared_ptr<Batch> m_gathering;  ///< whom the next request is for; null: nobody yet
  bool m_asking = false;
};

}  // namespace

void Arrivals::add(int Arrivals::*count, int number) {
  const std::lock_guard lock(m_mutex);
  this->*count += number;
  m_changed.notify_all();
}

void Arrivals::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(m_mutex);
  m_changed.wait_for(lock, limit, [&] { return m_there >= m_coming; });
}

std::shared_ptr<Provider> make_gathering_provider(std::shared_ptr<Provider> source,
                                                  std::shared_ptr<Arrivals> arrivals) {
  return std::make_shared<GatheringProvider>(std::move(source), std::move(arrivals));
}

}  // namespace kubist::metrics
