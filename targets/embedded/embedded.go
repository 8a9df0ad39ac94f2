package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// Scheme begins the URLs that ParseURL takes.
const Scheme = "embedded"

// Options say how the servers run. The zero value is ready to use.
type Options struct {
	// Members is the number of servers: one or three, zero: one.
	Members int
	// Log is the file that the servers' log is appended to, empty: no log.
	Log string
	// StartTimeout bounds the start, zero: DefaultStartTimeout.
	StartTimeout time.Duration
}

// DefaultStartTimeout is how long the servers may take until they serve.
const DefaultStartTimeout = 30 * time.Second

// ParseURL reads "embedded://" with the parameter members. Its errors are
// *targets.UsageError.
func ParseURL(text string) (Options, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != Scheme || u.Host != "" || u.Path != "" {
		return Options{}, &targets.UsageError{Where: "target URL", Expected: "expected embedded:// and nothing but parameters after it"}
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Options{}, &targets.UsageError{Where: Scheme + "://", Expected: "expected parameters as name=value joined by &"}
	}
	var options Options
	for name, all := range values {
		if name != "members" {
			return Options{}, &targets.UsageError{Where: Scheme + "://", Expected: fmt.Sprintf("unknown parameter %q, expected members", name)}
		}
		options.Members, err = strconv.Atoi(all[len(all)-1])
		if err != nil {
			return Options{}, &targets.UsageError{Where: Scheme + "://", Expected: fmt.Sprintf("expected members to be a number, not %q", all[len(all)-1])}
		}
	}
	return options, options.check()
}

func (o Options) check() error {
	switch o.Members {
	case 0, 1, 3:
		return nil
	}
	return &targets.UsageError{
		Where: Scheme + "://", Expected: fmt.Sprintf("expected members to be 1 or 3, not %d", o.Members),
	}
}

func (o Options) members() int { return max(o.Members, 1) }

// url is what reports call the target.
func (o Options) url() string {
	if o.members() == 1 {
		return Scheme + "://"
	}
	return Scheme + "://?members=" + strconv.Itoa(o.Members)
}

// Open starts the servers and opens them as a target, an endpoint each. The errors
// are as those of etcd.Open.
func Open(ctx context.Context, options Options) (targets.Target, error) {
	server, err := Start(ctx, options)
	if err != nil {
		return nil, err
	}
	opened, err := etcd.Open(ctx, etcd.Config{URL: options.url(), Endpoints: server.Endpoints(), Exclusive: true, Profile: "etcd"})
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return &target{Target: opened, server: server}, nil
}

// target is the etcd target and the servers behind it.
type target struct {
	targets.Target
	server *Server
}

// Close stops the servers and removes their data. The keys need no removal of their
// own: they go with the data. Servers that take longer than the context allows lose
// it while they go on to stop.
func (t *target) Close(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() { stopped <- t.server.Stop() }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return t.server.removeData()
	}
}
