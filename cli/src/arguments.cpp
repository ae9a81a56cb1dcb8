#include <stdexcept>

#include <kubist/cli/command.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

Arguments::Arguments(const CommandSpec& spec,
                     std::map<std::string, std::vector<std::string>> values,
                     std::vector<std::string> words)
    : m_spec(&spec), m_values(std::move(values)), m_words(std::move(words)) {}

const Flag& Arguments::flag(std::string_view name) const {
  for (const std::vector<Flag>* flags : {&m_spec->flags, &global_flags()}) {
    for (const Flag& flag : *flags) {
      if (flag.name == name) {
        return flag;
      }
    }
  }
  throw std::logic_error(
      util::cat("a command asks for --", name, ", which its record does not name"));
}

bool Arguments::given(std::string_view name) const {
  return m_values.contains(std::string(flag(name).name));
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const auto found = m_values.find(std::string(flag(name).name));
  return found == m_values.end() ? std::vector<std::string>{} : found->second;
}

std::string Arguments::text(std::string_view name) const {
  const auto values = list(name);
  return values.empty() ? std::string(flag(name).initial) : values.back();
}

bool Arguments::boolean(std::string_view name) const { return text(name) == "true"; }

long long Arguments::number(std::string_view name) const {
  return util::parse_int(text(name)).value_or(0);
}

std::optional<std::chrono::nanoseconds> parse_flag_duration(std::string_view text) {
  if (const auto seconds = util::parse_int(text)) {
    constexpr long long k_most = 9'000'000'000;  // as many nanoseconds there are
    return *seconds >= -k_most && *seconds <= k_most
               ? std::optional<std::chrono::nanoseconds>(std::chrono::seconds(*seconds))
               : std::nullopt;
  }
  const auto duration = util::parse_duration(text);
  return duration ? std::optional(*duration) : std::nullopt;
}

std::chrono::nanoseconds Arguments::duration(std::string_view name) const {
  return parse_flag_duration(text(name)).value_or(std::chrono::nanoseconds(0));
}

}  // namespace kubist::cli
