#pragma once
#include <functional>
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/util/result.hpp>

#include "output/format.hpp"

namespace kubist::cli {

/// The flag --contexts of commands that read.
Flag contexts_flag();

/// Does a command ask several contexts? Usage: it does, and has a flag that names one connection.
util::Result<bool> asks_contexts(const Arguments& arguments);

/// On objects that are printed with --contexts: from which one each is.
inline constexpr std::string_view k_context_annotation = "kubist.io/context";

/// Usage: a command with --contexts is to watch, or to print in a format that cannot tell them.
util::Result<> check_contexts(bool watch, const OutputFormat& format);

/// Calls `work` for each context of --contexts, in their order, with that context in effect; once
/// with an empty name where there is no --contexts. All are reached for at the same time before, so
/// that those who do not answer are waited for together; they are left out. Gives the errors of
/// contexts, each with its name; without --contexts, an error of `work` is the result.
util::Result<std::vector<util::Error>> in_each_context(
    Context& context, const std::function<util::Result<>(const std::string& name)>& work);

/// The exit code, or the error that stands for these.
util::Result<int> end_of_contexts(std::vector<util::Error> errors);

}  // namespace kubist::cli
