package main

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// connection is one of a client's.
type connection struct {
	*net.TCPConn
	expired bool // it is shown the certificate that is over
	gone    func()
}

func (c *connection) Close() error {
	c.gone()
	return c.TCPConn.Close()
}

func (c *connection) reset() {
	c.SetLinger(0)
	c.Close()
}

// listener accepts clients on a free port of 127.0.0.1, and knows those that stand.
type listener struct {
	*net.TCPListener
	rules *Rules
	mutex sync.Mutex
	open  map[*connection]bool
}

func listen(rules *Rules) (*listener, error) {
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	return &listener{TCPListener: tcp, rules: rules, open: map[*connection]bool{}}, err
}

func (l *listener) port() int { return l.Addr().(*net.TCPAddr).Port }

func (l *listener) Accept() (net.Conn, error) {
	for {
		tcp, err := l.AcceptTCP()
		if err != nil {
			return nil, err
		}
		accepted := &connection{TCPConn: tcp}
		accepted.gone = func() {
			l.mutex.Lock()
			defer l.mutex.Unlock()
			delete(l.open, accepted)
		}
		l.mutex.Lock()
		l.open[accepted] = true
		l.mutex.Unlock()
		rule, _ := l.rules.take((*Rule).ofConnections)
		if rule == nil || rule.Fault == expiredCert {
			accepted.expired = rule != nil
			return accepted, nil
		}
	}
}

func (l *listener) cut() {
	l.mutex.Lock()
	var all []*connection
	for c := range l.open {
		all = append(all, c)
	}
	l.mutex.Unlock()
	for _, c := range all {
		c.reset()
	}
}

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c.(*tls.Conn).NetConn())
}

func connectionOf(ctx context.Context) *connection { return ctx.Value(connectionKey{}).(*connection) }
