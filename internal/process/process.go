package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Options say what to run.
type Options struct {
	// Command is the program, looked up in PATH, and its arguments.
	Command []string
	// Folder is removed by the guard where this process cannot do it, empty for none.
	Folder string
	// Secrets are hidden in the log, beside the passwords of URLs in the command.
	Secrets []string
}

// Process is a running server.
type Process struct {
	command *exec.Cmd
	log     *Log
	guard   *guard
	exited  chan struct{}
	err     error // how it ended, once exited is closed
	printed chan struct{}
	once    sync.Once
	stopped error
}

// Start starts a program. It reads nothing, and writes to the log.
func Start(o Options) (*Process, error) {
	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &Process{
		command: exec.Command(o.Command[0], o.Command[1:]...),
		log:     newLog(append(secretsOf(o.Command), o.Secrets...)),
		exited:  make(chan struct{}),
		printed: make(chan struct{}),
	}
	p.command.Stdout, p.command.Stderr = input, input
	p.command.SysProcAttr = serverGroup()
	started := make(chan error)
	go p.run(started)
	err = <-started
	input.Close() // the server has its own
	if err != nil {
		output.Close()
		return nil, err
	}
	go p.collect(output)
	if p.guard, err = newGuard(p.command.Process.Pid, o.Folder); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the guard of the server: %w", err), p.Stop(context.Background()))
	}
	return p, nil
}

// collect reads the output until every process of the group has ended.
func (p *Process) collect(output *os.File) {
	defer close(p.printed)
	_, _ = io.Copy(p.log, output) // an end is an end
	output.Close()
}

// Log is what the server prints.
func (p *Process) Log() *Log { return p.log }

// Exited is closed when the server has ended and its last words are in the log.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err says how a server that has exited ended, in the words of the system.
func (p *Process) Err() error {
	<-p.exited
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

const (
	// grace is how long a server may take to end in order.
	grace = 5 * time.Second
	// reserve is what is left of a caller's time when that is cut short.
	reserve = time.Second
	// aMoment is how long the last words of a server may take to be read.
	aMoment = 200 * time.Millisecond
	// often is how often it is asked whether somebody is left.
	often = 10 * time.Millisecond
)

// Stop ends the server and all that it started: first in order, then, a second before
// ctx ends or after five, by force. Whoever calls it again waits for the same end.
func (p *Process) Stop(ctx context.Context) error {
	p.once.Do(func() { p.stopped = p.stop(ctx) })
	return p.stopped
}

func (p *Process) stop(ctx context.Context) error {
	pid := p.command.Process.Pid
	terminate(pid)
	p.await(ctx, p.patience(ctx))
	kill(pid)
	p.await(context.Background(), reserve)
	err := p.guard.dismiss()
	select {
	case <-p.exited:
	case <-time.After(reserve):
		err = errors.Join(err, fmt.Errorf("the server (process %d) does not end", pid))
	}
	p.drain(reserve)
	return errors.Join(err, p.log.Close())
}

// drain waits until everything printed was read. Whoever left the group may go on to
// print; it is not waited for longer than the limit.
func (p *Process) drain(limit time.Duration) {
	select {
	case <-p.printed:
	case <-time.After(limit):
	}
}

// patience is how long an orderly end may take.
func (p *Process) patience(ctx context.Context) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return grace
	}
	return min(grace, time.Until(end)-reserve)
}

// await waits until nobody of the group is left.
func (p *Process) await(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for anybody(p.command.Process.Pid) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(often):
		}
	}
}
