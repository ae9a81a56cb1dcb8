#pragma once
#include <functional>
#include <stop_token>

namespace kubist::simulation {

struct Lots {
  int runs = 0;
  int size = 1;
  unsigned threads = 0;  ///< 0: as many as there are processors
};

/// Hands out the runs from 0 on in lots, in order and on several threads, until all are made, a
/// stop is requested, or `work` returns false; a lot that was begun is finished.
void in_lots(const Lots& lots, const std::stop_token& stop,
             const std::function<bool(int begin, int end)>& work);

}  // namespace kubist::simulation
