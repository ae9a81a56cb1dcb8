#pragma once
#include <map>
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>

namespace kubist::cli {

/// The bytes of each key of a ConfigMap or a Secret.
using DataEntries = std::map<std::string, std::string>;

/// --from-literal, --from-file and --from-env-file.
std::vector<Flag> data_flags();
Flag from_file_flag();

/// What these flags say. Usage: a flag that is no pair, or --from-env-file beside the others;
/// invalid: a key that Kubernetes does not take or that is there twice, a line that is no variable;
/// else as util::read_file. No error has a value: it may be a secret.
util::Result<DataEntries> read_data(const Arguments& arguments);

/// What [KEY=]FILE and FOLDER of --from-file say; the key of a plain FILE is `default_key`, or its
/// name. The same errors.
util::Result<> read_data_files(const std::vector<std::string>& sources,
                               const std::string& default_key, DataEntries& entries);

}  // namespace kubist::cli
