#pragma once
#include <string>

#include <kubist/data/json.hpp>

/// tests/rights-exceptions.tsv.
namespace it {

/// The rights that a test case needs beside the printed ones; empty: none.
std::string exception_of(const std::string& test);
/// The rules that these are, but for those of an administrator: "VERB,VERB RESOURCE.GROUP; ...",
/// and "controller" for what its roles have.
kubist::data::Json rules_of_exception(const std::string& rights);

}  // namespace it
