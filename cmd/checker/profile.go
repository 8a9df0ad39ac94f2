package main

import "github.com/rvcheck/rvcheck/targets"

// checkProfile accepts the empty profile: the target's own.
func checkProfile(profile string) error {
	return knownProfile(profile, "--profile")
}

// knownProfile refuses a profile that nobody knows; where says in the error whose it is.
func knownProfile(profile, where string) error {
	if _, known := targets.ProfileWithout(profile); profile == "" || known {
		return nil
	}
	return usage("%s %.60q; expected %s", where, profile, targets.ProfileForms())
}
