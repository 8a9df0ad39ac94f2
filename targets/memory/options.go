package memory

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	models "github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
)

// Options say which store to open. The zero value is the reference store at the
// etcd layer.
type Options struct {
	// Mutant is the id of the fault to build in, empty for none.
	Mutant string
	// Layer is the interface that the store speaks: histories.EtcdLayer, the default, or
	// histories.KubeLayer.
	Layer histories.Layer
	// Profile is the server that the store behaves as at the Kubernetes layer, such as
	// kube-1.37-uncached; empty for reference, the newest with a watch cache.
	Profile string
	// ClusterScoped: at the Kubernetes layer, objects are in no namespaces.
	ClusterScoped bool
	// Seed decides the waits and, with Probability, when the fault acts.
	Seed uint64
	// Probability is the share of occasions at which the fault acts, in (0, 1];
	// zero stands for 1, always.
	Probability float64
}

// Open returns the store. What makes no sense in the options is a
// *targets.UsageError.
func Open(options Options) (targets.Target, error) {
	if options.Layer == "" {
		options.Layer = histories.EtcdLayer
	}
	if options.Layer != histories.EtcdLayer && options.Layer != histories.KubeLayer {
		return nil, usage("layer", "expected etcd or kube, the layers that this target offers, not %q", options.Layer)
	}
	profile, err := options.profile()
	if err != nil {
		return nil, err
	}
	if options.ClusterScoped && options.Layer != histories.KubeLayer {
		return nil, usage("scope", "expected layer=kube with it")
	}
	if options.Probability == 0 {
		options.Probability = 1
	}
	if !(options.Probability > 0 && options.Probability <= 1) {
		return nil, usage("probability", "expected a number above 0 and at most 1, not %v", options.Probability)
	}
	mutant, err := chooseOf(options.Layer, options.Mutant)
	if err != nil {
		return nil, err
	}
	return &target{options: options, mutant: mutant, profile: profile}, nil
}

// profile is the server that a store at the Kubernetes layer behaves as.
func (o *Options) profile() (models.Profile, error) {
	switch {
	case o.Layer == histories.EtcdLayer && o.Profile == "":
		return models.Profile{}, nil
	case o.Layer == histories.EtcdLayer:
		return models.Profile{}, usage("profile", "expected layer=kube with it")
	case o.Profile == "":
		o.Profile = reference
	}
	profile, err := models.ParseProfile(o.Profile)
	if err != nil {
		return profile, usage("profile", "%v", err)
	}
	return profile, nil
}

// clusterScope is what the parameter scope says of objects without namespaces.
const clusterScope = "cluster"

// reference is the profile of a store that names none.
const reference = "reference"

// OpenURL opens the store that a URL describes, such as
//
//	memory://?mutant=create-race&layer=etcd&probability=0.2&seed=7
//
// All parameters may be left out.
func OpenURL(u *url.URL) (targets.Target, error) {
	if u.Scheme != "memory" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.Trim(u.Path, "/") != "" {
		return nil, usage("target", "expected memory:// with nothing but parameters, such as memory://?mutant=create-race")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, usage("target", "expected parameters as name=value joined by &")
	}
	var options Options
	for name, values := range query {
		if len(values) != 1 {
			return nil, usage(name, "expected one value, not %d", len(values))
		}
		if err := options.set(name, values[0]); err != nil {
			return nil, err
		}
	}
	return Open(options)
}

// set takes one parameter of a URL.
func (o *Options) set(name, value string) (err error) {
	switch name {
	case "mutant":
		if value == "" {
			return usage(name, "expected the id of a mutant, and without the parameter a store that has no fault")
		}
		o.Mutant = value
	case "layer":
		if value == "" {
			return usage(name, "expected etcd or kube")
		}
		o.Layer = histories.Layer(value)
	case "profile":
		if value == "" {
			return usage(name, "expected a profile such as kube-1.37-uncached")
		}
		o.Profile = value
	case "scope":
		if value != clusterScope && value != "namespaced" {
			return usage(name, "expected namespaced or cluster, not %q", value)
		}
		o.ClusterScoped = value == clusterScope
	case "seed":
		if o.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return usage(name, "expected a decimal number of 64 bits, not %q", value)
		}
	case "probability":
		if o.Probability, err = strconv.ParseFloat(value, 64); err != nil || o.Probability == 0 {
			return usage(name, "expected a number above 0 and at most 1, not %q", value)
		}
	default:
		return usage(name, "expected one of the parameters layer, mutant, probability, profile, scope, seed")
	}
	return nil
}

// url is the inverse of OpenURL.
func (o Options) url() string {
	query := url.Values{}
	if o.Layer != histories.EtcdLayer {
		query.Set("layer", string(o.Layer))
	}
	if o.Mutant != "" {
		query.Set("mutant", o.Mutant)
	}
	if o.Profile != "" && o.Profile != reference {
		query.Set("profile", o.Profile)
	}
	if o.Probability != 1 {
		query.Set("probability", strconv.FormatFloat(o.Probability, 'g', -1, 64))
	}
	if o.ClusterScoped {
		query.Set("scope", clusterScope)
	}
	if o.Seed != 0 {
		query.Set("seed", strconv.FormatUint(o.Seed, 10))
	}
	if len(query) == 0 {
		return "memory://"
	}
	return "memory://?" + query.Encode()
}

func usage(where, format string, args ...any) error {
	return &targets.UsageError{Where: where, Expected: fmt.Sprintf(format, args...)}
}

// choose finds a mutant of the etcd layer, the honest store for the empty id.
func choose(id string) (Mutant, error) { return chooseOf(histories.EtcdLayer, id) }

func chooseOf(layer histories.Layer, id string) (Mutant, error) {
	if id == "" {
		return Mutant{make: func() fault { return fault{} }}, nil
	}
	mutants := MutantsOf(layer)
	if i := slices.IndexFunc(mutants, func(m Mutant) bool { return m.ID == id }); i >= 0 {
		return mutants[i], nil
	}
	return Mutant{}, usage("mutant", "expected the id of a mutant, not %q; near it: %s", id, strings.Join(near(id, mutants), ", "))
}

// near lists the three ids that differ least from what was asked for.
func near(id string, mutants []Mutant) []string {
	ids := make([]string, len(mutants))
	for i, m := range mutants {
		ids[i] = m.ID
	}
	slices.SortStableFunc(ids, func(a, b string) int { return distance(id, a) - distance(id, b) })
	return ids[:min(3, len(ids))]
}

// distance counts what two ids do not share: the pairs of neighbouring letters
// that stand in one and not in the other.
func distance(a, b string) int {
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	for i := range len(b) - 1 {
		pairs[b[i:i+2]]--
	}
	sum := 0
	for _, n := range pairs {
		sum += max(n, -n)
	}
	return sum
}
