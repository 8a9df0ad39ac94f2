// Package speed measures the judges on one recorded history of a real etcd. It
// holds tests alone; "make speed" prints the figures side by side.
package speed
