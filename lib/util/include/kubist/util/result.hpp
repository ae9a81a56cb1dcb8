#pragma once
#include <utility>

#include <tl/expected.hpp>

#include <kubist/util/error.hpp>

namespace kubist::util {

/// The value of an operation that may fail in an expected way, or its Error.
template <class T = void>
using Result = tl::expected<T, Error>;

/// The failing branch: `return fail(ErrorKind::invalid, "...")`.
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Args&&... args) {
  return tl::unexpected<Error>(make_error(std::forward<Args>(args)...));
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace kubist::util

#define KUBIST_CONCAT_INNER(a, b) a##b
#define KUBIST_CONCAT(a, b) KUBIST_CONCAT_INNER(a, b)

/// KUBIST_TRY(auto x, expression): x is the value, or the function returns the error.
#define KUBIST_TRY(declaration, ...) \
  KUBIST_TRY_INNER(KUBIST_CONCAT(kubist_result_, __LINE__), declaration, __VA_ARGS__)
#define KUBIST_TRY_INNER(temporary, declaration, ...)                           \
  auto temporary = (__VA_ARGS__);                                               \
  if (!temporary) {                                                             \
    return tl::unexpected<::kubist::util::Error>(std::move(temporary).error()); \
  }                                                                             \
  declaration = std::move(*temporary)

/// KUBIST_CHECK(expression): the function returns the error of a Result<void> (or drops its value).
#define KUBIST_CHECK(...)                                                              \
  do {                                                                                 \
    if (auto kubist_checked = (__VA_ARGS__); !kubist_checked) {                        \
      return tl::unexpected<::kubist::util::Error>(std::move(kubist_checked).error()); \
    }                                                                                  \
  } while (false)
