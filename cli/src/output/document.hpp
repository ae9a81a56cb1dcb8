#pragma once
#include <string_view>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>

namespace kubist::cli {

/// The -o flag of commands that have a form of their own for people: json, yaml, jsonpath=TEMPLATE
/// and its kin, and those of `others`, which the command prints itself. `initial`: what is printed
/// without the flag. The texts live for ever.
Flag document_flag(std::string_view help = "json, yaml or jsonpath=TEMPLATE, or nothing for people",
                   std::string_view initial = "", std::vector<std::string_view> others = {});

/// Prints `document`, an object, where -o is one of document_flag's own formats. False: the command
/// prints its own form. Invalid: the template does not parse or does not fit the document.
util::Result<bool> print_document(Context& context, const data::Json& document);

}  // namespace kubist::cli
