// Package rediscovery measures whether ordinary runs of the checker find faults that old
// releases of real servers are known for.
//
// Nothing in a row helps the checker: a run draws its plans from the default mix, judges
// all that it can, and has a budget of time. A row is found by a seed if its property is
// violated within that budget. The control of a row, a release without the fault, must
// stay silent for as long.
package rediscovery
