// Package agreement checks the judges against each other and against an oracle
// that is independent of them, on thousands of simulated histories, valid and
// damaged.
package agreement
