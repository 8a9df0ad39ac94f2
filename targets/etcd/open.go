package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/targets"
)

// Open contacts every endpoint, finds out what the store offers, and prepares a run
// below a random prefix. It leaves nothing behind in the store. Its errors are a *targets.UsageError for a configuration that makes no
// sense, and a *targets.SetupError, within the dial timeout, for an endpoint that is
// not there, is no etcd, or does not let the user in.
func Open(ctx context.Context, config Config) (targets.Target, error) {
	if len(config.Endpoints) == 0 {
		return nil, usage(config.publicURL(), "expected at least one endpoint")
	}
	statuses := make([]*pb.StatusResponse, len(config.Endpoints))
	for i, endpoint := range config.Endpoints {
		var err error
		if statuses[i], err = inspect(ctx, config, endpoint); err != nil {
			return nil, &targets.SetupError{Where: endpoint, Expected: "expected an etcd v3 server", Err: err}
		}
	}
	t := newTarget(config, statuses)
	if err := t.learn(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (c Config) publicURL() string {
	if c.URL != "" {
		return c.URL
	}
	return Scheme + "://" + strings.Join(c.Endpoints, ",")
}

// inspect asks one endpoint for its status: the proof that it is reachable, speaks
// etcd's API and lets the user in.
func inspect(ctx context.Context, config Config, endpoint string) (*pb.StatusResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, config.dialTimeout())
	defer cancel()
	c, err := newConnection(config, endpoint)
	if err != nil {
		return nil, err
	}
	// gRPC tells why a connection failed only to a call that needed it.
	answer, err := c.status(ctx, config)
	if err != nil {
		err = explain(err, config)
	}
	return answer, errors.Join(err, c.close())
}

// status logs in and reads something first, because etcd answers Status to anybody.
func (c *connection) status(ctx context.Context, config Config) (*pb.StatusResponse, error) {
	if err := c.login(ctx, config); err != nil {
		return nil, err
	}
	answer, err := pb.NewMaintenanceClient(c.rpc).Status(c.outgoing(ctx), &pb.StatusRequest{})
	if err != nil {
		return nil, err
	}
	probe := &pb.RangeRequest{Key: []byte(config.topPrefix()), Limit: 1}
	_, err = pb.NewKVClient(c.rpc).Range(c.outgoing(ctx), probe)
	return answer, err
}

// explain says in the user's terms why an endpoint cannot be used.
func explain(err error, config Config) error {
	message := shorten(messageOf(err))
	switch codeOf(err) {
	case codes.DeadlineExceeded:
		return fmt.Errorf("no answer within %v", config.dialTimeout())
	case codes.Canceled:
		return errors.New("interrupted")
	case codes.Unimplemented:
		return fmt.Errorf("it does not offer etcd's API: %s", message)
	case codes.Unavailable:
		return fmt.Errorf("%s%s", plainCause(message), hint(message, config))
	default:
		return fmt.Errorf("it refused: %s (%s)%s", message, status.Code(err), hint(message, config))
	}
}

// plainCause takes gRPC's wrapping off the cause of a failed connection.
func plainCause(message string) string {
	cause, found := strings.CutPrefix(message, "connection error: desc = ")
	if !found {
		return message
	}
	if plain, err := strconv.Unquote(cause); err == nil {
		cause = plain
	}
	cause = strings.TrimPrefix(cause, "transport: ")
	return strings.TrimPrefix(cause, "Error while dialing: ")
}

// hint names the likely mistake, empty where there is no likely one.
func hint(message string, config Config) string {
	has := func(part string) bool { return strings.Contains(message, part) }
	switch {
	case has("first record does not look like a TLS handshake"), has("handshake failed: EOF"), has("handshake failed: read tcp"):
		return " (it does not speak TLS; leave out the parameters about TLS)"
	case has("unknown authority"):
		return " (name the certificate of its authority with cacert=FILE)"
	case config.TLS == nil && has("server preface"):
		return " (it does not speak gRPC, or it wants TLS: tls=true)"
	case has("user name is empty"):
		return " (it wants a login: user=NAME and password-env=VARIABLE)"
	default:
		return ""
	}
}
