package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// object is what a document of a manifest must tell of itself.
type object struct {
	APIVersion string
	Kind       string
	Metadata   struct{ Name, Namespace string }
}

// Apply applies every document of a manifest, in its order, as kubectl apply
// --server-side does. It does not wait until rights that it grants are known to every
// apiserver.
func (c *ControlPlane) Apply(ctx context.Context, manifest []byte) error {
	for document := range strings.SplitSeq("\n"+string(manifest), "\n---") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			return fmt.Errorf("reading the manifest: %w", err)
		}
		if o == (object{}) {
			continue // comments at most
		}
		if o.APIVersion == "" || o.Kind == "" || o.Metadata.Name == "" {
			return fmt.Errorf("expected an apiVersion, a kind and a name in each document of the manifest:\n%s", document)
		}
		if err := c.apply(ctx, o, document); err != nil {
			return fmt.Errorf("applying %s %s: %w", o.Kind, o.Metadata.Name, err)
		}
	}
	return nil
}

func (c *ControlPlane) apply(ctx context.Context, o object, document string) error {
	path, err := c.resource(ctx, o)
	if err != nil {
		return err
	}
	url := c.Servers[0] + path + "/" + o.Metadata.Name + "?fieldManager=testbed&force=true"
	return c.admin.do(ctx, http.MethodPatch, url, "application/apply-patch+yaml", []byte(document), nil)
}

// resource asks where objects of a kind are.
func (c *ControlPlane) resource(ctx context.Context, o object) (string, error) {
	path := "/apis/" + o.APIVersion
	if !strings.Contains(o.APIVersion, "/") {
		path = "/api/" + o.APIVersion
	}
	type resource struct {
		Name, Kind string
		Namespaced bool
	}
	var group struct{ Resources []resource }
	if err := c.admin.get(ctx, c.Servers[0], path, &group); err != nil {
		return "", err
	}
	at := slices.IndexFunc(group.Resources, func(r resource) bool { return r.Kind == o.Kind && !strings.Contains(r.Name, "/") })
	if at < 0 {
		return "", fmt.Errorf("%s has no such kind", o.APIVersion)
	}
	if group.Resources[at].Namespaced {
		path += "/namespaces/" + cmp.Or(o.Metadata.Namespace, "default")
	}
	return path + "/" + group.Resources[at].Name, nil
}
