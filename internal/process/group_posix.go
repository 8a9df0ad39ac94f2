//go:build unix && !linux

package process

import "syscall"

func serverGroup() *syscall.SysProcAttr { return ownGroup() }
