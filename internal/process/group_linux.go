package process

import "syscall"

// serverGroup is a group that dies with this process.
func serverGroup() *syscall.SysProcAttr {
	attributes := ownGroup()
	attributes.Pdeathsig = syscall.SIGKILL
	return attributes
}
