package kube

import (
	"errors"
	"fmt"
	"net/url"

	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc" // logins that kubeconfigs name
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// Config says which cluster a run uses, and how.
type Config struct {
	// URL is what the user wrote. It holds no credentials.
	URL string
	// Kubeconfig is the file to use, empty: as kubectl finds it. Context is the context
	// in it, empty: the current one.
	Kubeconfig string
	Context    string
	// Servers are the URLs of the apiservers to talk to, one endpoint each, with the
	// credentials of the kubeconfig; empty: the server that it names.
	Servers []string
	// Resource is the type of objects to use: a plural of the core group, such as
	// configmaps, or GROUP/VERSION/PLURAL, namespaced or not. Empty: a type of the run's own, or
	// ConfigMaps where the run may not make one.
	Resource string
	// ClusterScoped: the run's own type of objects is in no namespaces.
	ClusterScoped bool
	// Exclusive: nobody else compacts the etcd below, the apiservers included.
	Exclusive bool
	// Etcd is the HOST:PORT of that etcd, for compactions; empty: there are none.
	Etcd string
	// Below is the store of the apiservers, to be watched beside the run; nil: it is not.
	// Of its Prefix nothing but the apiservers' own is meant, empty: /registry.
	Below *etcd.Config
	// Profile overrides what the servers are found to promise, such as "kube-1.37".
	Profile string
}

// userAgent is what the run calls itself in requests.
const userAgent = "rvcheck"

// endpoint is one apiserver, and how to talk to it.
type endpoint struct {
	rest *rest.Config
	base *url.URL
}

func (e endpoint) String() string { return e.base.Redacted() }

// endpoints reads the kubeconfig. Its errors are *targets.SetupError.
func (c Config) endpoints() ([]endpoint, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	rules.WarnIfAllMissing = false
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, c.kubeconfigError(err)
	}
	config.UserAgent = userAgent
	servers := c.Servers
	if len(servers) == 0 {
		servers = []string{config.Host}
	}
	endpoints := make([]endpoint, 0, len(servers))
	for _, server := range servers {
		e, err := newEndpoint(config, server)
		if err != nil {
			return nil, &targets.SetupError{Where: c.where(), Expected: "expected the URL of a server", Err: err}
		}
		endpoints = append(endpoints, e)
	}
	return endpoints, nil
}

// where names the kubeconfig in errors.
func (c Config) where() string {
	where := "kubeconfig"
	if c.Kubeconfig != "" {
		where = c.Kubeconfig
	}
	if c.Context != "" {
		where += ", context " + c.Context
	}
	return where
}

func (c Config) kubeconfigError(err error) error {
	expected := "expected a kubeconfig"
	if c.Context != "" {
		expected = "expected a kubeconfig with that context"
	}
	switch {
	case !clientcmd.IsEmptyConfig(err):
	case c.Kubeconfig == "":
		err = errors.New("there is none; say kubeconfig=FILE in the URL, or set KUBECONFIG")
	default:
		err = errors.New("it has no cluster for its context")
	}
	return &targets.SetupError{Where: c.where(), Expected: expected, Err: err}
}

func newEndpoint(config *rest.Config, server string) (endpoint, error) {
	config = rest.CopyConfig(config)
	config.Host = server
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return endpoint{}, err
	}
	if base.Host == "" {
		return endpoint{}, fmt.Errorf("%q names no host", server)
	}
	return endpoint{rest: config, base: base}, nil
}
