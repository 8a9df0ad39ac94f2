// Package terminal draws a sheet as text: a row for each moment at which something
// was called, returned or arrived, from top to bottom, with the time and the revision
// that it tells at the left and a column for each client and stream.
//
// What was under way at the same time shows as bars beside each other. Where the
// columns are too narrow for words, they hold only the bars, and the words of each
// row stand at the right. No line is longer than the width.
package terminal
