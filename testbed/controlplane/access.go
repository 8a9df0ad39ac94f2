package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// contextName names an apiserver, in kubeconfigs and logs.
func contextName(server int) string { return "apiserver-" + strconv.Itoa(server+1) }

// ClientCertificate writes the kubeconfig of a user, who has the rights that a manifest
// grants to the name or to one of the groups, and returns its path.
func (c *ControlPlane) ClientCertificate(user string, groups ...string) (string, error) {
	pair, err := c.authority.forUser(user, groups)
	if err != nil {
		return "", err
	}
	return c.writeKubeconfig(user, "default", map[string]any{
		"client-certificate-data": pair.certificatePEM, "client-key-data": pair.keyPEM,
	})
}

// tokenSeconds is how long a ServiceAccount's token is good for.
const tokenSeconds = 24 * 60 * 60

// ServiceAccount writes the kubeconfig of a ServiceAccount, which has to be there, and
// returns its path.
func (c *ControlPlane) ServiceAccount(ctx context.Context, namespace, name string) (string, error) {
	request, err := json.Marshal(map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"spec": map[string]any{"expirationSeconds": tokenSeconds},
	})
	if err != nil {
		return "", err
	}
	var answer struct{ Status struct{ Token string } }
	path := fmt.Sprintf("%s/api/v1/namespaces/%s/serviceaccounts/%s/token", c.Servers[0], namespace, name)
	if err := c.admin.do(ctx, http.MethodPost, path, "application/json", request, &answer); err != nil {
		return "", err
	}
	return c.writeKubeconfig(namespace+"-"+name, namespace, map[string]any{"token": answer.Status.Token})
}

// Target is the URL that names the apiservers to the checker, as the user of a
// kubeconfig. Of several each is named, since it matters which one answers.
func (c *ControlPlane) Target(kubeconfig string) string {
	target := "kube://?kubeconfig=" + url.QueryEscape(kubeconfig)
	if len(c.Servers) > 1 {
		for _, server := range c.Servers {
			target += "&server=" + url.QueryEscape(server)
		}
	}
	return target
}

// writeKubeconfig lets a user reach every apiserver.
func (c *ControlPlane) writeKubeconfig(user, namespace string, credentials map[string]any) (string, error) {
	type named map[string]any
	var clusters, contexts []named
	for i, server := range c.Servers {
		name := contextName(i)
		cluster := map[string]any{"server": server, "certificate-authority-data": c.authority.certificatePEM}
		clusters = append(clusters, named{"name": name, "cluster": cluster})
		contexts = append(contexts, named{"name": name, "context": map[string]any{"cluster": name, "user": user, "namespace": namespace}})
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": contextName(0),
		"clusters": clusters, "contexts": contexts, "users": []named{{"name": user, "user": credentials}},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Folder, strings.ReplaceAll(user, ":", "-")+".kubeconfig")
	return file, os.WriteFile(file, text, 0o600)
}
