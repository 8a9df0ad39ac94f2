package kube

// Mutant is the store with one fault: a named deviation from the contract, as some
// server in the field once had it. Package memory says what the fields are.
type Mutant struct {
	ID              string
	Family          int
	Sentence        string
	Source          string
	Primary         string
	ConcurrencyOnly bool

	// make returns the fault for one new store: a fault may keep a state.
	make func() fault
}

// Mutants returns every mutant, by family.
func Mutants() []Mutant { return nil }
