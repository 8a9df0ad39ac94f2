package waivers

import (
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// kubeOptions are those of the Kubernetes layers, by the names that they have in plans.
var kubeOptions = map[string]func(*histories.KubeOptions) bool{
	"resourceVersion":     func(k *histories.KubeOptions) bool { return k.ResourceVersion != "" },
	"match":               func(k *histories.KubeOptions) bool { return k.ResourceVersionMatch != "" },
	"labelSelector":       func(k *histories.KubeOptions) bool { return k.LabelSelector != "" },
	"fieldSelector":       func(k *histories.KubeOptions) bool { return k.FieldSelector != "" },
	"sendInitialEvents":   func(k *histories.KubeOptions) bool { return k.SendInitialEvents != nil && *k.SendInitialEvents },
	"allowWatchBookmarks": func(k *histories.KubeOptions) bool { return k.AllowWatchBookmarks },
	"timeoutSeconds":      func(k *histories.KubeOptions) bool { return k.TimeoutSeconds != 0 },
	"dryRun":              func(k *histories.KubeOptions) bool { return k.DryRun },
	"force":               func(k *histories.KubeOptions) bool { return k.Force },
	"finalizers":          func(k *histories.KubeOptions) bool { return len(k.Finalizers) > 0 },
	"clearFinalizers":     func(k *histories.KubeOptions) bool { return k.ClearFinalizers },
	"noop":                func(k *histories.KubeOptions) bool { return k.NoOp },
	"status":              func(k *histories.KubeOptions) bool { return k.Status },
	"generateName":        func(k *histories.KubeOptions) bool { return k.GenerateName },
	"slow":                func(k *histories.KubeOptions) bool { return k.Slow },
}

// choice is an option of the Kubernetes layers with a value that a line names, as in
// encoding=metadata.
type choice struct {
	values []string
	of     func(*histories.KubeOptions) string
}

var choices = map[string]choice{
	"encoding": {
		[]string{histories.Protobuf, histories.Table, histories.MetadataOnly},
		func(k *histories.KubeOptions) string { return k.Encoding },
	},
	"type": {
		[]string{histories.MergePatch, histories.JSONPatch, histories.ApplyPatch},
		func(k *histories.KubeOptions) string { return k.Patch },
	},
}

// options are the words that narrow a waiver: the options of a plan's operations,
// by the names that they have there.
var options = allOptions()

func allOptions() map[string]func(*histories.Request) bool {
	options := maps.Clone(etcdOptions)
	for name, has := range kubeOptions {
		options[name] = func(r *histories.Request) bool { return r.Kube != nil && has(r.Kube) }
	}
	for name, c := range choices {
		for _, value := range c.values {
			options[name+"="+value] = func(r *histories.Request) bool { return r.Kube != nil && c.of(r.Kube) == value }
		}
	}
	options["uid"] = func(r *histories.Request) bool { return r.ExpectUID != "" }
	return options
}

// choose adds a choice to what narrows the line.
func (w *Waiver) choose(word word) error {
	values := choices[word.name].values
	if !slices.Contains(values, word.value) {
		return complain("one of "+strings.Join(values, ", "), "%s=%s", word.name, word.value)
	}
	w.Options = append(w.Options, word.String())
	return nil
}
