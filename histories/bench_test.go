package histories_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// crowd is a history of n operations by 64 clients, half of them writes, and one
// witness that sees them all.
func crowd(n int) *histories.History {
	h := &histories.History{Header: histories.Header{Format: 1, Layer: histories.EtcdLayer, World: histories.Closed}}
	h.Operations = append(h.Operations, histories.Operation{
		ID: 1, Client: histories.WitnessClient, Endpoint: 1, Return: 10,
		Request: histories.Request{Kind: histories.Watch, StartRevision: 1, PrevKV: true},
		Answer:  histories.Answer{Outcome: histories.OK, Revision: 1},
	})
	witness := histories.Stream{Op: 1}
	revision := histories.Revision(1)
	for i := 2; i <= n; i++ {
		key := histories.Key{Name: fmt.Sprintf("key-%d", i%100)}
		object := histories.Object{
			Key: key, Write: histories.WriteID(fmt.Sprintf("c%d-%d", i%64, i)), RV: revision, CreateRevision: revision,
			Version: 1, Labels: map[string]string{"x": "1"}, Size: 40,
		}
		op := histories.Operation{
			ID: i, Label: fmt.Sprintf("o%d", i), Line: i, Client: fmt.Sprintf("c%d", i%64), Endpoint: 1,
			Call: int64(i) * 1000, Return: int64(i)*1000 + 50000,
			Request: histories.Request{Kind: histories.Get, Key: key},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: revision, Objects: []histories.Object{object}, Count: 1},
		}
		if i%2 == 0 {
			revision++
			op.Request = histories.Request{Kind: histories.Put, Key: key, Write: object.Write, Labels: object.Labels}
			op.Answer = histories.Answer{Outcome: histories.OK, Revision: revision}
			object.RV = revision
			witness.Events = append(witness.Events, histories.Event{
				Type: histories.PutEvent, Time: op.Return, Batch: i, Last: true, Header: revision, Transport: "t1", Object: object,
			})
		}
		h.Operations = append(h.Operations, op)
	}
	h.Streams = []histories.Stream{witness}
	return h
}

const crowdSize = 100_000

func BenchmarkRead(b *testing.B) {
	file := write(b, crowd(crowdSize))
	for name, file := range map[string][]byte{"plain": file, "zstd": compressed(b, file)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				read(b, file)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/crowdSize, "ns/operation")
		})
	}
}

func BenchmarkDecoder(b *testing.B) {
	file := write(b, crowd(crowdSize))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	records := 0
	for b.Loop() {
		d := histories.NewDecoder(bytes.NewReader(file), "bench")
		for records = 0; ; records++ {
			if _, err := d.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
}

func BenchmarkWrite(b *testing.B) {
	h := crowd(crowdSize)
	b.ReportAllocs()
	for b.Loop() {
		if err := histories.Write(io.Discard, h); err != nil {
			b.Fatal(err)
		}
	}
}
