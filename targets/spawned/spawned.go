// Package spawned is a target whose server the run starts, awaits and ends.
//
// The server is any program that speaks etcd's API. Its store begins empty and
// belongs to the run, so the run may compact it and the like, unless the URL says
// exclusive=false. What the server leaves elsewhere than in {dir}, such as in a
// database, is its own matter: only the keys are removed.
package spawned

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/internal/process"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// Options say what to start and how to reach it.
type Options struct {
	// URL is that of the server, as in etcd.ParseURL, with {port} for a free port.
	URL string
	// Command is the program and its arguments. {port}, {port2} to {port9} and {dir},
	// a temporary folder, are filled in here as in the URL.
	Command []string
	// StartTimeout is how long the server may take to answer, zero: DefaultStartTimeout.
	StartTimeout time.Duration
}

// DefaultStartTimeout is enough for a server that sets up a database first.
const DefaultStartTimeout = time.Minute

// Failure is a server that did not start or did not go on; it is a
// *targets.SetupError too.
type Failure struct {
	Setup *targets.SetupError
	// Log is the end of what the server printed.
	Log []string
}

func (f *Failure) Error() string { return f.Setup.Error() }

func (f *Failure) Unwrap() error { return f.Setup }

// Target is a server with the store in it.
type Target struct {
	targets.Target
	description targets.Description
	server      *process.Process
	places      *process.Places
	name        string
}

// Open starts the server and waits until it answers. Its errors are a
// *targets.UsageError, and a *Failure for a program that is not there, ends, or does
// not answer in time. Nothing is left running then.
func Open(ctx context.Context, options Options) (*Target, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	t, err := open(ctx, options)
	for tries := 1; portTaken(err) && process.HasPlace(options.URL) && tries < 3; tries++ {
		t, err = open(ctx, options) // between its choice and its use
	}
	return t, err
}

// portTaken reports whether the server ended because somebody else has its port.
func portTaken(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && strings.Contains(strings.Join(failure.Log, "\n"), "address already in use")
}

func open(ctx context.Context, options Options) (*Target, error) {
	places, err := process.NewPlaces(append([]string{options.URL}, options.Command...)...)
	if err != nil {
		return nil, &targets.SetupError{Where: options.name(), Expected: "the server cannot be started", Err: err}
	}
	config, err := options.config(places.Fill(options.URL))
	if err == nil {
		err = unused(ctx, config)
	}
	if err != nil {
		return nil, errors.Join(err, places.Remove())
	}
	server, err := process.Start(process.Options{
		Command: places.FillAll(options.Command), Folder: places.Folder, Secrets: []string{string(config.Password)},
	})
	if err != nil {
		setup := &targets.SetupError{Where: options.name(), Expected: "the server cannot be started", Err: err}
		return nil, errors.Join(&Failure{Setup: setup}, places.Remove())
	}
	t := &Target{server: server, places: places, name: options.name()}
	if err := t.await(ctx, config, options); err != nil {
		return nil, errors.Join(err, t.end(ctx))
	}
	return t, nil
}

// often is how long to wait between two questions whether the server answers.
const often = 50 * time.Millisecond

// await waits until the server answers.
func (t *Target) await(ctx context.Context, config etcd.Config, options Options) error {
	limit := options.StartTimeout
	if limit == 0 {
		limit = DefaultStartTimeout
	}
	end := time.After(limit)
	config.DialTimeout = min(limit, etcd.DefaultDialTimeout)
	for {
		opened, err := t.ask(ctx, config)
		if err == nil {
			t.Target, t.description = opened, options.describe(opened.Describe())
			return nil
		}
		select {
		case <-t.server.Exited():
			return t.exitedBefore("it answered")
		case <-ctx.Done():
			return t.failure("interrupted before it answered", nil)
		case <-end:
			return t.failure(fmt.Sprintf("expected a server that answers within %v", limit), err)
		case <-time.After(often):
		}
	}
}

// ask opens the target, unless the server ends meanwhile.
func (t *Target) ask(ctx context.Context, config etcd.Config) (targets.Target, error) {
	ctx, cancel := t.whileItRuns(ctx)
	defer cancel()
	opened, err := etcd.Open(ctx, config)
	if err == nil {
		err = ctx.Err() // somebody else answers at that port
	}
	return opened, err
}

// whileItRuns ends with the server.
func (t *Target) whileItRuns(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-t.server.Exited():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// tail is how many lines of its log a failure shows.
const tail = 10

func (t *Target) failure(expected string, cause error) error {
	return &Failure{
		Setup: &targets.SetupError{Where: t.name, Expected: expected, Err: cause},
		Log:   t.server.Log().Tail(tail),
	}
}

// exitedBefore is the failure of a server that is no more.
func (t *Target) exitedBefore(what string) error {
	return t.failure(fmt.Sprintf("the server ended (%v) before %s", t.server.Err(), what), nil)
}

// Describe names the command beside what the server promises.
func (t *Target) Describe() targets.Description { return t.description }

// NewSpace makes a space, if the server still runs.
func (t *Target) NewSpace(ctx context.Context, name string) (targets.Space, error) {
	if t.exited() {
		return nil, t.exitedBefore("plan " + name + " began")
	}
	inner, err := t.Target.NewSpace(ctx, name)
	if err != nil {
		return nil, t.explained(err, "plan "+name+" began")
	}
	return &space{Space: inner, target: t}, nil
}

// space is one of the server's, whose end explains why nobody can connect to it.
type space struct {
	targets.Space
	target *Target
}

func (s *space) Open(ctx context.Context, endpoint int) (targets.Client, error) {
	ctx, cancel := s.target.whileItRuns(ctx) // nobody waits for a server that is no more
	defer cancel()
	client, err := s.Space.Open(ctx, endpoint)
	if err != nil {
		return nil, s.target.explained(err, "a client was connected")
	}
	return client, nil
}

// noticing is how long it may take until a server that has broken its connections is seen
// to have ended.
const noticing = time.Second

// explained is an error, or the end of the server that is its cause.
func (t *Target) explained(err error, before string) error {
	timer := time.NewTimer(noticing)
	defer timer.Stop()
	select {
	case <-t.server.Exited():
		return t.exitedBefore(before)
	case <-timer.C:
		return err
	}
}

func (t *Target) exited() bool {
	select {
	case <-t.server.Exited():
		return true
	default:
		return false
	}
}

// logName is the file of a run's folder that holds what the server printed.
const logName = "server.log"

// LogTo keeps the server's log in a folder.
func (t *Target) LogTo(folder string) error { return t.server.Log().To(filepath.Join(folder, logName)) }

// removing is how long a server that is about to end may take to delete keys.
const removing = 2 * time.Second

// Close removes the keys of the run, which may live longer than the server, and ends
// the server and all that it started. The keys of a server that is gone or does not
// answer are no trouble.
func (t *Target) Close(ctx context.Context) error {
	if !t.exited() {
		limited, cancel := context.WithTimeout(ctx, removing)
		defer cancel()
		_ = t.Target.Close(limited)
	}
	return t.end(ctx)
}

// end ends the server even if the run was interrupted.
func (t *Target) end(ctx context.Context) error {
	if _, limited := ctx.Deadline(); !limited {
		ctx = context.WithoutCancel(ctx)
	}
	return errors.Join(t.server.Stop(ctx), t.places.Remove())
}
