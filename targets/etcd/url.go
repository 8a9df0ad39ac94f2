package etcd

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/targets"
)

// Scheme begins the URLs that ParseURL takes.
const Scheme = "etcd"

// ParseURL reads a target URL:
//
//	etcd://host:port[,host:port…]
//
// with the parameters prefix (a key prefix to stay below), exclusive (true: nobody
// else uses the store), self-compacting (true: the store compacts by itself, so no 410
// is held against it), profile (what the store promises, such as kine; by default
// it is asked), without (features that the run must not use, joined by commas), tls
// (true), cacert, cert and key (files), insecure-skip-verify (true), user, and
// password-env (the environment variable that holds the password).
// The user may also stand before the host.
//
// Every error is a *targets.UsageError, and none shows a password.
func ParseURL(text string) (Config, error) {
	rest, ok := strings.CutPrefix(text, Scheme+"://")
	if !ok {
		return Config{}, usage("target URL", "expected "+Scheme+"://host:port[,host:port]")
	}
	rest, query, _ := strings.Cut(rest, "?")
	// The last at sign, since a password may hold one that nobody escaped.
	at := strings.LastIndex(rest, "@")
	config, err := parseHosts(rest[at+1:])
	if err != nil {
		return Config{}, err
	}
	if at >= 0 {
		if err := config.parseUser(rest[:at]); err != nil {
			return Config{}, err
		}
	}
	if err := config.parseQuery(query); err != nil {
		return Config{}, err
	}
	return config, config.checkLogin()
}

func usage(where, expected string) *targets.UsageError {
	return &targets.UsageError{Where: where, Expected: expected}
}

func parseHosts(text string) (Config, error) {
	hosts, path, _ := strings.Cut(text, "/")
	config := Config{URL: Scheme + "://" + hosts}
	if path != "" {
		return Config{}, usage(config.URL, fmt.Sprintf("expected no path after the endpoints; for a key prefix say ?prefix=/%s", path))
	}
	for endpoint := range strings.SplitSeq(hosts, ",") {
		if err := checkEndpoint(endpoint); err != nil {
			return Config{}, usage(config.URL, fmt.Sprintf("expected host:port as an endpoint, not %q: %v", endpoint, err))
		}
		config.Endpoints = append(config.Endpoints, endpoint)
	}
	return config, nil
}

func checkEndpoint(endpoint string) error {
	host, port, err := net.SplitHostPort(endpoint)
	var address *net.AddrError
	switch {
	case errors.As(err, &address):
		return errors.New(address.Err)
	case err != nil:
		return err
	case host == "":
		return errors.New("the host is missing")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errors.New("the port is no number from 1 to 65535")
	}
	return nil
}

func (c *Config) parseUser(text string) error {
	name, password, _ := strings.Cut(text, ":")
	user, nameErr := url.PathUnescape(name)
	secret, passwordErr := url.PathUnescape(password)
	if nameErr != nil || passwordErr != nil {
		return usage(c.URL, "expected user:password before the host with special characters written as %XX")
	}
	c.User, c.Password = user, Secret(secret)
	return nil
}

// parameters are the names that a target URL may use, for the message about others.
var parameters = []string{
	"cacert", "cert", "exclusive", "insecure-skip-verify", "key", "password-env", "prefix", "profile", "self-compacting", "tls", "user", "without",
}

func (c *Config) parseQuery(text string) error {
	values, err := url.ParseQuery(text)
	if err != nil {
		return usage(c.URL, "expected parameters as name=value joined by &: "+err.Error())
	}
	var files tlsFiles
	for name, all := range values {
		if !slices.Contains(parameters, name) {
			return usage(c.URL, fmt.Sprintf("unknown parameter %q, expected one of %s", name, strings.Join(parameters, ", ")))
		}
		if len(all) != 1 {
			return usage(c.URL, fmt.Sprintf("expected the parameter %q once, not %d times", name, len(all)))
		}
		if err := c.setParameter(&files, name, all[0]); err != nil {
			return err
		}
	}
	c.TLS, err = files.load(c.URL)
	if shown := publicQuery(values); shown != "" {
		c.URL += "?" + shown
	}
	return err
}

func (c *Config) setParameter(files *tlsFiles, name, value string) (err error) {
	switch name {
	case "prefix":
		c.Prefix = value
	case "exclusive":
		c.Exclusive, err = c.claim(name, value)
	case "self-compacting":
		c.SelfCompacting, err = c.claim(name, value)
	case "profile":
		c.Profile, err = c.profile(value)
	case "without":
		c.Without, err = c.features(value)
	case "tls":
		files.wanted, err = c.claim(name, value)
	case "insecure-skip-verify":
		files.skipVerify, err = c.claim(name, value)
	case "cacert":
		files.cacert = value
	case "cert":
		files.cert = value
	case "key":
		files.key = value
	case "user":
		c.User = value
	case "password-env":
		c.Password, err = c.passwordFrom(value)
	}
	return err
}

func (c *Config) profile(name string) (string, error) {
	if _, known := targets.ProfileWithout(name); !known {
		return "", usage(c.URL, fmt.Sprintf("expected profile=%s, not %.60q", targets.ProfileForms(), name))
	}
	return name, nil
}

func (c *Config) features(list string) (features []targets.Feature, err error) {
	for name := range strings.SplitSeq(list, ",") {
		feature := targets.Feature(name)
		if !slices.Contains(targets.Features, feature) {
			return nil, usage(c.URL, fmt.Sprintf("expected without= to name features among %v, not %.60q", targets.Features, name))
		}
		features = append(features, feature)
	}
	return features, nil
}

func (c *Config) claim(name, value string) (bool, error) {
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, usage(c.URL, fmt.Sprintf("expected %s=true or %s=false, not %q", name, name, value))
}

func (c *Config) passwordFrom(variable string) (Secret, error) {
	password, ok := os.LookupEnv(variable)
	if !ok {
		return "", usage(c.URL, fmt.Sprintf("password-env names the environment variable %q, which is not set", variable))
	}
	return Secret(password), nil
}

func (c *Config) checkLogin() error {
	if c.User == "" && c.Password != "" {
		return usage(c.URL, "a password without a user, say ?user=")
	}
	return nil
}

// publicQuery is the part of the query that reports may show: all but who logs in.
func publicQuery(values url.Values) string {
	shown := url.Values{}
	for name, all := range values {
		if name != "user" && name != "password-env" {
			shown[name] = all
		}
	}
	return strings.NewReplacer("%2F", "/", "%2C", ",").Replace(shown.Encode())
}
