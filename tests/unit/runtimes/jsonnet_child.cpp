#include <kubist/runtimes/jsonnet.hpp>

int main() { return kubist::runtimes::jsonnet_child_main(); }
