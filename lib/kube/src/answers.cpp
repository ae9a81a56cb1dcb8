#include "answers.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::kube {

util::Result<data::Json> parse_answer(std::string_view body, std::size_t max_values) {
  data::ReadOptions options;
  options.max_nodes = max_values;
  options.max_bytes = k_max_reply;
  options.max_depth = 1000;
  options.duplicate_keys = data::DuplicateKeys::last_wins;
  options.big_integers = data::BigIntegers::as_float;
  options.keep_source = false;
  return data::parse_json(body, "answer", options);
}

http::Call StatusesAlone::start(http::Request request, http::Done done) {
  return m_inner->start(
      std::move(request), [done = std::move(done)](util::Result<http::Response> outcome) {
        if (outcome && outcome->status >= 400) {
          outcome->foreign = true;
          const bool is_read = outcome->body.size() <= k_max_foreign_refusal;
          const auto body =
              parse_answer(is_read ? std::string_view(outcome->body) : "", k_max_refusal_values);
          if (!body || data::string_at(*body, {"kind"}) != "Status") {
            outcome->body.clear();
          }
        }
        done(std::move(outcome));
      });
}

}  // namespace kubist::kube
