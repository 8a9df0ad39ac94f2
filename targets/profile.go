package targets

import (
	"maps"
	"slices"
	"strings"
)

// Features are all features that a target may lack, in the order of their names.
var Features = []Feature{
	Applies, BinaryKeys, Compaction, DeleteCollections, Deletes, DryRuns, Encodings, Faults, Finalizers, GeneratedNames, HugeLimits,
	Informers, KubeOptions, Leases, ManyEndpoints, Namespaces, Patches, ProgressOnCall, ProtobufEncoding, Puts, RangeOptions, Ranges, Reads, RevisionBounds, Selectors,
	Serializable, SharedStreams, SortedReads, StatusCalls, Statuses, StrictUpdates, Transactions, UnconditionalUpdates, Versions, WatchIDs,
	WatchLists, WatchOptions, Watches, Writes,
}

// ProfileWithout are the features that a profile, such as "kine", does not
// promise, each with the reason; known is false for a name that stands for no
// profile. Everything else is promised, and a store that refuses it breaks that
// promise.
func ProfileWithout(profile string) (without map[Feature]string, known bool) {
	base, version, versioned := strings.Cut(profile, "-")
	if base == "kube" {
		version = strings.TrimSuffix(version, "-uncached")
	}
	switch {
	case base == "etcd" && (!versioned || minorForm(version)), base == "kube" && (!versioned || minorForm(version)),
		profile == "reference", profile == "storage":
		return map[Feature]string{}, true
	}
	missing, known := lesser[profile]
	without = make(map[Feature]string, len(missing))
	for feature, reason := range missing {
		without[feature] = "the profile " + profile + " is without it: " + reason
	}
	return without, known
}

// minorForm reports whether a text is a version such as "3.7".
func minorForm(text string) bool {
	major, minor, found := strings.Cut(text, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return found && digits(major) && digits(minor)
}

// ProfileForms says what the names of profiles look like, for errors.
func ProfileForms() string {
	return "etcd, a version of it such as etcd-3.7, storage, kube, a version of it such as kube-1.37 or kube-1.37-uncached, reference or " +
		strings.Join(slices.Sorted(maps.Keys(lesser)), " or ")
}

// lesser are the stores that speak etcd's API and offer less than etcd, by design.
var lesser = map[string]map[Feature]string{
	"kine": {
		Compaction:     "it keeps the newest thousand revisions, whatever it is told to compact",
		Deletes:        "it deletes one key at a time, by a transaction of the kind that a kube-apiserver sends",
		Leases:         "a lease is no object there but the number of seconds that its keys live",
		RevisionBounds: "it refuses them",
		Serializable:   "it refuses them",
		SortedReads:    "it refuses them",
		Transactions:   "it takes those that a kube-apiserver sends",
		Versions:       "the version of an object is always 0",
		WatchIDs:       "it refuses them",
	},
}
