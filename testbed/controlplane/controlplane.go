package controlplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rvcheck/rvcheck/internal/process"
	"github.com/rvcheck/rvcheck/testbed/servers"
)

// ControlPlane is one that runs.
type ControlPlane struct {
	// Folder holds its files, those of the store among them, and goes with it.
	Folder string
	// Servers are the URLs of the apiservers.
	Servers []string
	// Etcd are the endpoints of the store, as host:port.
	Etcd []string
	// Kubeconfig is the file of an administrator. It has a context for each apiserver,
	// named apiserver-1 and so on; the first is the current one.
	Kubeconfig string

	logs      string
	places    *process.Places
	authority *authority
	admin     *client
	parts     []*part
	ended     chan error
}

// part is a component that runs.
type part struct {
	name string
	*process.Process
}

// Start builds what is not built yet, which takes minutes, starts a control plane, and
// returns when it answers. Nothing is left running after an error.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	options, err := options.plan()
	if err != nil {
		return nil, err
	}
	programs, err := options.install(ctx)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, options, programs)
	for tries := 1; portTaken(err) && tries < 3; tries++ {
		c, err = start(ctx, options, programs)
	}
	return c, err
}

// programs are the binaries of the components.
type programs struct {
	store                        servers.Installed
	apiserver, controllerManager string
}

func (o Options) install(ctx context.Context) (programs, error) {
	if r, err := servers.Find(o.Store); err == nil && r.Command == nil {
		return programs{}, fmt.Errorf("%s: expected a server that speaks etcd's API as the store", o.Store)
	}
	store, err := servers.Install(ctx, o.Store)
	if err != nil {
		return programs{}, err
	}
	all := programs{store: store}
	if all.apiserver, err = build(ctx, o.apiserverName(), o.Version); err != nil || !o.ControllerManager {
		return all, err
	}
	// It may be older than the apiserver by one minor release only, so it is of the same.
	all.controllerManager, err = build(ctx, "kube-controller-manager", o.Version)
	return all, err
}

func build(ctx context.Context, component, version string) (string, error) {
	r, err := release(component, version)
	if err != nil {
		return "", err
	}
	return r.Build(ctx)
}

// start makes one attempt.
func start(ctx context.Context, options Options, programs programs) (*ControlPlane, error) {
	store := programs.store.CommandLine()
	places, err := process.NewPlaces(append(append(store, process.Dir), apiserverPorts[:options.APIServers]...)...)
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{Folder: places.Folder, places: places, logs: options.Logs, ended: make(chan error, 1)}
	err = c.prepare(options, programs.store.URL)
	if err == nil {
		err = c.startStore(ctx, programs.store.Name, places.FillAll(store))
	}
	if err == nil {
		err = c.startServers(ctx, options, programs)
	}
	if err == nil && options.ControllerManager {
		err = c.startControllers(ctx, programs.controllerManager)
	}
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// admin is a user who may do everything, as a member of masters.
const (
	admin   = "admin"
	masters = "system:masters"
)

// prepare chooses addresses and writes the files that components read.
func (c *ControlPlane) prepare(options Options, store string) (err error) {
	address, _, _ := strings.Cut(c.places.Fill(store), "?")
	c.Etcd = strings.Split(strings.TrimPrefix(address, "etcd://"), ",")
	for _, port := range apiserverPorts[:options.APIServers] {
		c.Servers = append(c.Servers, "https://"+loopback+":"+c.places.Fill(port))
	}
	if c.authority, err = newAuthority(); err != nil {
		return err
	}
	if err = c.authority.writeFiles(c.Folder); err != nil {
		return err
	}
	if c.Kubeconfig, err = c.ClientCertificate(admin, masters); err != nil {
		return err
	}
	identity, err := c.authority.forUser(admin, []string{masters})
	if err == nil {
		c.admin, err = c.authority.client(identity)
	}
	return err
}

func (c *ControlPlane) startStore(ctx context.Context, name string, command []string) error {
	p, err := c.run(name, command)
	if err != nil {
		return err
	}
	for _, endpoint := range c.Etcd {
		if err := p.await(ctx, endpoint+" to listen", listens(endpoint)); err != nil {
			return err
		}
	}
	return nil
}

// startServers starts the apiservers at once, and waits for all of them.
func (c *ControlPlane) startServers(ctx context.Context, options Options, programs programs) error {
	var started []*part
	for i := range c.Servers {
		port := c.places.Fill(apiserverPorts[i])
		p, err := c.run(contextName(i), options.apiserver(programs.apiserver, c.Folder, c.Kubeconfig, port, c.Etcd))
		if err != nil {
			return err
		}
		started = append(started, p)
	}
	for i, p := range started {
		if err := p.await(ctx, c.Servers[i]+" to be ready", c.ready(c.Servers[i], options)); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) startControllers(ctx context.Context, binary string) error {
	kubeconfig, err := c.ClientCertificate("system:kube-controller-manager")
	if err != nil {
		return err
	}
	p, err := c.run("kube-controller-manager", controllerManager(binary, c.Folder, kubeconfig))
	if err != nil {
		return err
	}
	return p.await(ctx, "what controllers write into each namespace", c.published())
}

// run starts a component.
func (c *ControlPlane) run(name string, command []string) (*part, error) {
	started, err := process.Start(process.Options{Command: command, Folder: c.Folder})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p := &part{name, started}
	c.parts = append(c.parts, p)
	folder := c.logs
	if folder == "" {
		folder = c.Folder
	}
	go func() {
		<-p.Exited()
		select {
		case c.ended <- p.failure("ended", p.Err()):
		default: // the first is told
		}
	}()
	return p, p.Log().To(filepath.Join(folder, name+".log"))
}

// Ended tells of the first component that ended, by itself or by Stop.
func (c *ControlPlane) Ended() <-chan error { return c.ended }

// Stop ends all components and removes the folder.
func (c *ControlPlane) Stop() error {
	var failed []error
	// Clients before servers, so that none of them is left without an answer. Apiservers
	// take their time.
	for _, group := range c.groups() {
		var wait sync.WaitGroup
		errs := make([]error, len(group))
		for i, p := range group {
			wait.Go(func() { errs[i] = p.Stop(context.Background()) })
		}
		wait.Wait()
		failed = append(failed, errs...)
	}
	return errors.Join(append(failed, c.places.Remove())...)
}

// groups are the components that are stopped together, the store last.
func (c *ControlPlane) groups() [][]*part {
	if len(c.parts) == 0 {
		return nil
	}
	return [][]*part{c.parts[1:], c.parts[:1]}
}
