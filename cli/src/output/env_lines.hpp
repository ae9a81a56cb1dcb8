#pragma once
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// What a file or a variable holds of a value: a string as it is, anything else as JSON.
std::string plain_value(const data::Json& value);

/// Who reads the variables.
enum class EnvForm {
  env,     ///< NAME='value', for a shell's eval
  dotenv,  ///< NAME=value, as GitLab's dotenv reports and docker's --env-file take it literally
  github,  ///< for $GITHUB_ENV and $GITHUB_OUTPUT: values of any number of lines
};

/// The keys of an object as variables. NAME is the prefix and the key, with underscores for what no
/// variable's name has.
///
/// Invalid: the name is one by which shells, linkers and languages choose what they run (PATH,
/// LD_PRELOAD, NODE_OPTIONS, ...), in any case; or it is empty; or the form cannot hold the value
/// (dotenv: line breaks, white space at its ends). Then no line is given.
util::Result<std::string> env_lines(const data::Json& values, std::string_view prefix,
                                    EnvForm form = EnvForm::env);

}  // namespace kubist::cli
