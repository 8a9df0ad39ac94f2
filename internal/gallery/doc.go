// Package gallery chooses of many histories those to show, and writes the page of a run.
//
// A violation is shown by the history with the fewest calls that has it. The page needs no
// network; beside it stands porcupine's own picture where no order of the calls explains
// a history.
package gallery
