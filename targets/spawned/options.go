package spawned

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/rvcheck/rvcheck/internal/process"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// form is what a URL looks like.
const form = etcd.Scheme + "://127.0.0.1:" + process.Port

// name is what errors call the server.
func (o Options) name() string { return o.Command[0] }

func (o Options) check() error {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return &targets.UsageError{Where: "command", Expected: "expected a program and its arguments"}
	}
	if strings.Contains(o.URL, process.Dir) {
		return &targets.UsageError{Where: "target URL", Expected: "expected {dir} in the command only"}
	}
	return nil
}

// config reads the URL, in which everything was filled in. A server that the run starts
// is its own, unless the URL says otherwise.
func (o Options) config(text string) (etcd.Config, error) {
	config, err := etcd.ParseURL(text)
	if err != nil {
		return config, err
	}
	_, query, _ := strings.Cut(text, "?")
	if values, _ := url.ParseQuery(query); !values.Has("exclusive") {
		config.Exclusive = true
	}
	for _, endpoint := range config.Endpoints {
		if !loopback(endpoint) {
			return config, &targets.UsageError{Where: config.URL, Expected: fmt.Sprintf(
				"expected addresses of this machine for a server that the run starts, such as %s, not %q", form, endpoint)}
		}
	}
	return config, nil
}

// loopback reports whether an endpoint certainly is on this machine.
func loopback(endpoint string) bool {
	host, _, err := net.SplitHostPort(endpoint)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// unused makes sure that nobody else answers in place of the server: the run would do
// to that store what it does only to its own.
func unused(ctx context.Context, config etcd.Config) error {
	for _, endpoint := range config.Endpoints {
		connection, err := (&net.Dialer{Timeout: etcd.DefaultDialTimeout}).DialContext(ctx, "tcp", endpoint)
		if err != nil {
			continue
		}
		_ = connection.Close()
		return &targets.SetupError{Where: endpoint, Expected: "expected a port that is free for the server to start, but something listens there"}
	}
	return nil
}

// describe is the description with the URL as it was given, which starts the same
// server again.
func (o Options) describe(d targets.Description) targets.Description {
	d.URL = targets.WithoutCredentials(o.URL)
	for _, word := range o.Command {
		d.Command = append(d.Command, process.WithoutSecrets(word))
	}
	return d
}
