package etcd_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// closedPort is an endpoint where nobody listens.
func closedPort(t *testing.T) string {
	listener := listen(t)
	_ = listener.Close()
	return listener.Addr().String()
}

// blackHole accepts connections and never answers.
func blackHole(t *testing.T) string { return listen(t).Addr().String() }

// otherServer speaks gRPC but none of etcd's API.
func otherServer(t *testing.T) string {
	server, listener := grpc.NewServer(), listen(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func httpServer(t *testing.T) string {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// tlsFront is the shared server behind TLS, with the file of its certificate.
func tlsFront(t *testing.T) (endpoint, cacert string) {
	certificate, file := selfSigned(t)
	listener := tls.NewListener(listen(t), &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12,
	})
	go func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(socket)
		}
	}()
	return listener.Addr().String(), file
}

func forward(socket net.Conn) {
	defer func() { _ = socket.Close() }()
	server, err := net.Dial("tcp", shared.Endpoint())
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, socket); _ = server.Close() }()
	_, _ = io.Copy(socket, server)
}

func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, file
}

// wantSetupError opens a URL that must fail within its deadline, in one clear line.
func wantSetupError(t *testing.T, url, part string) {
	t.Helper()
	config, err := etcd.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	config.DialTimeout = time.Second
	start := time.Now()
	target, err := etcd.Open(t.Context(), config)
	took := time.Since(start)
	var setup *targets.SetupError
	switch {
	case !errors.As(err, &setup) || target != nil:
		t.Fatalf("%s: %v, %v, want a SetupError", url, target, err)
	case took > 2*config.DialTimeout:
		t.Errorf("%s: took %v", url, took)
	case strings.Contains(err.Error(), "\n"), strings.Contains(err.Error(), "hush"),
		!strings.HasPrefix(err.Error(), setup.Where+": expected an etcd v3 server"), !strings.Contains(err.Error(), part):
		t.Errorf("%s: %q, want one line that names the endpoint, contains %q and no password", url, err, part)
	}
	t.Logf("%v: %v", took.Round(time.Millisecond), err)
}

func TestOpenOfBadEndpoints(t *testing.T) {
	t.Parallel()
	front, cacert := tlsFront(t)
	for name, test := range map[string]struct{ url, part string }{
		"closed port":       {"etcd://" + closedPort(t), "connection refused"},
		"black hole":        {"etcd://" + blackHole(t), "no answer within 1s"},
		"black hole by TLS": {"etcd://" + blackHole(t) + "?tls=true", "no answer within 1s"},
		"HTTP":              {"etcd://" + httpServer(t), "does not speak gRPC"},
		"HTTP by TLS":       {"etcd://" + httpServer(t) + "?tls=true", "does not speak TLS"},
		"another gRPC":      {"etcd://" + otherServer(t), "does not offer etcd's API"},
		"no such host":      {"etcd://no-such-host.invalid:2379", "no-such-host.invalid"},
		"TLS to plain":      {"etcd://" + shared.Endpoint() + "?tls=true", "does not speak TLS"},
		"plain to TLS":      {"etcd://" + front, "tls=true"},
		"unknown authority": {"etcd://" + front + "?tls=true", "cacert=FILE"},
		"wrong name": {
			"etcd://" + strings.Replace(front, "127.0.0.1", "localhost", 1) + "?cacert=" + cacert, "certificate",
		},
		"one of two":      {"etcd://" + shared.Endpoint() + "," + closedPort(t), "connection refused"},
		"login not asked": {"etcd://me:hush@" + shared.Endpoint(), "authentication is not enabled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantSetupError(t, test.url, test.part)
		})
	}
}

func TestOpenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := etcd.Open(ctx, etcd.Config{Endpoints: []string{blackHole(t)}})
	var setup *targets.SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
}

func TestOpenWithoutEndpoints(t *testing.T) {
	_, err := etcd.Open(t.Context(), etcd.Config{})
	var usage *targets.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("got %v, want a UsageError", err)
	}
}

func TestTLS(t *testing.T) {
	front, cacert := tlsFront(t)
	for _, parameters := range []string{"cacert=" + cacert, "insecure-skip-verify=true"} {
		config, err := etcd.ParseURL("etcd://" + front + "?" + parameters)
		if err != nil {
			t.Fatal(err)
		}
		client := openClient(t, openSpace(t, open(t, config), "0001"))
		if got := do(t, client, create("a", "w1")); got.Outcome != histories.OK {
			t.Errorf("%s: %+v", parameters, got)
		}
	}
}

func TestDescribe(t *testing.T) {
	config, err := etcd.ParseURL("etcd://" + shared.Endpoint() + "?prefix=/x")
	if err != nil {
		t.Fatal(err)
	}
	got := open(t, config).Describe()
	if got.URL != "etcd://"+shared.Endpoint()+"?prefix=/x" || got.Layer != histories.EtcdLayer ||
		!strings.HasPrefix(got.Server, "3.") || !strings.HasPrefix(got.Profile, "etcd-3.") ||
		got.World != histories.Closed || got.Endpoints != 1 || got.Exclusive {
		t.Errorf("got %+v", got)
	}
	if got.Unsupported[targets.Compaction] == "" || got.Unsupported[targets.Writes] != "" {
		t.Errorf("unsupported: %v", got.Unsupported)
	}
}

func TestOpenOfAWrongEndpointNumber(t *testing.T) {
	space := openSpace(t, open(t, sharedConfig()), "0001")
	for _, endpoint := range []int{0, 2, -1} {
		_, err := space.Open(t.Context(), endpoint)
		var usage *targets.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("endpoint %d: %v", endpoint, err)
		}
	}
}

// enableAuth makes the server ask for the login of root.
func enableAuth(t *testing.T, endpoint string) {
	t.Helper()
	auth := pb.NewAuthClient(rawConnection(t, endpoint))
	_, err1 := auth.UserAdd(t.Context(), &pb.AuthUserAddRequest{Name: "root", Password: "hush"})
	_, err2 := auth.RoleAdd(t.Context(), &pb.AuthRoleAddRequest{Name: "root"})
	_, err3 := auth.UserGrantRole(t.Context(), &pb.AuthUserGrantRoleRequest{User: "root", Role: "root"})
	_, err4 := auth.AuthEnable(t.Context(), &pb.AuthEnableRequest{})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
}

func TestLogin(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	enableAuth(t, server.Endpoint())
	wantSetupError(t, "etcd://"+server.Endpoint(), "it wants a login")
	wantSetupError(t, "etcd://root:hush-not@"+server.Endpoint(), "authentication failed")
	config, err := etcd.ParseURL("etcd://root:hush@" + server.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	target := open(t, config)
	if text := target.Describe().URL; strings.Contains(text, "hush") || strings.Contains(text, "root") {
		t.Errorf("the URL shows who logs in: %s", text)
	}
	client := openClient(t, openSpace(t, target, "0001"))
	s, _, _ := watch(t, t.Context(), client, histories.Request{})
	if got := do(t, client, create("a", "w1")); got.Outcome != histories.OK {
		t.Errorf("got %+v", got)
	}
	s.await(t, "the event", func() bool { return len(s.events()) == 1 })
}
