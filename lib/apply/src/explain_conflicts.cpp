#include <kubist/data/json_text.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"
#include "field_path.hpp"
#include "set_run.hpp"

namespace kubist::apply {

using data::Json;

namespace {

std::string shown(const Json* value, const std::string& field, bool secret) {
  if (value == nullptr) {
    return {};
  }
  if (secret && (field.starts_with("data") || field.starts_with("stringData"))) {
    return "***";
  }
  constexpr std::size_t k_most = 60;
  std::string text = data::to_json(*value);
  if (text.size() > k_most) {
    text = text.substr(0, k_most - 3) + "...";
  }
  return util::printable(text);
}

}  // namespace

/// Reads what the objects in conflict have now, so that both values of each field can be shown.
void SetRun::explain_conflicts(const Tags& tags) {
  Tags conflicting;
  for (const std::size_t tag : tags) {
    if (!m_works[tag].done && m_conflicts.contains(m_works[tag].index)) {
      conflicting.push_back(tag);
    }
  }
  const auto explain = [&](Work& work, const Json& live) {
    const Json& input = work.manifest->object;
    const bool secret = resources::is_secret(input);
    work.result.conflicts = std::move(m_conflicts[work.index]);
    for (Conflict& row : work.result.conflicts) {
      const std::string field = row.field.starts_with('.') ? row.field.substr(1) : row.field;
      const FoundField wanted = find_field(input, row.field);
      row.field = field;
      row.live = shown(find_field(live, "." + field).value, field, secret);
      row.input = shown(wanted.value, field, secret);
      row.pos = work.manifest->position(wanted.pointer);
    }
    finish(work, Outcome::conflict);
  };
  const Tags unread = run_calls(
      m_client, conflicting,
      [&](std::size_t tag) {
        return kube::get(m_works[tag].resource, m_works[tag].ref.ns, m_works[tag].ref.name);
      },
      [&](std::size_t tag, util::Result<kube::Reply> reply) -> Delay {
        const auto live = reply ? reply->json() : util::Result<Json>(Json::object());
        explain(m_works[tag], live.value_or(Json::object()));
        return std::nullopt;
      },
      m_stop);
  for (const std::size_t tag : unread) {
    explain(m_works[tag], Json::object());
  }
}

}  // namespace kubist::apply
