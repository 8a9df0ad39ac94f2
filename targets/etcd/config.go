package etcd

import (
	"crypto/tls"
	"time"

	"github.com/rvcheck/rvcheck/targets"
)

// Config says which store to test and how to reach it. ParseURL makes one of a
// target URL.
type Config struct {
	// URL is what reports call the target; it must hold no credentials. Empty: it
	// is put together from the endpoints.
	URL string
	// Endpoints are the members, each a host and a port.
	Endpoints []string
	// Prefix is where the run's own prefix is put, empty for the top.
	Prefix string
	// Exclusive says that nobody else uses the store during the run, and that the
	// run may use powers over all of it.
	Exclusive bool
	// SelfCompacting says that the store compacts by itself too, so that nobody can
	// tell which 410 was owed. An exclusive run compacts it all the same.
	SelfCompacting bool
	// Profile says what the store promises, such as "etcd" or "kine", one that
	// targets.ProfileWithout knows. Empty: the store is asked; what it refuses is then
	// unsupported.
	Profile string
	// Without are features that the run must not use.
	Without []targets.Feature
	// TLS is nil for a plain connection.
	TLS *tls.Config
	// User and Password log in to a store with authentication; no user: no login.
	User     string
	Password Secret
	// DialTimeout bounds the contact with an endpoint, zero: DefaultDialTimeout.
	DialTimeout time.Duration
}

// DefaultDialTimeout is how long an endpoint may take to be reached and to answer
// the first request.
const DefaultDialTimeout = 5 * time.Second

// Secret is a text that does not print itself.
type Secret string

// String hides the secret from %v and %s.
func (Secret) String() string { return "(hidden)" }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return "(hidden)" }

func (c Config) dialTimeout() time.Duration {
	if c.DialTimeout > 0 {
		return c.DialTimeout
	}
	return DefaultDialTimeout
}
