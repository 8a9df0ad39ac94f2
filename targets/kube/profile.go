package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/targets"
)

// oldest is the oldest minor version of Kubernetes 1 whose behaviour is known.
const oldest = 30

// profile is which behaviour a server has.
type profile struct {
	minor int
	// cached: it answers from a watch cache where it may.
	cached bool
}

const uncached = "-uncached"

func (p profile) String() string {
	text := "kube-1." + strconv.Itoa(p.minor)
	if !p.cached {
		text += uncached
	}
	return text
}

// parseProfile reads what String writes.
func parseProfile(text string) (profile, error) {
	name, isUncached := strings.CutSuffix(text, uncached)
	version, found := strings.CutPrefix(name, "kube-1.")
	minor, err := strconv.Atoi(version)
	if !found || err != nil || minor < oldest {
		return profile{}, usage("parameter profile", fmt.Sprintf("expected kube-1.N or kube-1.N%s, N at least %d, not %.40q", uncached, oldest, text))
	}
	return profile{minor: minor, cached: !isUncached}, nil
}

// errNoVersion is a server that does not tell its version, as a bare
// apiextensions-apiserver does not.
var errNoVersion = errors.New("it tells no version; profile=kube-1.N says how it behaves")

// serverVersion asks an apiserver for its version.
func serverVersion(ctx context.Context, c *connection) (text string, minor int, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	answer, err := c.do(ctx, call{method: http.MethodGet, path: "/version"})
	if errors.Is(err, context.DeadlineExceeded) {
		return "", 0, fmt.Errorf("no answer within %v", dialTimeout)
	}
	if err != nil {
		return "", 0, err
	}
	switch answer.status {
	case http.StatusOK:
	case http.StatusNotFound:
		return "", 0, errNoVersion
	default:
		return "", 0, refusal(answer)
	}
	var version struct{ Major, Minor, GitVersion string }
	if err := json.Unmarshal(answer.body, &version); err != nil {
		return "", 0, errors.New("it does not answer /version as a kube-apiserver does")
	}
	if version.GitVersion == "" {
		return "", 0, errNoVersion
	}
	minor, ok := minorOf(version.GitVersion)
	if !ok {
		return "", 0, fmt.Errorf("its version is %.40q", version.GitVersion)
	}
	return version.GitVersion, minor, nil
}

// minorOf reads the minor version out of one such as v1.37.2 or v1.33.4-eks-1-2.
func minorOf(version string) (int, bool) {
	rest, found := strings.CutPrefix(version, "v1.")
	digits, _, more := strings.Cut(rest, ".")
	minor, err := strconv.Atoi(digits)
	return minor, found && more && err == nil
}

// checkVersion refuses what is too old to be known.
func checkVersion(e endpoint, version string, minor int) error {
	if minor < oldest {
		return &targets.SetupError{Where: e.String(), Expected: fmt.Sprintf("expected Kubernetes 1.%d or newer, not %s, or profile=kube-1.N to say how it behaves", oldest, version)}
	}
	return nil
}
