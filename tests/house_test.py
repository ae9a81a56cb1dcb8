"""scripts/house finds what each of its rules is there for: it runs on small trees, clean ones and broken ones."""
import unittest

from tree import TreeTest

WRITE = "lib/a/src/low/a.cpp:2: {} builds a write by itself: use kube::Writer"
PARSE = "lib/a/src/low/a.cpp:2: {} has no limits: use data::parse_json"
ALIAS = "lib/a/src/low/a.cpp:2: {} hides what is called: write kube:: or Json"
REASON = "lib/a/src/low/a.cpp:{}: {} sets an error's reason by hand: use util::with_reason"
LISTS = ("writers.txt", "parsers.txt")


class HouseTest(TreeTest):
    SCRIPT = "house"
    TREE = {
        "lib/a/folders.txt": "low\nhigh\n",
        "lib/a/include/kubist/a/low_a.hpp": "",
        "lib/a/include/kubist/a/top.hpp": "",
        "lib/a/src/low/a.hpp": "",
        "lib/a/src/low/low_a.cpp": '#include "low/a.hpp"\n',
        "lib/a/src/high/top.cpp": '#include <kubist/a/low_a.hpp>\n#include "low/a.hpp"\nwriter.patch(*kind, "n");\n',
        "lib/a/src/high/h264.hpp": "",
        "lib/kube/src/writer.cpp": "using data::Json;\nclient.run(kube::apply(kind, object));\n",
        "lib/data/src/json.cpp": "Json::parse(text);\n",
        "lib/util/src/error.cpp": "error.reason = reason;\n",
        "cli/src/sent.cpp": 'kube::replace(kind, object);\n',
        "cli/src/read.cpp": "Json::parse(text);\nparse_json(text);\n",
        "lib/writers.txt": "# path, tab, why\ncli/src/sent.cpp\ta reason\n",
        "lib/parsers.txt": "\ncli/src/read.cpp\ta reason\n",
    }

    def line(self, text, *said):
        self.check({"lib/a/src/low/a.cpp": "\n" + text + "\n"}, *said)

    def test_clean(self):
        self.check({})

    def test_includes_that_go_up(self):
        for name in ("high/h264.hpp", "../high/h264.hpp"):
            self.line(f'#include "{name}"', "lib/a/src/low/a.cpp:2: low includes high/h264.hpp")
        self.line('#include "none/b.hpp"', "lib/a/src/low/a.cpp:2: low includes none/b.hpp")
        self.line("#include <kubist/a/top.hpp>", "lib/a/src/low/a.cpp:2: low includes top.hpp, whose home is high")
        self.line("#include <kubist/b/top.hpp>")

    def test_public_headers_that_go_up(self):
        low, none = "lib/a/include/kubist/a/low_a.hpp", "lib/a/include/kubist/a/types.hpp"
        up, down = "#pragma once\n#include <kubist/a/top.hpp>\n", "#pragma once\n#include <kubist/a/low_a.hpp>\n"
        self.check({low: up}, f"{low}:2: low includes top.hpp, whose home is high")
        self.check({none: up}, f"{none}:2: low includes top.hpp, whose home is high")
        self.check({low: '#include "high/h264.hpp"\n'}, f"{low}:1: low includes high/h264.hpp")
        self.check({"lib/a/include/kubist/a/top.hpp": down, none: down, low: "#include <kubist/b/top.hpp>\n"})

    def test_folders(self):
        self.check({"lib/a/src/new/n.cpp": ""}, "lib/a/src/new/n.cpp: folder new is not in a/folders.txt")
        self.check({"lib/a/folders.txt": "low\nold\nhigh\n"},
                   "lib/a/folders.txt: old is no folder with sources: take it from the list")

    def test_no_layer_with_folders(self):
        done = self.run_on({name: text for name, text in self.TREE.items() if not name.endswith("folders.txt")})
        self.assertEqual((done.returncode, done.stderr), (1, "house: no layer has a folders.txt\n"))

    def test_writes(self):
        for name in ("apply", "create", "create_subresource", "patch", "replace", "remove"):
            self.line(f"client.run(kube::{name}(kind, object));", WRITE.format(f"kube::{name}"))
            self.line(f"client.run({name}(kind, object));", WRITE.format(name + "("))
            self.line(f"using kube::{name};", WRITE.format(f"kube::{name}"))
        self.line("return remove(kind, ns, name);", WRITE.format("remove("))
        self.line("const auto make = &kubist::kube::create;", WRITE.format("kube::create"))

    def test_writes_by_hand(self):
        self.line('request.method = "PATCH";', WRITE.format('method = "PATCH"'))
        self.line('ApiCall call{"DELETE", path};', WRITE.format('ApiCall call{"DELETE"'))
        self.line("ApiCall call; call.method = verb;", WRITE.format(".method ="))
        self.line('request.method = "GET"; request.method = verb;')
        self.line("ApiCall call = kube::get(kind); if (call.method == verb) {}")

    def test_functions_of_a_file(self):
        self.line("void apply(Step step) {}\nvoid run() { apply(step); }")
        self.line("const auto patch = [] {};\npatch(kind);")
        self.line("void Plan::remove(Step step) {}\nvoid run() { remove(step); }")
        self.line("writer.apply(target); writer->create(target); apply::remove_set(target); kube::get(kind);")

    def test_parsers(self):
        for name in ("Json::parse", "nlohmann::json::parse", "Json::sax_parse"):
            self.line(f"auto value = {name}(text);", PARSE.format(name))
        self.line("const auto read = &Json::parse;", PARSE.format("Json::parse"))
        self.line("catch (const Json::parse_error&) {}")

    def test_reasons(self):
        for name in ("error.reason =", "found.error().reason =", "m_error->reason="):
            self.line(f'Error m_error; {name} "Taken";', REASON.format(2, name.removeprefix("found.")))
        for declared in ("util::Error why = failure;", "util::Error&& why,", "std::optional<util::Error> why;", "auto said = [](Error why) {"):
            self.line(f'{declared}\nwhy.reason = "Taken";', REASON.format(3, "why.reason ="))
        self.line('if (error.reason == "Taken") { progress.reason = error.reason; }\nErrors why; why.reason = "Taken";')

    def test_other_names(self):
        for text in ("using namespace kube;", "using namespace kubist::kube;", "namespace k = kubist::kube;",
                     "using Value = data::Json;", "using json = nlohmann::json;"):
            self.line(text, ALIAS.format(text))
        self.check({"lib/kube/src/a.cpp": "using namespace kube;"},
                   "lib/kube/src/a.cpp:1: using namespace kube; hides what is called: write kube:: or Json")
        self.line("using Json = nlohmann::json; using data::Json; namespace w = kube::well_known; using kube::Client;")

    def test_lists(self):
        for name in LISTS:
            text = self.TREE["lib/" + name]
            path = text.split("\n")[1].partition("\t")[0]
            self.check({"lib/" + name: text + "lib/a/src/low/a.hpp\ta reason\n"},
                       f"lib/{name}: lib/a/src/low/a.hpp has no such place: take it from the list")
            self.check({"lib/" + name: text + "lib/none.cpp\ta reason\n"},
                       f"lib/{name}: lib/none.cpp has no such place: take it from the list")
            for line in (path, path + "\t", path + "\t "):
                self.check({"lib/" + name: line + "\n"}, f"lib/{name}: {path} has no reason")


if __name__ == "__main__":
    unittest.main()
