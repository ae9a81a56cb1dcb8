#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "item/log_store.hpp"

namespace kubist::deployers {
namespace {

constexpr std::size_t k_shortest = 6;
constexpr std::string_view k_index_key = "index";

std::string log_key(std::size_t index) { return util::cat("log-", index); }

std::string log_text(const Json& secret, std::string_view key) {
  return util::base64_decode(data::string_at(secret, {"data", key})).value_or("");
}

std::vector<KeptLog> read_logs(const Json& secret) {
  std::vector<KeptLog> logs;
  const auto index = data::parse_json(log_text(secret, k_index_key), "index");
  if (!index || !index->is_array()) {
    return logs;
  }
  for (std::size_t i = 0; i < index->size(); ++i) {
    logs.push_back({std::string(data::string_at((*index)[i], {"job"})),
                    std::string(data::string_at((*index)[i], {"time"})),
                    log_text(secret, log_key(i))});
  }
  return logs;
}

}  // namespace

void Redactor::add(std::string_view value) {
  value = util::trim(value);
  if (value.size() < k_shortest) {
    return;
  }
  const auto add_needle = [this](std::string needle) {
    m_needles.insert(needle);
    while (!needle.empty() && needle.back() == '=') {
      needle.pop_back();  // padding may be missing, or be followed by more
    }
    if (needle.size() >= k_shortest) {
      m_needles.insert(std::move(needle));
    }
  };
  m_needles.emplace(value);
  if (value.find('\n') != std::string_view::npos) {
    for (const std::string& line : util::split(value, '\n')) {
      if (const auto text = util::trim(line); text.size() >= k_shortest) {
        m_needles.emplace(text);
      }
    }
  }
  std::string quoted = data::to_json(Json(value));
  m_needles.insert(quoted.substr(1, quoted.size() - 2));
  add_needle(util::base64_encode(value));
  add_needle(util::base64_encode(util::cat(value, "\n")));
  add_needle(util::base64url_encode(value));
}

void Redactor::add_all(const Json& value) {
  if (value.is_string()) {
    add(value.get_ref<const std::string&>());
  } else if (value.is_number()) {
    add(data::to_json(value));
  } else if (value.is_structured()) {
    for (const Json& inner : value) {
      add_all(inner);
    }
  }
}

std::string Redactor::redact(std::string_view text) const {
  constexpr std::size_t k_most_work = std::size_t{8} << 30U;  // bytes to look at: some seconds
  if (m_needles.size() * text.size() > k_most_work) {
    return util::cat("(left out: ", m_needles.size(), " secret values to hide in ", text.size(),
                     " bytes)");
  }
  std::string result(text);
  for (const std::string& needle : m_needles) {
    result = util::replace_all(result, needle, "***");
  }
  return result;
}

std::string tail_of(std::string_view text, std::size_t bytes, std::size_t lines) {
  if (text.size() > bytes) {
    text.remove_prefix(text.size() - bytes);
    const std::size_t line = text.find('\n');
    text.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  }
  // The newline at the very end begins no line.
  std::size_t at = text.ends_with('\n') ? text.size() - 1 : text.size();
  for (std::size_t count = 0; count < lines; ++count) {
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (at == std::string_view::npos) {
      return std::string(text);
    }
  }
  return std::string(text.substr(at + 1));
}

void add_secret_exports(Redactor& redactor, const Item& item, const Json& exports) {
  if (!exports.is_object()) {
    return;
  }
  const auto& shown = item.public_exports;
  for (const auto& [key, value] : exports.items()) {
    if (std::find(shown.begin(), shown.end(), key) == shown.end()) {
      redactor.add_all(value);
    }
  }
}

Json log_secret_data(const Json& present, const KeptLog& newest) {
  std::vector<KeptLog> logs = read_logs(present);
  std::erase_if(logs, [&](const KeptLog& log) { return log.job == newest.job; });
  logs.insert(logs.begin(), newest);
  logs.resize(std::min(logs.size(), k_kept_logs));
  Json index = Json::array();
  Json data = Json::object();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    index.push_back({{"job", logs[i].job}, {"time", logs[i].time}});
    data[log_key(i)] = util::base64_encode(logs[i].text);
  }
  data[std::string(k_index_key)] = util::base64_encode(data::to_json(index));
  return data;
}

util::Result<std::vector<KeptLog>> kept_logs(kube::Client& home, const std::string& ns,
                                             const std::string& item, std::stop_token stop) {
  KUBIST_TRY(const auto secret,
             home.find(kube::well_known::secrets(), ns, home_logs_name(item), stop));
  return secret ? read_logs(*secret) : std::vector<KeptLog>{};
}

}  // namespace kubist::deployers
