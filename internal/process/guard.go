package process

import (
	"errors"
	"io"
	"os/exec"
	"strconv"
)

// watch waits for a word; where its input ends without one, whoever should have said
// it is dead, and the group and the folder have to go.
const watch = `read -r word || { kill -s KILL -- "-$1"; sleep 1; if [ -n "$2" ]; then rm -rf -- "$2"; fi; }`

// guard is a process that ends a group when this process is no more.
type guard struct {
	command *exec.Cmd
	word    io.WriteCloser
}

func newGuard(group int, folder string) (*guard, error) {
	command := exec.Command("/bin/sh", "-c", watch, "rvcheck-guard", strconv.Itoa(group), folder)
	command.SysProcAttr = ownGroup()
	word, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{command, word}, command.Start()
}

// dismiss sends the guard home.
func (g *guard) dismiss() error {
	if g == nil {
		return nil
	}
	_, err := io.WriteString(g.word, "done\n")
	return errors.Join(err, g.word.Close(), g.command.Wait())
}
