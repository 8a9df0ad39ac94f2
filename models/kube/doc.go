// Package kube is the contract of the Kubernetes layers as code: what a write does to
// one object, what a selector takes, what a watch says of a change, and the sequential
// specification that is made of these.
//
// Write, Change and Selector are for judges, which hold what a server did against
// them one object at a time. [State] is the whole store as a value that never changes,
// and Apply performs a request on it: that is the reference store, and the model of
// the porcupine judge. The rules (WR-01, LIST-05 and so on) are those that
// models.Rules lists.
//
// A server decides many things in more than one right way. What the specification does
// then is one of them; where a judge must know the others, the result names them.
package kube
