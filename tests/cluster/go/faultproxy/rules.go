package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// Rule says which requests or connections meet which fault. Every rule counts what it matches; of those that would act
// on a request the first one does.
type Rule struct {
	Method string `json:"method"` // a regular expression; "WRITE": whatever changes something
	Path   string `json:"path"`   // a regular expression over the path and query
	Skip   int    `json:"skip"`   // so many matches go through first
	First  int    `json:"first"`  // it acts on so many after them; 0: on all
	Fault  string `json:"fault"`  // see the constants
	After  string `json:"after"`  // "request": the API server never sees it (the default); "response": it has acted
	Bytes  int64  `json:"bytes"`  // so much of the answer's body passes before truncate, reset, abort or silence

	Milliseconds int    `json:"milliseconds"` // of latency
	Rate         int    `json:"rate"`         // bytes a second: bandwidth of that direction
	Code         int    `json:"code"`         // of status
	Message      string `json:"message"`      // of status
	RetryAfter   string `json:"retryAfter"`   // of status: the header
	Seconds      int    `json:"seconds"`      // of date: how far the server's clock is ahead

	method, path *regexp.Regexp
}

const (
	count       = "count"               // nothing happens
	latency     = "latency"             // it takes longer
	bandwidth   = "bandwidth"           // it comes slowly
	status      = "status"              // another answer than the server's
	reset       = "reset"               // TCP RST: ends all streams of the connection
	abort       = "abort"               // RST_STREAM: ends this one
	truncate    = "truncate"            // the answer ends early, as if it were whole
	silence     = "silence"             // no answer comes any more, nor does the stream end
	goaway      = "goaway"              // it is answered, and GOAWAY sent
	date        = "date"                // the answer's Date is wrong
	halfOpen    = "half-open"           // of connections: accepted, then silence
	expiredCert = "expired-certificate" // of connections: the server's certificate is over
)

// Counts is what became of one rule.
type Counts struct {
	Seen     int `json:"seen"`     // matched
	Acted    int `json:"acted"`    // met the fault
	Answered int `json:"answered"` // matched, and the API server has answered
}

// Rules are those in force. Any goroutine.
type Rules struct {
	mutex   sync.Mutex
	rules   []Rule
	counted []Counts
	round   int
}

func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func (rules *Rules) set(list []Rule) error {
	for i := range list {
		rule := &list[i]
		switch rule.Fault {
		case count, latency, bandwidth, status, reset, abort, truncate, silence, goaway, date, halfOpen, expiredCert:
		default:
			return fmt.Errorf("no fault is called %q", rule.Fault)
		}
		var err error
		if rule.method, err = regexp.Compile(rule.Method); err != nil {
			return err
		}
		if rule.path, err = regexp.Compile(rule.Path); err != nil {
			return err
		}
	}
	rules.mutex.Lock()
	defer rules.mutex.Unlock()
	rules.rules, rules.counted = list, make([]Counts, len(list))
	rules.round++
	return nil
}

func (rules *Rules) counts() []Counts {
	rules.mutex.Lock()
	defer rules.mutex.Unlock()
	return append([]Counts{}, rules.counted...)
}

// take says which rule acts on what these match; the second value is to be called when the server has answered it.
func (rules *Rules) take(matches func(*Rule) bool) (*Rule, func()) {
	rules.mutex.Lock()
	defer rules.mutex.Unlock()
	var acts *Rule
	var matched []int
	for i := range rules.rules {
		rule, counts := &rules.rules[i], &rules.counted[i]
		if !matches(rule) {
			continue
		}
		matched = append(matched, i)
		counts.Seen++
		inTurn := counts.Seen > rule.Skip && (rule.First == 0 || counts.Seen <= rule.Skip+rule.First)
		if acts == nil && rule.Fault != count && inTurn {
			acts = rule
			counts.Acted++
		}
	}
	round := rules.round
	return acts, func() {
		rules.mutex.Lock()
		defer rules.mutex.Unlock()
		for _, i := range matched {
			if rules.round == round {
				rules.counted[i].Answered++
			}
		}
	}
}

func (rule *Rule) ofConnections() bool { return rule.Fault == halfOpen || rule.Fault == expiredCert }

func (rule *Rule) matches(r *http.Request) bool {
	if rule.ofConnections() || !rule.path.MatchString(r.URL.RequestURI()) {
		return false
	}
	if rule.Method == "WRITE" {
		return changesSomething(r)
	}
	return rule.method.MatchString(r.Method)
}

func (rule *Rule) before() bool { return rule != nil && rule.After != "response" }
func (rule *Rule) behind() bool { return rule != nil && rule.After == "response" }

func changesSomething(r *http.Request) bool {
	uri := r.URL.RequestURI()
	return r.Method != http.MethodGet && !strings.Contains(uri, "dryRun=All") &&
		!strings.Contains(uri, "/authorization.k8s.io/")
}
