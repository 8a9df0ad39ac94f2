// Package recording writes down what a run observes, as it happens.
//
// A [Recorder] is append-only. The record of a call is handed to the operating
// system before the call goes out, and its answer after it arrived, one write a
// record, without a buffer and without fsync: a run that is killed leaves a file
// that can be judged, the calls that were open being of unknown outcome. The
// same records are kept in memory, so that a finished run is judged without
// reading the file again; a Recorder may also do without a file.
//
// There is one monotonic clock, which starts with the Recorder, and all times
// are nanoseconds since then. The time of a call is taken before the call is
// recorded and sent, the time of an answer or an event after it arrived. So an
// interval in a history may be wider than the truth and is never narrower: what
// a history shows as one after the other really was, which is the ground that
// every real-time judgement stands on.
package recording
