package simulation

import "container/heap"

// queue holds what will happen, by time; of equal times the first added comes first.
type queue struct {
	items []item
	added int
}

type item struct {
	time int64
	seq  int
	do   func()
}

func (q *queue) Len() int { return len(q.items) }
func (q *queue) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	return a.time < b.time || a.time == b.time && a.seq < b.seq
}
func (q *queue) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue) Push(x any)    { q.items = append(q.items, x.(item)) }
func (q *queue) Pop() any {
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return last
}

func (q *queue) add(time int64, do func()) {
	q.added++
	heap.Push(q, item{time: time, seq: q.added, do: do})
}

func (q *queue) next() item { return heap.Pop(q).(item) }
