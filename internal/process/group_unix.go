//go:build unix

package process

import (
	"errors"
	"runtime"
	"syscall"
)

// run starts the program, says so, and waits for its end.
func (p *Process) run(started chan<- error) {
	// Where the system ends children with their parent, the parent is the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.command.Start()
	started <- err
	if err == nil {
		p.err = p.command.Wait()
		p.drain(aMoment)
		close(p.exited)
	}
}

// ownGroup puts a child at the head of a process group, so that a Ctrl-C of the
// terminal does not reach it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func terminate(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) } // nobody there is no error

func kill(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

func anybody(group int) bool { return !errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) }
