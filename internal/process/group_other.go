//go:build !unix

package process

import (
	"errors"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

func serverGroup() *syscall.SysProcAttr { return nil }

// run refuses: what a server starts could not be ended here.
func (p *Process) run(started chan<- error) {
	started <- errors.New("servers can be started on Unix systems only")
}

func terminate(int) {}

func kill(int) {}

func anybody(int) bool { return false }
