#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/mark.hpp>

namespace kubist::state {

std::string to_text(const Mark& mark) {
  data::Json exports = data::Json::object();
  if (mark.exports_error.empty()) {
    exports["sha256"] = mark.exports_sha256;
  } else {
    exports["error"] = mark.exports_error;
  }
  data::Json state{{"generation", mark.state_generation}};
  if (!mark.state_error.empty()) {
    state["error"] = mark.state_error;
  }
  return data::to_json({{"job", mark.job}, {"exports", exports}, {"state", state}});
}

util::Result<Mark> parse_mark(std::string_view text) {
  KUBIST_TRY(const data::Json value, data::parse_json(text, "mark of the sidecar"));
  Mark mark;
  mark.job = std::string(data::string_at(value, {"job"}));
  mark.exports_sha256 = std::string(data::string_at(value, {"exports", "sha256"}));
  mark.exports_error = std::string(data::string_at(value, {"exports", "error"}));
  mark.state_generation = data::int_at(value, {"state", "generation"});
  mark.state_error = std::string(data::string_at(value, {"state", "error"}));
  if (mark.job.empty() || mark.exports_sha256.empty() == mark.exports_error.empty()) {
    return util::fail(util::ErrorKind::invalid, "the mark of the sidecar is incomplete");
  }
  return mark;
}

std::optional<Mark> mark_of(const data::Json& secret) {
  auto mark = parse_mark(data::string_at(secret, {"metadata", "annotations", k_mark_annotation}));
  return mark ? std::optional(*std::move(mark)) : std::nullopt;
}

}  // namespace kubist::state
