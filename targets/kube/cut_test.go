package kube

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// cutter stands before a server and cuts one answer in so many off, with its connection.
type cutter struct {
	net.Listener
	server  string
	every   int64
	answers atomic.Int64
	cut     atomic.Int64
}

func newCutter(t *testing.T, server string, every int64) *cutter {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: listener, server: server, every: every}
	t.Cleanup(func() {
		_ = c.Close()
		t.Logf("%d of %d answers were cut off", c.cut.Load(), c.answers.Load())
		if c.cut.Load() == 0 {
			t.Error("no answer was cut off")
		}
	})
	go func() {
		for {
			client, err := c.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	return c
}

func (c *cutter) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", c.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	answer := make([]byte, 1<<16)
	for {
		n, err := server.Read(answer)
		if err != nil {
			return
		}
		if c.answers.Add(1)%c.every == 0 {
			c.cut.Add(1)
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}

// TestCutConnections: what a run makes and removes does not suffer from connections that are
// cut, whether the server has done by then what it was asked or not.
func TestCutConnections(t *testing.T) {
	direct := openOn(t, "")
	server, err := url.Parse(direct.endpoints[0].String())
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []int64{7, 10} {
		t.Run(fmt.Sprintf("one in %d", every), func(t *testing.T) {
			c := newCutter(t, server.Host, every)
			run := openOn(t, "&server="+url.QueryEscape("https://"+c.Addr().String()))
			space, client := openClient(t, run)
			for _, name := range []string{"x", "y"} {
				held := &histories.KubeOptions{Finalizers: []string{"f"}}
				if _, err := client.Do(t.Context(), histories.Request{Kind: histories.Create, Key: key("a", name), Write: "w1", Kube: held}); err != nil {
					t.Error(err)
				}
			}
			_ = client.Close()
			if err := space.Remove(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
