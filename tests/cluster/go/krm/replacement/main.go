// Kustomize's own replacements, served by the framework that KRM functions are made with.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/api/filters/replacement"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/command"
)

func main() {
	filter := &replacement.Filter{}
	processor := framework.SimpleProcessor{Filter: filter, Config: filter}
	if command.Build(processor, command.StandaloneDisabled, false).Execute() != nil {
		os.Exit(1)
	}
}
