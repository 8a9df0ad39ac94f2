package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// page lists a namespace, or what is in none, with client-go's pager, which puts the pages
// together and lists all at once where a token has expired.
func (c *client) page(ctx context.Context, r *histories.Request) (histories.Answer, error) {
	if r.Scope.Shape != c.space.dialect.names.home().Shape {
		return histories.Answer{}, unsupported(targets.Informers, "the pager lists one namespace")
	}
	if err := c.space.dialect.check(r); err != nil {
		return histories.Answer{}, err
	}
	objects, err := c.library()
	if err != nil {
		return histories.Answer{}, err
	}
	within := objects.Namespace(c.space.dialect.names.real(r.Scope.Key.Namespace))
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return within.List(ctx, options)
	})
	pages.PageSize = r.Limit
	found, _, err := pages.List(ctx, metav1.ListOptions{})
	if err != nil {
		return histories.Answer{Outcome: histories.Fail, Error: failureOf(err)}, nil
	}
	return c.space.dialect.paged(found)
}

// paged is the list that a pager returns.
func (d *dialect) paged(found runtime.Object) (histories.Answer, error) {
	answer := histories.Answer{Outcome: histories.OK}
	list, err := meta.ListAccessor(found)
	if err != nil {
		return histories.Answer{}, err
	}
	answer.Revision, _ = revision(list.GetResourceVersion())
	err = meta.EachListItem(found, func(item runtime.Object) error {
		held, ok := item.(*unstructured.Unstructured)
		if !ok {
			return errNoObject
		}
		object, inside, err := d.show(held.Object, false)
		if err == nil && inside {
			answer.Objects = append(answer.Objects, object)
		}
		return err
	})
	return answer, err
}
