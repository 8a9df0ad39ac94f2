package kube

import (
	"fmt"
	"strconv"
	"strings"
)

// Profile is what a server promises that others do not: the minor version of
// Kubernetes whose behaviour it has, and whether a watch cache answers its reads.
type Profile struct {
	// Minor is the version, 37 for 1.37.
	Minor int
	// Cached: reads and watches are served by a watch cache.
	Cached bool
}

// The versions that the contract knows. A newer one is taken for the newest.
const (
	oldestMinor = 30
	newestMinor = 37
)

// ParseProfile reads the name of a profile: kube-1.37, or kube-1.37-uncached without a
// watch cache. The names kube and reference stand for the newest version, uncached
// where -uncached follows.
func ParseProfile(name string) (Profile, error) {
	base, uncached := strings.CutSuffix(name, "-uncached")
	p := Profile{Minor: newestMinor, Cached: !uncached}
	if base == "kube" || base == "reference" {
		return p, nil
	}
	version, isKube := strings.CutPrefix(base, "kube-1.")
	minor, err := strconv.Atoi(version)
	if !isKube || err != nil || minor < 1 || version != strconv.Itoa(minor) {
		return Profile{}, fmt.Errorf("profile %.60q: expected kube, or a version such as kube-1.37, or one of them with -uncached behind it", name)
	}
	p.Minor = minor
	return p, nil
}

// String is the name of the profile.
func (p Profile) String() string {
	if p.Cached {
		return fmt.Sprintf("kube-1.%d", p.Minor)
	}
	return fmt.Sprintf("kube-1.%d-uncached", p.Minor)
}

// WatchList reports whether the server takes sendInitialEvents.
func (p Profile) WatchList() bool { return p.Minor == 32 || p.Minor >= 34 }

// CachedLimit reports whether the cache honours a limit, but for resourceVersion "0".
func (p Profile) CachedLimit() bool { return p.Minor >= 31 }

// FutureExact reports whether a list at an exact revision that does not exist yet is
// refused as such; older servers answer with an error of no reason (ERR-07).
func (p Profile) FutureExact() bool { return p.Minor >= 34 }

// ChecksRV reports whether a list with a resourceVersion that is no number is refused
// as a mistake of the caller; older servers answer with an error of no reason (ERR-09).
func (p Profile) ChecksRV() bool { return p.Minor >= 33 || !p.Cached }

// Comparable reports whether the form and the order of resource versions are promised.
func (p Profile) Comparable() bool { return p.Minor >= 35 }

// FreshWatch reports whether a watch without a resourceVersion begins at the most
// recent state; with a cache and without WatchList it may begin at any.
func (p Profile) FreshWatch() bool { return !p.Cached || p.WatchList() }

// Snapshots reports whether the cache answers for exact revisions and continue tokens.
// It then may know of a compaction later than the store (EXP-09).
func (p Profile) Snapshots() bool { return p.Cached && p.Minor >= 34 }
