// Package models is the contract as code: the sequential specification, the
// catalogue of properties, and what judges say.
package models
