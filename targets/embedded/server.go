package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/rvcheck/rvcheck/targets"
)

// Server is a running etcd and the folder of its data.
type Server struct {
	etcd   *embed.Etcd
	folder string
}

// Start starts a server alone, for who wants to reach it by its endpoint. The
// errors are as those of Open.
func Start(ctx context.Context, options Options) (*Server, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	s, err := start(ctx, options)
	if err != nil {
		return nil, &targets.SetupError{Where: Scheme + "://", Expected: "the server in this process did not start", Err: err}
	}
	return s, nil
}

func start(ctx context.Context, options Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "rvcheck-etcd-")
	if err != nil {
		return nil, err
	}
	config := serverConfig(folder, options)
	running, err := embed.StartEtcd(config)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s := &Server{etcd: running, folder: folder}
	if err := s.awaitReady(ctx, options); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) awaitReady(ctx context.Context, options Options) error {
	limit := options.StartTimeout
	if limit == 0 {
		limit = DefaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-s.etcd.Server.ReadyNotify():
		return nil
	case err := <-s.etcd.Err():
		return err
	case <-s.etcd.Server.StopNotify():
		return errors.New("the server stopped")
	case <-ctx.Done():
		return fmt.Errorf("the server is not ready: %w", ctx.Err())
	}
}

// Endpoint is the host and the port that clients connect to.
func (s *Server) Endpoint() string { return s.etcd.Clients[0].Addr().String() }

// Stop ends the server and removes its data.
func (s *Server) Stop() error {
	s.etcd.Close()
	return os.RemoveAll(s.folder)
}

// serverConfig is made for speed: the data does not outlive the process, so
// nothing is synced to the disk, ticks are short so that the one member elects
// itself at once, and passwords are hashed as cheaply as etcd allows.
func serverConfig(folder string, options Options) *embed.Config {
	config := embed.NewConfig()
	config.Name = "embedded"
	config.Dir = filepath.Join(folder, "data")
	config.ListenClientUrls = loopback()
	config.AdvertiseClientUrls = loopback()
	config.ListenPeerUrls = loopback()
	config.AdvertisePeerUrls = loopback()
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.TickMs, config.ElectionMs = 20, 200
	config.UnsafeNoFsync = true
	config.SnapshotCount = 1000
	config.BcryptCost = 4
	config.EnableGRPCGateway = false
	// Periodic notifications often enough that a plan meets some.
	config.WatchProgressNotifyInterval = 250 * time.Millisecond
	setLog(config, options.Log)
	return config
}

// loopback lets the system choose a free port.
func loopback() []url.URL { return []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}} }

func setLog(config *embed.Config, file string) {
	if file == "" {
		config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		return
	}
	config.LogLevel = "info"
	config.LogOutputs = []string{file}
}
