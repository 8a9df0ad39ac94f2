package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// connection is one network connection to one endpoint. It is dialled once: when
// it is lost, every call on it fails, so that gRPC cannot carry a request to
// another connection behind the recorder's back.
type connection struct {
	rpc   *grpc.ClientConn
	token string // of the login, empty without one
	dial  *dialler
}

// dialler lets gRPC dial exactly once and remembers what came of it.
type dialler struct {
	mu   sync.Mutex
	used bool
	err  error
}

var errLost = errors.New("the connection was lost")

func (d *dialler) dial(ctx context.Context, endpoint string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used {
		return nil, errLost
	}
	d.used = true
	socket, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoint)
	d.err = err
	return socket, err
}

func (d *dialler) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// newConnection prepares a connection; nothing is sent before the first use.
func newConnection(config Config, endpoint string) (*connection, error) {
	dial := &dialler{}
	rpc, err := grpc.NewClient("passthrough:///"+endpoint, connectionOptions(config, dial)...)
	if err != nil {
		return nil, fmt.Errorf("a connection to %s cannot be prepared: %w", endpoint, err)
	}
	return &connection{rpc: rpc, dial: dial}, nil
}

func connectionOptions(config Config, dial *dialler) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithTransportCredentials(transportCredentials(config.TLS)),
		grpc.WithContextDialer(dial.dial),
		grpc.WithNoProxy(),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableHealthCheck(),
		grpc.WithIdleTimeout(0),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.DefaultConfig,
			// The deadline of whoever waits shall come first: it tells more.
			MinConnectTimeout: 2 * config.dialTimeout(),
		}),
		// The server's limits are to be met, not the client's.
		grpc.WithDefaultCallOptions(
			grpc.WaitForReady(false),
			grpc.MaxCallSendMsgSize(math.MaxInt32),
			grpc.MaxCallRecvMsgSize(math.MaxInt32),
		),
	}
}

func transportCredentials(config *tls.Config) credentials.TransportCredentials {
	if config == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(config.Clone())
}

// connect dials, and logs in where the store wants it.
func connect(ctx context.Context, config Config, endpoint string) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, config.dialTimeout())
	defer cancel()
	c, err := newConnection(config, endpoint)
	if err != nil {
		return nil, err
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if err := c.login(ctx, config); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// awaitReady waits until requests can be sent.
func (c *connection) awaitReady(ctx context.Context) error {
	c.rpc.Connect()
	for {
		state := c.rpc.GetState()
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure, connectivity.Shutdown:
			return c.connectFailure()
		case connectivity.Idle, connectivity.Connecting:
		}
		if !c.rpc.WaitForStateChange(ctx, state) {
			return fmt.Errorf("no connection in time: %w", ctx.Err())
		}
	}
}

func (c *connection) connectFailure() error {
	if err := c.dial.failure(); err != nil {
		return err
	}
	return errors.New("the server does not complete the TLS or HTTP/2 handshake")
}

// login gets the token that every later call carries.
func (c *connection) login(ctx context.Context, config Config) error {
	if config.User == "" {
		return nil
	}
	answer, err := pb.NewAuthClient(c.rpc).Authenticate(ctx,
		&pb.AuthenticateRequest{Name: config.User, Password: string(config.Password)})
	if err != nil {
		return err
	}
	c.token = answer.GetToken()
	return nil
}

// lost reports whether a new connection is needed.
func (c *connection) lost() bool { return c.rpc.GetState() != connectivity.Ready }

// outgoing adds the token to the call's metadata.
func (c *connection) outgoing(ctx context.Context) context.Context {
	if c.token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, rpctypes.TokenFieldNameGRPC, c.token)
}

func (c *connection) close() error { return c.rpc.Close() }
