package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// proxy hands requests on, over HTTP/2, as whoever sent them: a client's certificate becomes the front proxy's word for
// its name and groups, and a token stays as it is.
type proxy struct {
	server  *url.URL
	rules   *Rules
	named   *http.Transport // says who the client is
	unnamed *http.Transport // the client says so itself
	log     io.Writer
}

func newProxy(server string, k *keys, rules *Rules) (*proxy, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	transport := func(certificates ...tls.Certificate) *http.Transport {
		return &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: k.authority, Certificates: certificates},
			ForceAttemptHTTP2:  true,
			DisableCompression: true,
		}
	}
	made := &proxy{server: to, rules: rules, named: transport(k.front), unnamed: transport(), log: io.Discard}
	if os.Getenv("FAULTPROXY_LOG") != "" {
		made.log = os.Stderr
	}
	return made, nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rule, answered := p.rules.take(func(rule *Rule) bool { return rule.matches(r) })
	fault := ""
	if rule != nil {
		fault = rule.Fault + " " + rule.After
	}
	fmt.Fprintln(p.log, time.Now().Format("05.000"), r.Method, r.URL.RequestURI(), fault)
	if rule.before() && p.strikes(w, r, rule) {
		return
	}
	// What the API server has begun to do it does, whatever becomes of the client.
	ctx := r.Context()
	if changesSomething(r) {
		ctx = context.WithoutCancel(ctx)
	}
	response, err := p.send(ctx, r, rule)
	if err != nil {
		panic(http.ErrAbortHandler) // as the server's own end would look
	}
	defer response.Body.Close()
	answered()
	if rule.behind() && rule.Bytes == 0 && p.strikes(w, r, rule) {
		return
	}
	p.answer(w, r, response, rule)
}

// strikes does what the rule says; true: there is nothing to do any more.
func (p *proxy) strikes(w http.ResponseWriter, r *http.Request, rule *Rule) bool {
	switch rule.Fault {
	case latency:
		time.Sleep(time.Duration(rule.Milliseconds) * time.Millisecond)
	case status:
		refuse(w, rule)
		return true
	case reset:
		connectionOf(r.Context()).reset()
		panic(http.ErrAbortHandler)
	case abort:
		panic(http.ErrAbortHandler)
	case silence:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case goaway:
		w.Header().Set("Connection", "close") // so the package says it in HTTP/2
	}
	return false
}

// refuse answers as an API server would.
func refuse(w http.ResponseWriter, rule *Rule) {
	w.Header().Set("Content-Type", "application/json")
	if rule.RetryAfter != "" {
		w.Header().Set("Retry-After", rule.RetryAfter)
	}
	w.WriteHeader(rule.Code)
	reasons := map[int]string{401: "Unauthorized", 403: "Forbidden", 409: "Conflict", 410: "Expired",
		429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}
	json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure",
		"code": rule.Code, "reason": reasons[rule.Code], "message": rule.Message})
}

func (p *proxy) send(ctx context.Context, r *http.Request, rule *Rule) (*http.Response, error) {
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.Host = ""
	out.URL.Scheme, out.URL.Host = p.server.Scheme, p.server.Host
	if rule.before() && rule.Fault == bandwidth {
		out.Body = struct {
			io.Reader
			io.Closer
		}{&slowReader{out.Body, rule.Rate}, out.Body}
	}
	if len(r.TLS.PeerCertificates) == 0 {
		return p.unnamed.RoundTrip(out)
	}
	subject := r.TLS.PeerCertificates[0].Subject
	out.Header.Set("X-Remote-User", subject.CommonName)
	out.Header["X-Remote-Group"] = subject.Organization
	return p.named.RoundTrip(out)
}

func (p *proxy) answer(w http.ResponseWriter, r *http.Request, response *http.Response, rule *Rule) {
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	var body io.Reader = response.Body
	if rule != nil {
		switch rule.Fault {
		case date:
			w.Header().Set("Date", time.Now().Add(time.Duration(rule.Seconds)*time.Second).UTC().Format(http.TimeFormat))
		case bandwidth:
			if rule.behind() {
				body = &slowReader{body, rule.Rate}
			}
		}
		if rule.behind() && (rule.Bytes > 0 || rule.Fault == truncate) {
			w.Header().Del("Content-Length")
			body = io.LimitReader(body, rule.Bytes)
		}
	}
	w.WriteHeader(response.StatusCode)
	flusher := w.(http.Flusher)
	flusher.Flush()
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		w.Write(buffer[:n])
		flusher.Flush()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	if rule.behind() && rule.Bytes > 0 {
		p.strikes(w, r, rule)
	}
}

// slowReader gives so many bytes a second, twenty times a second.
type slowReader struct {
	from io.Reader
	rate int
}

func (s *slowReader) Read(into []byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	return s.from.Read(into[:min(len(into), max(1, s.rate/20))])
}
