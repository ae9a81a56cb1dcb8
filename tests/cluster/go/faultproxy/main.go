// faultproxy stands before an API server and does what a test's rules say: tests/support/fault_proxy.hpp starts it and
// talks with it by lines of JSON, commands on stdin and one answer to each on stdout. It ends with its stdin.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

// command is one line of stdin; every one of them is answered with a state.
type command struct {
	Rules []Rule `json:"rules"` // where given: instead of those that were there, counted from nothing
	Cut   bool   `json:"cut"`   // resets the connections that stand
}

// state is what was done since the rules were given.
type state struct {
	Ports []int    `json:"ports"`
	Rules []Counts `json:"rules"`
}

func main() {
	server := flag.String("server", "", "URL of the API server")
	pki := flag.String("pki", "", "folder with ca.{crt,key} and front-proxy.{crt,key}")
	ports := flag.Int("ports", 1, "how many ports it listens at")
	flag.Parse()
	if err := run(*server, *pki, *ports); err != nil {
		fmt.Fprintln(os.Stderr, "faultproxy:", err)
		os.Exit(1)
	}
}

func run(server, pki string, ports int) error {
	keys, err := readKeys(pki)
	if err != nil {
		return err
	}
	rules := &Rules{}
	proxy, err := newProxy(server, keys, rules)
	if err != nil {
		return err
	}
	served := &http.Server{
		Handler:     proxy,
		TLSConfig:   keys.serverConfig(),
		ConnContext: withConnection,
		ErrorLog:    log.New(io.Discard, "", 0), // clients that refuse the certificate are meant to
	}
	now := state{}
	var listeners []*listener
	for range ports {
		listener, err := listen(rules)
		if err != nil {
			return err
		}
		go served.ServeTLS(listener, "", "")
		listeners = append(listeners, listener)
		now.Ports = append(now.Ports, listener.port())
	}

	lines := bufio.NewReader(os.Stdin)
	for {
		now.Rules = rules.counts()
		if err := json.NewEncoder(os.Stdout).Encode(now); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil // whoever started it is gone
		}
		var asked command
		if err := strictly(line, &asked); err != nil {
			return err
		}
		if asked.Rules != nil {
			if err := rules.set(asked.Rules); err != nil {
				return err
			}
		}
		if asked.Cut {
			for _, listener := range listeners {
				listener.cut()
			}
		}
	}
}
