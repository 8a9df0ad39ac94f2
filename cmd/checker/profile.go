package main

import "regexp"

var profileForm = regexp.MustCompile(`^(etcd(-[0-9]+\.[0-9]+)?|reference|storage|kube(-[0-9]+\.[0-9]+)?)$`)

// checkProfile accepts the empty profile: the target's own.
func checkProfile(profile string) error {
	return knownProfile(profile, "--profile")
}

// knownProfile refuses a profile that nobody knows; where says in the error whose it is.
func knownProfile(profile, where string) error {
	if profile == "" || profileForm.MatchString(profile) {
		return nil
	}
	return usage("%s %.60q; expected etcd, a version of it such as etcd-3.7, storage, kube or reference", where, profile)
}
