package controlplane

import (
	"path/filepath"
	"strconv"
	"strings"
)

// apiserverPorts are the places of their ports; the store has those before.
var apiserverPorts = []string{"{port7}", "{port8}", "{port9}"}

// loopback is the only address that anything listens at.
const loopback = "127.0.0.1"

// apiserver is the command line of an apiserver. The kubeconfig is one for itself.
func (o Options) apiserver(binary, folder, kubeconfig, port string, endpoints []string) []string {
	in := func(name string) string { return filepath.Join(folder, name) }
	words := []string{
		binary,
		"--etcd-servers=http://" + strings.Join(endpoints, ",http://"),
		"--watch-cache=" + strconv.FormatBool(!o.WithoutWatchCache),
		"--bind-address=" + loopback, "--secure-port=" + port, "--cert-dir=" + folder,
		"--tls-cert-file=" + in(servingFile), "--tls-private-key-file=" + in(servingKeyFile),
		"--client-ca-file=" + in(caFile),
	}
	if o.ExtensionsOnly {
		words = append(words, extensionsOnly(o.Version, kubeconfig)...)
	} else {
		words = append(words,
			"--advertise-address="+loopback,
			// An endpoint may not be on the loopback interface.
			"--endpoint-reconciler-type=none",
			"--service-cluster-ip-range=10.0.0.0/24",
			"--authorization-mode=RBAC", "--anonymous-auth=false",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file="+in(accountsFile), "--service-account-signing-key-file="+in(accountsKeyFile),
		)
	}
	switch {
	case o.Compaction > 0:
		words = append(words, "--etcd-compaction-interval="+o.Compaction.String())
	case o.Compaction < 0:
		words = append(words, "--etcd-compaction-interval=0")
	}
	return append(words, o.Flags...)
}

// extensionsOnly are the flags of an apiextensions-apiserver that has no kube-apiserver
// to ask: it is given itself in its place, and does without what only that could tell.
func extensionsOnly(version, kubeconfig string) []string {
	fairness, policies := "--enable-priority-and-fairness=false", ",ValidatingAdmissionPolicy,MutatingAdmissionPolicy"
	if strings.HasPrefix(version, "v0.2") { // which have a feature gate in its place, and no policies
		fairness, policies = "--feature-gates=APIPriorityAndFairness=false", ""
	}
	return []string{
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--authentication-skip-lookup",
		fairness,
		"--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook" + policies,
	}
}

// controllerManager is the command line of a controller-manager.
func controllerManager(binary, folder, kubeconfig string) []string {
	in := func(name string) string { return filepath.Join(folder, name) }
	return []string{
		binary, "--kubeconfig=" + kubeconfig,
		"--secure-port=0", // it serves nobody
		"--leader-elect=false",
		"--use-service-account-credentials",
		"--root-ca-file=" + in(caFile),
		"--service-account-private-key-file=" + in(accountsKeyFile),
	}
}
