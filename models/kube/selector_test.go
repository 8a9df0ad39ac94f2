package kube

import (
	"errors"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

func TestSelector(t *testing.T) {
	with := histories.Object{Key: histories.Key{Namespace: "a", Name: "x"}, Labels: map[string]string{"x": "1", "y": ""}}
	for _, test := range []struct {
		labels, fields string
		want           bool
	}{
		{"", "", true},
		{"x=1", "", true},
		{"x==1", "", true},
		{"x = 1", "", true},
		{"x=2", "", false},
		{"z=", "", false},
		{"y=", "", true},
		{"x!=1", "", false},
		{"x!=2", "", true},
		{"z!=2", "", true},
		{"x in (1,2)", "", true},
		{"x in (2, 3)", "", false},
		{"z in (1)", "", false},
		{"x notin (1,2)", "", false},
		{"x notin (2)", "", true},
		{"z notin (2)", "", true},
		{"x", "", true},
		{"z", "", false},
		{"!x", "", false},
		{"!z", "", true},
		{"x=1,!z", "", true},
		{"x in (1,2),z", "", false},
		{"", "metadata.name=x", true},
		{"", "metadata.name==y", false},
		{"", "metadata.name!=y", true},
		{"", "metadata.namespace=a", true},
		{"", "metadata.namespace!=a", false},
		{"x=1", "metadata.name=x,metadata.namespace=a", true},
	} {
		s, err := ParseSelector(test.labels, test.fields)
		if err != nil {
			t.Errorf("%q, %q: %v", test.labels, test.fields, err)
			continue
		}
		if got := s.Matches(&with); got != test.want {
			t.Errorf("%q, %q: expected %v", test.labels, test.fields, test.want)
		}
	}
}

func TestSelectorsThatAreNone(t *testing.T) {
	for _, labels := range []string{"x=1,", "=1", "x like (1)", "x in 1", "-x", "x=a b", "x=(1)", "!"} {
		if _, err := ParseSelector(labels, ""); err == nil {
			t.Errorf("%q: expected an error", labels)
		}
	}
	var unknown *UnknownFieldError
	if _, err := ParseSelector("", "spec.x=1"); !errors.As(err, &unknown) || unknown.Field != "spec.x" {
		t.Errorf("expected an unknown field, not %v", err)
	}
	if _, err := ParseSelector("", "metadata.name"); err == nil || errors.As(err, &unknown) {
		t.Errorf("expected a mistake of form, not %v", err)
	}
}

func TestSelectorsOfOneName(t *testing.T) {
	for fields, want := range map[string]string{"": "", "metadata.name=x": "x", "metadata.name!=x": "", "metadata.namespace=a": ""} {
		s, err := ParseSelector("", fields)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Name(); got != want || ok != (want != "") {
			t.Errorf("%q: expected %q, not %q", fields, want, got)
		}
	}
}

func TestExample(t *testing.T) {
	for _, test := range []struct {
		scope          histories.Scope
		labels, fields string
		want           bool
	}{
		{histories.Scope{}, "", "", true},
		{histories.Scope{}, "x=1,y", "", true},
		{histories.Scope{}, "x,x in (2,3)", "", true},
		{histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: "b"}}, "y!=,x", "", true},
		{histories.Scope{}, "!x,z notin (1)", "metadata.namespace=b,metadata.name!=x", true},
		{histories.Scope{}, "x=1,x=2", "", false},
		{histories.Scope{}, "x,!x", "", false},
		{histories.Scope{}, "", "metadata.name=x", false},
		{histories.Scope{}, "-x", "", false},
		{histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: "b"}}, "", "metadata.namespace=a", false},
	} {
		watch := histories.Request{
			Kind: histories.Watch, Scope: test.scope,
			Kube: &histories.KubeOptions{LabelSelector: test.labels, FieldSelector: test.fields},
		}
		if o, ok := Example(&watch, histories.Key{Namespace: "a", Name: "mark"}); ok != test.want {
			t.Errorf("%+v, %q, %q: got %+v, %v", test.scope, test.labels, test.fields, o, ok)
		}
	}
}
