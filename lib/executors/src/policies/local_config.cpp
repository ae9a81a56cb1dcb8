#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/executors/local_config.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

namespace {

constexpr const char* k_variable = "KUBIST_CONFIG";
constexpr std::size_t k_max_bytes = 1U << 20U;
constexpr const char* k_default_timeout = "30s";
constexpr const char* k_default_memory = "4Gi";

const data::Schema& schema() {
  static const data::Schema k_schema = *data::Schema::compile(Json::parse(R"({
    "type": "object",
    "properties": {
      "exec": {"type": "object", "additionalProperties": {
        "type": "object",
        "required": ["program"],
        "properties": {
          "program": {"type": "string", "pattern": "^/"},
          "args": {"type": "array", "items": {"type": "string"}},
          "sha256": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"},
          "timeout": {"type": "string"},
          "memory": {"type": "string"}}}},
      "contexts": {"type": "object", "additionalProperties": {
        "type": "object",
        "properties": {
          "readOnly": {"type": "boolean"},
          "confirm": {"type": "boolean"}}}}}})"));
  return k_schema;
}

util::Result<runtimes::ExecProgram> read_program(const Json& value) {
  runtimes::ExecProgram program;
  program.program = value["program"].get<std::string>();
  program.args = value.value("args", std::vector<std::string>{});
  program.sha256 = value.value("sha256", "");
  KUBIST_TRY(const auto timeout, util::parse_duration(value.value("timeout", k_default_timeout)));
  KUBIST_TRY(const double memory, util::quantity_value(value.value("memory", k_default_memory)));
  if (timeout.count() <= 0 || memory < 1) {
    return util::fail(ErrorKind::invalid, "timeout and memory must be more than nothing");
  }
  program.limits.wall = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  program.limits.cpu = std::chrono::ceil<std::chrono::seconds>(timeout);
  program.limits.memory_bytes = static_cast<std::uint64_t>(memory);
  return program;
}

/// The value at `key` of an object, empty where there is none.
const Json& map_at(const Json& value, const char* key) {
  static const Json k_none = Json::object();
  const Json* found = data::find_path(value, {key});
  return found != nullptr ? *found : k_none;
}

util::Result<> read_programs(const data::Document& document, LocalConfig& config) {
  for (const auto& [name, value] : map_at(document.value, "exec").items()) {
    auto program = read_program(value);
    if (!program) {
      util::Error error = util::with_context(program.error(), cat("exec ", name));
      error.pos = document.position(cat("/exec/", name));
      return util::fail(std::move(error));
    }
    config.programs.emplace(name, *std::move(program));
  }
  return {};
}

void read_contexts(const data::Document& document, LocalConfig& config) {
  for (const auto& [name, value] : map_at(document.value, "contexts").items()) {
    std::string pointer = "/contexts";
    data::append_token(pointer, name);
    const auto said_at = [&, &rule = value](const char* key) {
      return data::bool_at(rule, {key})
                 ? std::optional(document.position(cat(pointer, '/', key), data::At::key))
                 : std::nullopt;
    };
    config.contexts.emplace(name,
                            LocalConfig::ContextRule{said_at("readOnly"), said_at("confirm")});
  }
}

util::Result<> check_mode(const fs::path& file) {
  std::error_code error;
  const auto mode = fs::status(file, error).permissions();
  if (!error && (mode & (fs::perms::group_write | fs::perms::others_write)) != fs::perms::none) {
    return util::fail(ErrorKind::forbidden,
                      cat(file.string(), " can be written by others, who would choose what runs"),
                      cat("chmod go-w ", file.string()));
  }
  return {};
}

}  // namespace

fs::path local_config_file(const fs::path& home) {
  if (const std::string named = util::environment(k_variable); !named.empty()) {
    return named;
  }
  fs::path folder = util::environment("XDG_CONFIG_HOME");
  if (folder.empty() && !home.empty()) {
    folder = home / ".config";
  }
  return folder.empty() ? folder : folder / "kubist" / "config.yaml";
}

util::Result<LocalConfig> read_local_config() {
  const fs::path file = local_config_file();
  auto text = util::read_file(file, k_max_bytes);
  if (!text) {
    const bool none = text.error().kind == ErrorKind::not_found;
    return none && util::environment(k_variable).empty() ? util::Result<LocalConfig>({file, {}})
                                                         : util::fail(text.error());
  }
  KUBIST_CHECK(check_mode(file));
  KUBIST_TRY(LocalConfig config, parse_local_config(*text, file.string()));
  config.file = file;
  return config;
}

util::Result<LocalConfig> parse_local_config(std::string_view text, const std::string& origin) {
  LocalConfig config;
  KUBIST_TRY(auto documents, data::read_documents(text, origin));
  if (documents.empty()) {
    return config;  // comments only
  }
  data::Document& document = documents.front();
  auto errors = schema().validate(document.value, document.lookup());
  if (documents.size() > 1) {
    errors.push_back(util::make_error(ErrorKind::invalid, documents[1].start,
                                      "a second document: one file has one"));
  }
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), origin));
  }
  schema().apply_defaults(document.value);
  KUBIST_CHECK(read_programs(document, config));
  read_contexts(document, config);
  return config;
}

}  // namespace kubist::executors
