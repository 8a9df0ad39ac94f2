package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// tlsFiles are the parameters of a target URL that are about TLS.
type tlsFiles struct {
	wanted, skipVerify bool
	cacert, cert, key  string
}

// load reads the files. It returns nil where no parameter asks for TLS.
func (f tlsFiles) load(where string) (*tls.Config, error) {
	if f == (tlsFiles{}) {
		return nil, nil
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The user says so, for a server with a certificate of its own making.
		InsecureSkipVerify: f.skipVerify,
	}
	if err := f.loadRoots(config, where); err != nil {
		return nil, err
	}
	return config, f.loadIdentity(config, where)
}

func (f tlsFiles) loadRoots(config *tls.Config, where string) error {
	if f.cacert == "" {
		return nil
	}
	pem, err := os.ReadFile(f.cacert)
	if err != nil {
		return usage(where, "expected cacert to name a file of certificates: "+err.Error())
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return usage(where, fmt.Sprintf("expected a certificate in PEM form in cacert %q, found none", f.cacert))
	}
	return nil
}

func (f tlsFiles) loadIdentity(config *tls.Config, where string) error {
	if f.cert == "" && f.key == "" {
		return nil
	}
	if f.cert == "" || f.key == "" {
		return usage(where, "expected cert and key together")
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return usage(where, "expected cert and key to name a certificate and its key: "+err.Error())
	}
	config.Certificates = []tls.Certificate{pair}
	return nil
}
