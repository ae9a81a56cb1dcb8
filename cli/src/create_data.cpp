#include "create_data.hpp"

#include <algorithm>
#include <filesystem>

#include <kubist/data/json_text.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

namespace fs = std::filesystem;
using util::cat;
using util::ErrorKind;

constexpr std::size_t k_most_bytes = std::size_t{16} << 20U;  // a server takes 1 MiB

bool is_key_byte(char c) {
  return util::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.';
}

util::Result<> add_entry(DataEntries& entries, const std::string& key, std::string value) {
  constexpr std::size_t k_longest = 253;
  const bool valid = !key.empty() && key.size() <= k_longest && !key.starts_with("..") &&
                     key != "." && std::all_of(key.begin(), key.end(), is_key_byte);
  if (!valid) {
    return util::fail(ErrorKind::invalid, cat('"', key, "\" is not a valid key"),
                      "A key has letters, digits, '-', '_' and '.', at most 253 of them.");
  }
  if (!entries.emplace(key, std::move(value)).second) {
    return util::fail(ErrorKind::invalid, cat("the key \"", key, "\" is there twice"));
  }
  return {};
}

util::Result<> add_literal(DataEntries& entries, const std::string& source) {
  const std::size_t equals = source.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return util::fail(ErrorKind::usage, "a value of --from-literal is not KEY=VALUE",
                      "It is not shown, because it may be a secret.");
  }
  return add_entry(entries, source.substr(0, equals), source.substr(equals + 1));
}

util::Result<> add_file(DataEntries& entries, const std::string& key, const fs::path& path) {
  KUBIST_TRY(std::string bytes, util::read_file(path, k_most_bytes));
  return add_entry(entries, key, std::move(bytes));
}

/// The regular files of a folder, each by its name.
util::Result<> add_folder(DataEntries& entries, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->symlink_status(failed).type() == fs::file_type::regular) {
      files.push_back(at->path());
    }
  }
  if (failed) {
    return util::fail(ErrorKind::forbidden,
                      cat("cannot read the folder ", folder.string(), ": ", failed.message()));
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    KUBIST_CHECK(add_file(entries, file.filename().string(), file));
  }
  return {};
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !util::is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), is_key_byte);
}

/// KEY=VALUE lines; a KEY without a value takes it from the environment.
util::Result<> add_variables(DataEntries& entries, const std::string& file) {
  KUBIST_TRY(const std::string text, util::read_file(file, k_most_bytes));
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  std::string_view rest = text;
  rest.remove_prefix(rest.starts_with(k_byte_order_mark) ? k_byte_order_mark.size() : 0);
  std::size_t number = 0;
  for (std::string line : util::split(rest, '\n')) {
    const util::SourcePos pos{file, ++number};
    line.erase(0, line.find_first_not_of(" \t\r\v\f"));
    line.erase(line.ends_with('\r') ? line.size() - 1 : line.size());
    if (line.empty() || line[0] == '#') {
      continue;
    }
    const std::size_t equals = line.find('=');
    const std::string key = line.substr(0, equals);
    if (!data::is_utf8(line) || !is_variable_name(key)) {
      return util::fail(ErrorKind::invalid, pos, "the line is not KEY=VALUE",
                        "A key has letters, digits, '-', '_' and '.', and no digit in front.");
    }
    KUBIST_CHECK(add_entry(
        entries, key,
        equals == std::string::npos ? util::environment(key.c_str()) : line.substr(equals + 1)));
  }
  return {};
}

std::vector<std::string> parted(const std::vector<std::string>& values) {
  std::vector<std::string> all;
  for (const std::string& value : values) {
    for (std::string& part : util::split(value, ',')) {
      all.push_back(std::move(part));
    }
  }
  return all;
}

}  // namespace

util::Result<> read_data_files(const std::vector<std::string>& sources,
                               const std::string& default_key, DataEntries& entries) {
  for (const std::string& source : parted(sources)) {
    const std::size_t equals = source.find('=');
    const bool keyed = equals != std::string::npos;
    const fs::path path = keyed ? source.substr(equals + 1) : source;
    if (path.empty() || equals == 0 || source.find('=', keyed ? equals + 1 : 0) != source.npos) {
      return util::fail(ErrorKind::usage, cat("--from-file is [KEY=]FILE, not \"", source, '"'));
    }
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      if (keyed) {
        return util::fail(ErrorKind::usage,
                          cat("a folder takes no key: --from-file=", path.string()));
      }
      KUBIST_CHECK(add_folder(entries, path));
      continue;
    }
    const std::string key = keyed                 ? source.substr(0, equals)
                            : default_key.empty() ? path.filename().string()
                                                  : default_key;
    KUBIST_CHECK(add_file(entries, key, path));
  }
  return {};
}

util::Result<DataEntries> read_data(const Arguments& arguments) {
  const auto literals = arguments.list("from-literal");
  const auto files = arguments.list("from-file");
  const auto variables = parted(arguments.list("from-env-file"));
  if (!variables.empty() && !(literals.empty() && files.empty())) {
    return util::fail(ErrorKind::usage,
                      "--from-env-file cannot go together with --from-file or --from-literal");
  }
  DataEntries entries;
  for (const std::string& literal : literals) {
    KUBIST_CHECK(add_literal(entries, literal));
  }
  KUBIST_CHECK(read_data_files(files, "", entries));
  for (const std::string& file : variables) {
    KUBIST_CHECK(add_variables(entries, file));
  }
  return entries;
}

Flag from_file_flag() {
  return {"from-file",
          0,
          FlagKind::list,
          "[KEY=]FILE",
          "the bytes of a file, or of each file of a folder; may be repeated",
          "",
          Completes::files};
}

std::vector<Flag> data_flags() {
  return {{"from-literal", 0, FlagKind::list, "KEY=VALUE", "a value; may be repeated"},
          from_file_flag(),
          {"from-env-file", 0, FlagKind::list, "FILE",
           "a file of lines KEY=VALUE; a line KEY takes the value of that environment variable", "",
           Completes::files}};
}

}  // namespace kubist::cli
