package controlplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client speaks to apiservers as one user, without more than that takes.
type client struct{ http.Client }

func (a *authority) client(user pair) (*client, error) {
	certificate, err := tls.X509KeyPair(user.certificatePEM, user.keyPEM)
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(a.certificate)
	return &client{http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, Certificates: []tls.Certificate{certificate}},
	}}}, nil
}

// get reads what a path answers into a value, unless that is nil.
func (c *client) get(ctx context.Context, server, path string, into any) error {
	return c.do(ctx, http.MethodGet, server+path, "", nil, into)
}

// do makes one request, and reads the answer into a value, unless that is nil.
func (c *client) do(ctx context.Context, method, url, contentType string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", contentType)
	response, err := c.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, url, response.Status, message(text))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// message is what a refusal says.
func message(text []byte) string {
	var status struct{ Message string }
	if json.Unmarshal(text, &status) != nil || status.Message == "" {
		return string(text)
	}
	return status.Message
}
