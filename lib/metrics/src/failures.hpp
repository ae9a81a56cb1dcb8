#pragma once
#include <string_view>

#include <kubist/metrics/answer.hpp>
#include <kubist/util/error.hpp>

namespace kubist::metrics {

/// Why there is no value: an Error of http or kube as an Answer.
Answer answer_of(const util::Error& error);

/// Does the text begin as a page for people does?
bool looks_like_html(std::string_view body);

}  // namespace kubist::metrics
