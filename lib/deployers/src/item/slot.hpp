#pragma once

namespace kubist::deployers {

/// A place of a semaphore as long as it lives, whatever is thrown meanwhile.
template <class Semaphore>
class Slot {
 public:
  explicit Slot(Semaphore& places) : m_places(places) { m_places.acquire(); }
  ~Slot() { m_places.release(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  Semaphore& m_places;
};

}  // namespace kubist::deployers
