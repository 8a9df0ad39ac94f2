// Package drawing lays a history out as a time line: a lane for each client, one for
// each stream, calls as spans of time and events as moments, each with the revision
// that it tells, and the findings of the judges with what belongs to them.
//
// A Sheet is that layout as data. It is pure and decides nothing: it words and
// arranges what the history holds. The packages below it draw a sheet, terminal as
// text and page as HTML.
//
// All texts of a sheet but the plan's are printable ASCII, whatever the history holds: a key may be
// any byte string, and a history may come from anywhere.
package drawing
