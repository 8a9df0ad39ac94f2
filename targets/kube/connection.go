package kube

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// dialTimeout bounds how long a connection may take.
	dialTimeout = 10 * time.Second
	// maxBody bounds an answer.
	maxBody = 256 << 20
)

// connection is one client's way to an apiserver. It speaks HTTP/1.1, so that a watch has
// a connection of its own and nothing is sent twice: net/http sends a request again only if not
// a byte of it was written, or if it is a read and no byte of its answer was there.
type connection struct {
	base      *url.URL
	transport *http.Transport
	client    *http.Client
}

func connect(e endpoint) (*connection, error) {
	trust, err := rest.TLSConfigFor(e.rest)
	if err != nil {
		return nil, err
	}
	proxy := e.rest.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	dial := e.rest.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	transport := &http.Transport{
		TLSClientConfig: trust, TLSHandshakeTimeout: dialTimeout, Proxy: proxy, DialContext: dial,
		DisableCompression: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
	}
	authorized, err := rest.HTTPWrappersForConfig(e.rest, transport)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport:     authorized,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &connection{base: e.base, transport: transport, client: client}, nil
}

func (c *connection) close() { c.transport.CloseIdleConnections() }

// call is one HTTP request.
type call struct {
	method string
	// path stands below the server's base and is escaped.
	path  string
	query url.Values
	// accept is the Accept header, empty for JSON.
	accept string
	// contentType is that of the body, empty for JSON.
	contentType string
	body        []byte
}

// reply is an HTTP response, read whole.
type reply struct {
	status int
	body   []byte
}

// lost is a call that was not answered.
type lost struct {
	// sent: the server may have got it.
	sent  bool
	cause error
}

func (l *lost) Error() string { return l.cause.Error() }
func (l *lost) Unwrap() error { return l.cause }

const jsonType = "application/json"

// open sends a call once. The caller closes the body of the response. The error is a *lost.
func (c *connection) open(ctx context.Context, what call) (*http.Response, error) {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	request, err := c.request(ctx, what)
	if err != nil {
		return nil, &lost{cause: err}
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, &lost{sent: sent.Load(), cause: cause(ctx, err)}
	}
	return response, nil
}

func (c *connection) request(ctx context.Context, what call) (*http.Request, error) {
	address := strings.TrimSuffix(c.base.String(), "/") + what.path
	if len(what.query) > 0 {
		address += "?" + what.query.Encode()
	}
	var body io.Reader
	if what.body != nil {
		body = bytes.NewReader(what.body)
	}
	request, err := http.NewRequestWithContext(ctx, what.method, address, body)
	if err != nil {
		return nil, cause(ctx, err)
	}
	request.Header.Set("Accept", orElse(what.accept, jsonType))
	if what.body != nil {
		request.Header.Set("Content-Type", orElse(what.contentType, jsonType))
		request.GetBody = nil
	}
	return request, nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// do sends a call once and reads the answer. The error is a *lost.
func (c *connection) do(ctx context.Context, what call) (reply, error) {
	response, err := c.open(ctx, what)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return reply{}, &lost{sent: true, cause: cause(ctx, err)}
	}
	return reply{status: response.StatusCode, body: body}, nil
}

// cause takes the URL off an error, and names the deadline where that is why.
func cause(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
