package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

// keys are certificates of the cluster's own authority: two for the server that clients see, and the one by which the
// API server believes whom the proxy names (the front proxy's).
type keys struct {
	authority      *x509.CertPool
	front          tls.Certificate
	valid, expired tls.Certificate
}

func readKeys(dir string) (*keys, error) {
	read := func(name string) (tls.Certificate, error) {
		return tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
	}
	ca, err := read("ca")
	if err != nil {
		return nil, err
	}
	made := &keys{authority: x509.NewCertPool()}
	made.authority.AddCert(ca.Leaf)
	if made.front, err = read("front-proxy"); err != nil {
		return nil, err
	}
	now := time.Now()
	if made.valid, err = issue(ca, now.Add(time.Hour)); err != nil {
		return nil, err
	}
	made.expired, err = issue(ca, now.Add(-time.Hour))
	return made, err
}

func issue(ca tls.Certificate, until time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(until.UnixNano()),
		Subject:      pkix.Name{CommonName: "faultproxy"},
		NotBefore:    until.Add(-24 * time.Hour),
		NotAfter:     until,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, key.Public(), ca.PrivateKey.(crypto.Signer))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func (k *keys) serverConfig() *tls.Config {
	return &tls.Config{
		ClientCAs:  k.authority,
		ClientAuth: tls.VerifyClientCertIfGiven,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.Conn.(*connection).expired {
				return &k.expired, nil
			}
			return &k.valid, nil
		},
	}
}
