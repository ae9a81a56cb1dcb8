#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
#include <thread>
#include <type_traits>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// The exception that is being handled, as an Error of kind internal: "unexpected: WHAT". Only
/// inside a catch block.
Error caught_exception();

template <class T>
struct GuardedResult {
  using Type = Result<T>;
};
template <class T>
struct GuardedResult<Result<T>> {
  using Type = Result<T>;
};

/// Calls it; what it throws becomes an Error. `call` gives nothing, a value or a Result. The first
/// thing that a thread does: an exception that leaves a thread ends the process.
template <class Call>
typename GuardedResult<std::invoke_result_t<Call&>>::Type guarded(Call&& call) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Call&>>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (...) {
    return fail(caught_exception());
  }
}

/// Starts a thread. Unavailable: the process may have no more. `work` must not throw: guarded().
Result<std::jthread> start_thread(std::function<void(std::stop_token)> work);

/// Runs `work` in this thread and in up to `helpers` others (512 at most) at the same time. Where
/// no more threads can be made, those that there are do all of it: `work` takes its tasks from a
/// common place. Returns when all calls have; the first exception of one is thrown here.
void share_work(std::size_t helpers, const std::function<void()>& work);

/// Calls work(i) for each i below `count`, `at_once` at the same time at most, in share_work().
/// Each is called, whatever others throw; the first exception is thrown here.
void for_each_index(std::size_t count, std::size_t at_once,
                    const std::function<void(std::size_t)>& work);

}  // namespace kubist::util
