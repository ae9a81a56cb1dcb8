#pragma once
#include <string>
#include <vector>

#include <kubist/cli/command.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/engine/policy_case.hpp>
#include <kubist/executors/catalog.hpp>

namespace kubist::cli {

/// Policies and executors are functions; their commands differ in little.
enum class FunctionSort { policy, executor };
/// "policy" or "executor".
std::string_view noun(FunctionSort sort);

/// What the commands `test` and `run` of a sort read from files.
struct FunctionFiles {
  std::vector<data::Json> definitions;  ///< without namespace: a file's are known to all its cases
  std::vector<engine::PolicyCase> cases;  ///< in the order of paths and documents
};

/// Reads files, and folders with all that is below them (.yaml, .yml, .json, in name order).
/// Documents are definitions of functions or cases; those of the other sort and other Kubernetes
/// objects are passed over. Fails with not_found, or invalid naming file and line: a document that
/// is none of these, two definitions of one name.
util::Result<FunctionFiles> read_function_files(FunctionSort sort,
                                                const std::vector<std::string>& paths);

/// The functions of that sort among definitions; of policies the built-in ones, too.
engine::PolicyCatalog catalog_of(FunctionSort sort, const executors::Catalog& catalog,
                                 const std::vector<data::Json>& definitions);

/// The NAME that `init` is given. Usage error: it cannot be an object's name.
util::Result<std::string> function_name(const Arguments& arguments);
/// Writes NAME.yaml and NAME.test.yaml into the folder of --dir, and prints their paths. Invalid:
/// one of them exists already; then none is written.
util::Result<> write_function(const Arguments& arguments, const std::string& definition,
                              const std::string& cases, Sink& out);

/// One document of a file, or of standard input for "-".
util::Result<data::Json> read_input(const std::string& path);

}  // namespace kubist::cli
