package kube

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// undoTimeout bounds the removal after a preparation that failed.
	undoTimeout = 30 * time.Second
	// namespaceTimeout bounds how long namespaces may take to go.
	namespaceTimeout = 40 * time.Second
	// controllerTime is what a controller of namespaces has before it is asked whether
	// there is one.
	controllerTime = 3 * time.Second
)

// empty deletes the objects of a run in a namespace, takes away the finalizers that would
// keep them, and waits until none is left. Of a type that others use as well it deletes only
// what a run has written.
func (a *admin) empty(ctx context.Context, t *objectType, namespace string) error {
	err := poll(ctx, func() (bool, error) {
		all, err := a.find(ctx, t.path(namespace), "")
		switch {
		case isCode(err, http.StatusForbidden):
			return true, nil // who may not list them has made none
		case t.own && isCode(err, http.StatusNotFound):
			return true, nil // the type was never made, or not served yet
		case err != nil:
			return false, err
		}
		left := slices.DeleteFunc(all, func(object found) bool { return !t.ofRun(&object) })
		for _, object := range left {
			if err := a.remove(ctx, t, &object); err != nil {
				return false, err
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return leftError(t.name()+" in "+namespace, err)
	}
	return nil
}

// ofRun reports whether a run has made the object.
func (t *objectType) ofRun(object *found) bool {
	if t.own {
		return true
	}
	if !strings.HasPrefix(object.Name, t.prefix) {
		return false
	}
	text, _ := at(object.body, t.value...).(string)
	_, _, written := t.unwire(text)
	return written || slices.ContainsFunc(object.Finalizers, func(name string) bool { return strings.HasPrefix(name, finalizerPrefix) })
}

// remove deletes one object that a run has made, whatever keeps it.
func (a *admin) remove(ctx context.Context, t *objectType, object *found) error {
	path := t.objectPath(object.Namespace, object.Name)
	if len(object.Finalizers) > 0 {
		body := tree{"metadata": tree{"finalizers": nil, "uid": object.UID}}
		_, err := a.do(ctx, call{method: http.MethodPatch, path: path, contentType: mergeType, body: encoded(body)})
		if ifThere(err) != nil {
			return err
		}
	}
	if object.DeletionTimestamp != "" {
		return nil
	}
	return a.delete(ctx, path, object.UID)
}

// removeRun removes what a run has made: the objects of the types in its namespaces, its own
// type, and the namespaces.
func (a *admin) removeRun(ctx context.Context, run string, types []*objectType) error {
	namespaces, err := a.find(ctx, namespacesPath, runLabel+"="+run)
	if err != nil && !isCode(err, http.StatusNotFound) {
		return leftError("the namespaces of the run "+run, err)
	}
	var failures []error
	for _, t := range types {
		for _, namespace := range namespaces {
			failures = append(failures, a.empty(ctx, t, namespace.Name))
		}
		switch {
		case t.own:
			failures = append(failures, a.empty(ctx, t, ""), a.removeType(ctx, t))
		case t.prefix != "":
			failures = append(failures, a.empty(ctx, t, ""))
		}
	}
	return errors.Join(append(failures, a.removeNamespaces(ctx, namespaces))...)
}

// removeType deletes a run's own type and waits until it is gone.
func (a *admin) removeType(ctx context.Context, t *objectType) error {
	path := typesPath + "/" + t.name()
	if err := a.delete(ctx, path, ""); err != nil {
		return leftError("the type "+t.name(), err)
	}
	return a.gone(ctx, path, "the type "+t.name())
}

// gone waits until an object is not there any more.
func (a *admin) gone(ctx context.Context, path, what string) error {
	err := poll(ctx, func() (bool, error) {
		_, err := a.do(ctx, call{method: http.MethodGet, path: path})
		return isCode(err, http.StatusNotFound), ifThere(err)
	})
	if err != nil {
		return leftError(what, err)
	}
	return nil
}

// removeNamespaces deletes namespaces that a run has made, and waits until they are gone.
// One whose deletion has begun is no error, however long the cluster takes for it.
func (a *admin) removeNamespaces(ctx context.Context, namespaces []found) error {
	ctx, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	var failures []error
	for _, namespace := range namespaces {
		if err := a.delete(ctx, namespacesPath+"/"+namespace.Name, namespace.UID); err != nil {
			failures = append(failures, leftError("the namespace "+namespace.Name, err))
		}
	}
	soon, cancel := context.WithTimeout(ctx, controllerTime)
	defer cancel()
	for _, namespace := range namespaces {
		path := namespacesPath + "/" + namespace.Name
		if a.gone(soon, path, namespace.Name) == nil || errors.Join(failures...) != nil {
			continue
		}
		if err := a.finalize(ctx, path, namespace.Name); err != nil {
			failures = append(failures, leftError("the namespace "+namespace.Name, err))
		}
		_ = a.gone(ctx, path, namespace.Name) // in time, or later
	}
	return errors.Join(failures...)
}

// finalize does what a controller of namespaces does, where there is none: a namespace
// without a service account is one that no controller has ever seen, so nothing of
// anybody is in it.
func (a *admin) finalize(ctx context.Context, path, name string) error {
	accounts, err := a.find(ctx, path+"/serviceaccounts", "")
	if err != nil || len(accounts) > 0 {
		return nil // the controller takes its time, or nobody may look
	}
	body := tree{"apiVersion": "v1", "kind": "Namespace", "metadata": tree{"name": name}, "spec": tree{"finalizers": []string{}}}
	_, err = a.do(ctx, call{method: http.MethodPut, path: path + "/finalize", body: encoded(body)})
	if isCode(err, http.StatusForbidden) {
		return nil
	}
	return ifThere(err)
}
