// CoreDNS with the plugins that ../../lib/node.sh's Corefile names, and no others: those for clouds' name services are
// most of what the stock program is made of.
package main

import (
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"

	"github.com/coredns/coredns/coremain"
)

func main() { coremain.Run() }
