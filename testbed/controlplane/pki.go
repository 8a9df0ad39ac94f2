package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// lifetime is that of certificates: longer than any control plane's.
const lifetime = 7 * 24 * time.Hour

// authority is a certificate authority of one control plane's own.
type authority struct {
	certificate *x509.Certificate
	pair
	key *ecdsa.PrivateKey
}

// pair is a certificate and its key, in PEM.
type pair struct{ certificatePEM, keyPEM []byte }

func newAuthority() (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	a := &authority{key: key}
	a.certificate = &x509.Certificate{
		Subject: pkix.Name{CommonName: "testbed"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if a.pair, err = a.sign(a.certificate, key); err != nil {
		return nil, err
	}
	block, _ := pem.Decode(a.certificatePEM)
	a.certificate, err = x509.ParseCertificate(block.Bytes) // with what signing added
	return a, err
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// forServer is a certificate for servers on this machine.
func (a *authority) forServer() (pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	})
}

// forUser is a certificate that tells an apiserver who somebody is.
func (a *authority) forUser(name string, groups []string) (pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) issue(template *x509.Certificate) (pair, error) {
	key, err := newKey()
	if err != nil {
		return pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	return a.sign(template, key)
}

// sign completes a certificate of a key and signs it.
func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) (pair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return pair{}, err
	}
	now := time.Now()
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = now.Add(-time.Hour), now.Add(lifetime) // for clocks that were just set
	signed, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return pair{}, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	return pair{inPEM("CERTIFICATE", signed), inPEM("EC PRIVATE KEY", private)}, err
}

func inPEM(kind string, bytes []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
}

// The files that components read, by their names in the control plane's folder.
const (
	caFile          = "ca.crt"
	servingFile     = "apiserver.crt"
	servingKeyFile  = "apiserver.key"
	accountsKeyFile = "accounts.key" // signs the tokens of ServiceAccounts
	accountsFile    = "accounts.pub"
)

// writeFiles makes the keys that the components need and writes them to a folder.
func (a *authority) writeFiles(folder string) error {
	serving, err := a.forServer()
	if err != nil {
		return err
	}
	accounts, err := newKey()
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(accounts)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(accounts.Public())
	if err != nil {
		return err
	}
	var failed []error
	for name, text := range map[string][]byte{
		caFile: a.certificatePEM, servingFile: serving.certificatePEM, servingKeyFile: serving.keyPEM,
		accountsKeyFile: inPEM("EC PRIVATE KEY", private), accountsFile: inPEM("PUBLIC KEY", public),
	} {
		failed = append(failed, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return errors.Join(failed...)
}
