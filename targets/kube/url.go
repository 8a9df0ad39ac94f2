package kube

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// Scheme begins the URLs that ParseURL takes.
const Scheme = "kube"

// parameters are the names that a target URL may use, for the message about others.
var parameters = []string{"also", "context", "etcd", "exclusive", "kubeconfig", "profile", "resource", "scope", "server"}

// ParseURL reads a target URL:
//
//	kube://?kubeconfig=FILE&context=NAME
//
// with the parameters resource (configmaps, secrets, or GROUP/VERSION/PLURAL; by default a
// type of the run's own), scope (cluster: that type is cluster-scoped, in place of
// namespaced), server (the URL of an apiserver, repeated for several endpoints),
// profile (what the servers promise, such as kube-1.37-uncached; by default it is found
// out), exclusive (true: nobody else compacts the etcd below) and etcd (its HOST:PORT, for
// compactions by the run), and also (the etcd://HOST:PORT that the apiservers keep their
// objects in, which is watched beside the run, with prefix=/PREFIX where that is not
// /registry, and what package etcd says of TLS and logins).
//
// Every error is a *targets.UsageError.
func ParseURL(text string) (Config, error) {
	rest, found := strings.CutPrefix(text, Scheme+"://")
	if !found {
		return Config{}, usage("target URL", "expected "+Scheme+"://?kubeconfig=FILE")
	}
	host, query, _ := strings.Cut(rest, "?")
	if strings.Trim(host, "/") != "" {
		return Config{}, usage("target URL", "expected nothing between "+Scheme+":// and the parameters; a server is named by server=https://HOST:PORT")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		var escape url.EscapeError
		if errors.As(err, &escape) {
			return Config{}, usage("target URL", fmt.Sprintf("expected special characters written as %%XX, not %q", string(escape)))
		}
		return Config{}, usage("target URL", "expected parameters joined by &")
	}
	config := Config{URL: text}
	for name, given := range values {
		if err := config.set(name, given); err != nil {
			return Config{}, err
		}
	}
	return config, config.check()
}

// clusterScope is what the parameter scope says of a type without namespaces.
const clusterScope = "cluster"

func usage(where, expected string) *targets.UsageError {
	return &targets.UsageError{Where: where, Expected: expected}
}

// set takes one parameter of the URL.
func (c *Config) set(name string, values []string) error {
	if name == "server" {
		c.Servers = values
		return nil
	}
	if !slices.Contains(parameters, name) {
		return usage(fmt.Sprintf("parameter %.40q", name), "expected one of "+strings.Join(parameters, ", "))
	}
	if len(values) != 1 || values[0] == "" {
		return usage("parameter "+name, "expected one value")
	}
	value := values[0]
	switch name {
	case "also":
		return c.setBelow(value)
	case "context":
		c.Context = value
	case "etcd":
		c.Etcd = value
	case "exclusive":
		return c.setExclusive(value)
	case "kubeconfig":
		c.Kubeconfig = value
	case "profile":
		c.Profile = value
	case "resource":
		c.Resource = value
	case "scope":
		if value != clusterScope && value != "namespaced" {
			return usage("parameter scope", fmt.Sprintf("expected namespaced or cluster, not %.40q", value))
		}
		c.ClusterScoped = value == clusterScope
	}
	return nil
}

// setBelow reads the URL of the store below. A password may not stand in it: it would be
// shown with the target's own URL.
func (c *Config) setBelow(value string) error {
	if strings.Contains(value, "@") {
		return usage("parameter also", "expected user= and password-env= in place of a login before the host")
	}
	below, err := etcd.ParseURL(value)
	if err != nil {
		return usage("parameter also", err.Error())
	}
	c.Below = &below
	return nil
}

func (c *Config) setExclusive(value string) error {
	exclusive, err := strconv.ParseBool(value)
	if err != nil {
		return usage("parameter exclusive", fmt.Sprintf("expected true or false, not %.40q", value))
	}
	c.Exclusive = exclusive
	return nil
}

func (c *Config) check() error {
	for _, server := range c.Servers {
		if u, err := url.Parse(server); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http" {
			return usage("parameter server", "expected a URL such as https://HOST:PORT, without a user and parameters")
		}
	}
	if c.Etcd != "" {
		if _, port, err := net.SplitHostPort(c.Etcd); err != nil || port == "" {
			return usage("parameter etcd", "expected HOST:PORT")
		}
		if !c.Exclusive {
			return usage("parameter etcd", "expected exclusive=true beside it: a compaction is for the whole store")
		}
	}
	if c.Profile != "" {
		if _, err := parseProfile(c.Profile); err != nil {
			return err
		}
	}
	if c.Resource != "" && c.ClusterScoped {
		return usage("parameter scope", "expected no resource= beside scope=cluster, which is about a type of the run's own")
	}
	if c.Resource != "" {
		if _, err := typeNamed(c.Resource); err != nil {
			return err
		}
	}
	return nil
}
