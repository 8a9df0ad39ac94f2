package conformance

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/targets"
)

// Options say what to check and how long. The zero value is 200 plans of up to
// 60 operations by 4 clients, from a new seed.
type Options struct {
	// Seed decides the plans; zero: a new one, which the report shows. Run and Fuzz take
	// it from the environment variable RVCHECK_SEED if that is set.
	Seed uint64
	// Plans ends the check after so many plans; zero: 200, or no such end where
	// there is a Duration.
	Plans int
	// Duration: no plan begins after it. Zero: no such end.
	Duration time.Duration
	// Clients work at the same time; zero: 4.
	Clients int
	// Steps is the number of operations of a plan at most, of all clients together;
	// zero: 15 a client.
	Steps int
	// Properties are ids, groups or patterns such as "watch/*"; empty: all.
	Properties []string
	// Profile says what the target promises, empty: what the target says itself.
	Profile string
	// Strict makes a MUST that the target supports count as not decided when it
	// was not exercised.
	Strict bool
	// FailFast ends the check after the first plan that violates a property.
	FailFast bool
	// NoShrink leaves the plans that failed as they were drawn. Otherwise one for each
	// property that was violated is reduced to what matters, which takes up to 30 seconds
	// each.
	NoShrink bool
	// Out is where a folder is made for the report, and for the plans and the
	// histories that failed. Empty: nothing is kept; under go test
	// -artifacts Run uses t.ArtifactDir then.
	Out string
	// Keep keeps the histories of all plans.
	Keep bool
	// KnownFailing is a file of failures that are known, empty: none. A violation that
	// a line of it covers is waived: it is in the report, but does not count. A line
	// that says "fails" must fail.
	KnownFailing string
}

// Option changes one of the options of Run and Replay.
type Option func(*Options)

// WithOptions replaces all options.
func WithOptions(options Options) Option { return func(o *Options) { *o = options } }

// Seed draws the plans from this seed.
func Seed(seed uint64) Option { return func(o *Options) { o.Seed = seed } }

// Plans ends the check after n plans.
func Plans(n int) Option { return func(o *Options) { o.Plans = n } }

// Duration lets no plan begin after d.
func Duration(d time.Duration) Option { return func(o *Options) { o.Duration = d } }

// Clients sets how many clients work at the same time.
func Clients(n int) Option { return func(o *Options) { o.Clients = n } }

// Properties selects properties by id, group or pattern.
func Properties(patterns ...string) Option {
	return func(o *Options) { o.Properties = append(o.Properties, patterns...) }
}

// NoShrink leaves the plans that failed as they were drawn.
func NoShrink() Option { return func(o *Options) { o.NoShrink = true } }

// Strict fails the test if a MUST that the target supports was not exercised.
func Strict() Option { return func(o *Options) { o.Strict = true } }

// KnownFailing reads the failures that are known from a file. A property that failed
// only as the file says is skipped, with the reason, and never passes; a line of
// the file that does not hold any more fails the test.
func KnownFailing(path string) Option { return func(o *Options) { o.KnownFailing = path } }

const (
	defaultPlans   = 200
	shortPlans     = 20 // under go test -short
	defaultClients = 4
	// shrinkingBudget is the time for each property that was violated.
	shrinkingBudget = 30 * time.Second
	stepsPerClient  = 15
)

func (o Options) complete() Options {
	if o.Plans == 0 && o.Duration == 0 {
		o.Plans = defaultPlans
	}
	if o.Clients == 0 {
		o.Clients = defaultClients
	}
	if o.Steps == 0 {
		o.Steps = stepsPerClient * o.Clients
	}
	if o.Seed == 0 {
		o.Seed = uint64(rand.Uint32()) + 1
	}
	return o
}

// forTest applies the options of a test on top of what suits one.
func forTest(t *testing.T, options []Option) Options {
	var o Options
	for _, set := range options {
		set(&o)
	}
	if o.Plans == 0 && o.Duration == 0 && testing.Short() {
		o.Plans = shortPlans
	}
	if o.Out == "" && artifactsStay() {
		o.Out = t.ArtifactDir()
	}
	if o.Seed == 0 {
		o.Seed = seedOfEnvironment(t)
	}
	return o.complete()
}

// seedVariable is the environment variable that repeats a run of a test whose seed
// is drawn anew each time.
const seedVariable = "RVCHECK_SEED"

func seedOfEnvironment(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return 0
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		t.Fatalf("conformance: %s=%q; expected a number from 1 on", seedVariable, text)
	}
	return seed
}

// artifactsStay reports whether the test runs under go test -artifacts. Without it
// t.ArtifactDir is removed when the test ends, and no path in it is worth showing.
func artifactsStay() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// session translates the options.
func (o Options) session(d targets.Description) (session.Options, error) {
	properties, err := session.Select(o.Properties)
	if err != nil {
		return session.Options{}, err
	}
	known, err := o.known()
	return session.Options{
		Shrinking: o.shrinking(),
		Known:     known,
		Source:    session.Drawn(o.Seed, session.Mix{Clients: o.Clients, Steps: o.Steps}, d),
		Seed:      o.Seed, Plans: o.Plans, Duration: o.Duration, Properties: properties,
		FailFast: o.FailFast, Strict: o.Strict, Profile: o.Profile, Out: o.Out, Keep: o.Keep,
	}, err
}

func (o Options) shrinking() session.Shrinking {
	if o.NoShrink {
		return session.Shrinking{}
	}
	return session.Shrinking{Budget: shrinkingBudget}
}

// known reads the known-failing file, nil if there is none.
func (o Options) known() (*waivers.File, error) {
	if o.KnownFailing == "" {
		return nil, nil
	}
	return waivers.Read(o.KnownFailing)
}
