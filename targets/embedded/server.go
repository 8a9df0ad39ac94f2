package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/rvcheck/rvcheck/targets"
)

// Server is a running etcd, of one member or more, and the folder of its data.
type Server struct {
	members []*embed.Etcd
	folder  string
	once    sync.Once // stops
	stopped error
}

// Start starts the servers alone, for who wants to reach them by their endpoints.
// The errors are as those of Open.
func Start(ctx context.Context, options Options) (*Server, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	s, err := start(ctx, options)
	for tries := 1; errors.Is(err, syscall.EADDRINUSE) && tries < 5; tries++ {
		// Somebody took a port between its choice and its use.
		s, err = start(ctx, options)
	}
	if err != nil {
		return nil, &targets.SetupError{Where: options.url(), Expected: "the server in this process did not start", Err: err}
	}
	return s, nil
}

func start(ctx context.Context, options Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "rvcheck-etcd-")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder}
	if err := s.startMembers(ctx, options); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) startMembers(ctx context.Context, options Options) error {
	configs, err := memberConfigs(s.folder, options)
	if err != nil {
		return err
	}
	for _, config := range configs {
		member, err := embed.StartEtcd(config)
		if err != nil {
			return err
		}
		s.members = append(s.members, member)
	}
	limit := options.StartTimeout
	if limit == 0 {
		limit = DefaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, member := range s.members {
		if err := awaitReady(ctx, member); err != nil {
			return err
		}
	}
	return nil
}

// awaitReady waits until the member has found a leader and serves.
func awaitReady(ctx context.Context, member *embed.Etcd) error {
	select {
	case <-member.Server.ReadyNotify():
		return nil
	case err := <-member.Err():
		return err
	case <-member.Server.StopNotify():
		return errors.New("the server stopped")
	case <-ctx.Done():
		return fmt.Errorf("the server is not ready: %w", ctx.Err())
	}
}

// Endpoint is the host and the port of the first member that clients connect to.
func (s *Server) Endpoint() string { return s.Endpoints()[0] }

// Endpoints are those of all members.
func (s *Server) Endpoints() (endpoints []string) {
	for _, member := range s.members {
		endpoints = append(endpoints, member.Clients[0].Addr().String())
	}
	return endpoints
}

// Stop ends the servers and removes their data. Whoever calls it again waits for the
// same end.
func (s *Server) Stop() error {
	s.once.Do(func() { s.stopped = s.stop() })
	return s.stopped
}

func (s *Server) stop() error {
	if len(s.members) > 1 {
		// Nobody takes over: leadership need not be handed on.
		s.each(func(member *embed.Etcd) { member.Server.HardStop() })
	}
	s.each((*embed.Etcd).Close)
	return os.RemoveAll(s.folder)
}

// removeData removes the folder under servers that may write into it meanwhile.
func (s *Server) removeData() (err error) {
	for range 10 {
		if err = os.RemoveAll(s.folder); err == nil {
			break
		}
	}
	return err
}

// each does something to all members at once, since some of it waits for the others.
func (s *Server) each(do func(*embed.Etcd)) {
	var all sync.WaitGroup
	for _, member := range s.members {
		all.Go(func() { do(member) })
	}
	all.Wait()
}
