package targets

import "strings"

// WithoutCredentials is a URL without a user and a password before the host. It takes
// everything up to the last at sign, since a password may hold one that nobody escaped.
func WithoutCredentials(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if found {
		scheme += "://"
	} else {
		scheme, rest = "", url
	}
	return scheme + rest[strings.LastIndex(rest, "@")+1:]
}
