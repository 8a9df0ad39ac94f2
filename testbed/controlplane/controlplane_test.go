package controlplane

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// needs skips the test where it would have to build what it starts, which takes
// minutes.
func needs(t *testing.T, options Options) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	names := []string{"kube-apiserver"}
	if options.ControllerManager {
		names = append(names, "kube-controller-manager")
	}
	for _, name := range names {
		r, err := release(name, options.Version)
		if err != nil {
			t.Fatal(err)
		}
		if built, err := r.Built(); err != nil || !built {
			t.Skipf("%s is not built (make server NAME=%s); %v", r, r, err)
		}
	}
}

// clientOf is what client-go makes of a kubeconfig, and the server that it names.
func clientOf(t *testing.T, kubeconfig string) (*client, string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	made, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &client{*made}, config.Host
}

// mentions are the processes whose command line contains a text.
func mentions(t *testing.T, text string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		if runtime.GOOS == "linux" {
			t.Fatal("there is no list of processes in /proc")
		}
		t.Skip("there is no list of processes")
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), text) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// gone waits until nothing of a control plane is left.
func gone(t *testing.T, folder string) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for {
		_, err := os.Stat(folder)
		left := mentions(t, folder)
		if os.IsNotExist(err) && len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v, and these processes are left: %q", folder, err, left)
		}
		time.Sleep(often)
	}
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func TestControlPlane(t *testing.T) {
	needs(t, Options{})
	c, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		gone(t, c.Folder)
	})
	admin, server := clientOf(t, c.Kubeconfig)
	var made struct {
		Metadata struct{ ResourceVersion string }
	}
	err = admin.do(t.Context(), http.MethodPost, server+configMaps, "application/json", []byte(`{"metadata": {"name": "a"}}`), &made)
	if err != nil || made.Metadata.ResourceVersion == "" {
		t.Fatalf("got %+v, %v", made, err)
	}
	var version struct{ GitVersion string }
	err = admin.get(t.Context(), server, "/version", &version)
	if want, _ := release("kube-apiserver", ""); err != nil || version.GitVersion != want.Version {
		t.Errorf("got %+v, %v, want %s", version, err, want.Version)
	}
	for name, user := range map[string]func() (string, error){
		"a ServiceAccount":     func() (string, error) { return c.ServiceAccount(t.Context(), "default", "reader") },
		"a client certificate": func() (string, error) { return c.ClientCertificate("rita", "readers") },
	} {
		t.Run(name, func(t *testing.T) { readsAndNoMore(t, c, user) })
	}
}

const manifest = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: default}
---
# Nothing is granted beyond this.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: ServiceAccount, name: reader, namespace: default}
- {kind: Group, name: readers, apiGroup: rbac.authorization.k8s.io}
`

// readsAndNoMore holds a user to what the manifest grants.
func readsAndNoMore(t *testing.T, c *ControlPlane, user func() (string, error)) {
	if err := c.Apply(t.Context(), []byte(manifest)); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := user()
	if err != nil {
		t.Fatal(err)
	}
	reader, server := clientOf(t, kubeconfig)
	end := time.Now().Add(time.Minute) // an apiserver learns of a binding by a watch
	for {
		err = reader.get(t.Context(), server, configMaps+"/a", nil)
		if err == nil || time.Now().After(end) {
			break
		}
		time.Sleep(often)
	}
	if err != nil {
		t.Error(err)
	}
	err = reader.do(t.Context(), http.MethodDelete, server+configMaps+"/a", "", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("a delete: got %v, want 403", err)
	}
}

// TestTwoServersOfThreeMembers starts everything that there can be, without a cache.
func TestTwoServersOfThreeMembers(t *testing.T) {
	options := Options{APIServers: 2, Members: 3, WithoutWatchCache: true, ControllerManager: true}
	needs(t, options)
	c, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		gone(t, c.Folder)
	})
	var seen []string
	for _, server := range c.Servers {
		var space struct{ Metadata struct{ UID string } }
		if err := c.admin.get(t.Context(), server, "/api/v1/namespaces/default", &space); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, space.Metadata.UID)
	}
	if len(c.Etcd) != 3 || len(seen) != 2 || seen[0] != seen[1] {
		t.Errorf("got the members %q and the namespaces %q, want three and the same one twice", c.Etcd, seen)
	}
}

// TestInterrupted ends a start half way.
func TestInterrupted(t *testing.T) {
	needs(t, Options{})
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	c, err := Start(ctx, Options{})
	if err == nil { // a fast machine
		err = c.Stop()
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	left, unread := os.ReadDir(folder)
	if processes := mentions(t, folder); len(left)+len(processes) > 0 || unread != nil {
		t.Errorf("%v left %v and %q (%v)", err, left, processes, unread)
	}
}

// program builds the command.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "controlplane")
	if output, err := exec.Command("go", "build", "-o", file, "../cmd/controlplane").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return file
}

// TestKilled kills the command, which then cannot clean up.
func TestKilled(t *testing.T) {
	needs(t, Options{})
	command := exec.Command(program(t))
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	path := make([]byte, 4096)
	n, err := output.Read(path)
	if kill := command.Process.Kill(); err != nil || kill != nil {
		t.Fatal(err, kill)
	}
	_ = command.Wait() // killed
	folder := filepath.Dir(strings.TrimSpace(string(path[:n])))
	if !strings.Contains(folder, "rvcheck") {
		t.Fatalf("got %q, want the path of a kubeconfig", path[:n])
	}
	gone(t, folder)
}

// TestExitCode runs commands with a control plane.
func TestExitCode(t *testing.T) {
	needs(t, Options{})
	script := `test "$KUBECONFIG" = "$1" && grep -q "$2" "$1" && exit 7`
	err := exec.Command(program(t), "--", "sh", "-c", script, "sh", "{kubeconfig}", "{servers}").Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("got %v, want exit status 7", err)
	}
}
