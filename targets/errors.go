package targets

import "strings"

// UsageError is a target URL or an option that makes no sense: the user has to
// write something else. Nothing was contacted. The command exits with 2.
type UsageError struct {
	// Where is the flag, the URL or the parameter, without credentials.
	Where string
	// Expected says what was expected there and what stood there instead.
	Expected string
}

func (u *UsageError) Error() string { return oneLine(u.Where, u.Expected, nil) }

// SetupError is a target that could not be reached, or could not be prepared for
// the run. It says nothing about the store's conformance. The command exits with 4.
type SetupError struct {
	// Where is the endpoint, without credentials.
	Where string
	// Expected says what was expected there, and what came instead where Err does not tell.
	Expected string
	// Err is the cause, nil where there is none.
	Err error
}

func (s *SetupError) Error() string { return oneLine(s.Where, s.Expected, s.Err) }

func (s *SetupError) Unwrap() error { return s.Err }

// oneLine keeps an error on one line, whatever a server put into its text.
func oneLine(where, expected string, cause error) string {
	text := where + ": " + expected
	if cause != nil {
		text += ": " + cause.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}
