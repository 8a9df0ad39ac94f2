package process

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// hidden stands where a secret stood.
const hidden = "***"

// userinfo is the password of a URL, as in postgres://user:password@host.
var userinfo = regexp.MustCompile(`://([^\s:/?#@]*):([^\s/]*)@`)

// WithoutSecrets is a text without the passwords of the URLs in it.
func WithoutSecrets(text string) string {
	return userinfo.ReplaceAllString(text, "://$1:"+hidden+"@")
}

// secretsOf are the passwords of the URLs in the texts, as they stand there and as
// they are meant.
func secretsOf(texts []string) (secrets []string) {
	for _, text := range texts {
		for _, found := range userinfo.FindAllStringSubmatch(text, -1) {
			secrets = append(secrets, found[2])
			if plain, err := url.PathUnescape(found[2]); err == nil {
				secrets = append(secrets, plain)
			}
		}
	}
	return secrets
}

// hider replaces secrets by something else.
func hider(secrets []string) *strings.Replacer {
	// The longer first: one may begin another.
	secrets = slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}
