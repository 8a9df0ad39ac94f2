package spawned

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/internal/process"
)

// A connection that breaks because the server ends is reported as the server's end, also
// where that is noticed later; one of a server that runs is what it is.
func TestExplained(t *testing.T) {
	cut := errors.New("the connection was lost")
	for _, test := range []struct{ command, want string }{
		{"sleep 0.1; kill -KILL $$", "the server ended (signal: killed) before a client was connected"},
		{"sleep 60", cut.Error()},
	} {
		server, err := process.Start(process.Options{Command: []string{"sh", "-c", test.command}, Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		target := &Target{server: server, name: "sh"}
		if got := target.explained(cut, "a client was connected").Error(); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, expected %q in it", test.command, got, test.want)
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
