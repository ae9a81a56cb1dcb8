#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

#include <kubist/data/document.hpp>
#include <kubist/data/json.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/util/result.hpp>

// What an API server may answer: it may be a member's. docs/reference/limits.md tells these limits.
namespace kubist::kube {

inline constexpr std::size_t k_max_small_reply = std::size_t{64} << 10U;   ///< versions, reviews
inline constexpr std::size_t k_max_schema_reply = std::size_t{64} << 20U;  ///< OpenAPI
inline constexpr std::size_t k_max_object_values = 1'000'000;  ///< of up to k_max_object
inline constexpr std::size_t k_max_refusal_values = 100'000;   ///< as JSON, of an answer >= 400
inline constexpr std::size_t k_max_foreign_refusal = std::size_t{256} << 10U;

/// The JSON of an answer. Invalid: it is none, or passes the limits of data::ReadOptions. An object
/// may be deeper than in lists, so that it can be mended; copies of it recurse.
util::Result<data::Json> parse_answer(std::string_view body,
                                      std::size_t max_values = data::ReadOptions().max_nodes);

/// For servers that a Secret names: of an answer with a status of 400 or more, the body comes
/// through only if it is a Kubernetes Status of up to 256 KiB: it is read on a thread that other
/// clusters share. Else errors would show what any service says that whoever wrote the Secret
/// cannot reach.
class StatusesAlone : public http::Transport {
 public:
  explicit StatusesAlone(std::shared_ptr<http::Transport> inner) : m_inner(std::move(inner)) {}
  http::Call start(http::Request request, http::Done done) override;

 private:
  std::shared_ptr<http::Transport> m_inner;
};

}  // namespace kubist::kube
