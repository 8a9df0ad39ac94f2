// Package session is a run of many plans against one target: take a plan, run
// it, judge what came back, count, keep what failed, and stop when there is a
// reason to. What it ends with is a report.Report.
//
// A session never decides by itself what is right: findings come from the
// judges, and every number of the report is a count of them.
package session
