package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// informer is a SharedIndexInformer of client-go over all objects of the run's type, of
// which what belongs to the plan is shown. Nothing of its own is shared with others but the
// connections to the server.
type informer struct {
	dialect *dialect
	shared  cache.SharedIndexInformer

	// mu keeps calls of the sink apart, and guards stopped.
	mu      sync.Mutex
	sink    targets.Sink
	stopped bool
}

// Inform starts an informer.
func (c *client) Inform(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Informer, error) {
	objects, err := c.library()
	if err != nil {
		return histories.Answer{}, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ctx = klog.NewContext(ctx, logr.Discard())
	unhook := context.AfterFunc(c.life, cancel)
	i := &informer{dialect: &c.space.dialect, sink: sink}
	i.shared = cache.NewSharedIndexInformer(i.source(objects, r.Options().SendInitialEvents), &unstructured.Unstructured{}, 0, cache.Indexers{})
	synced, err := i.listen()
	if err != nil {
		unhook()
		cancel()
		return histories.Answer{}, nil, err
	}
	context.AfterFunc(ctx, i.stop)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		i.shared.RunWithContext(ctx)
	}()
	c.watches.Go(func() { i.announce(ctx, synced) })
	c.watches.Go(func() {
		defer cancel()
		defer unhook()
		<-ctx.Done()
		await(ended)
	})
	return histories.Answer{Outcome: histories.OK}, i, nil
}

// lingering is how long an informer is awaited that was cancelled: one that waits until
// it may try again notices late.
const lingering = time.Second

func await(ended <-chan struct{}) {
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// library is client-go's access to the objects of the run's type.
func (c *client) library() (dynamic.NamespaceableResourceInterface, error) {
	config := *c.rest
	config.QPS = -1 // no rate limit
	config.WarningHandlerWithContext, config.WarningHandler = nil, noWarnings{}
	access, err := dynamic.NewForConfig(&config)
	if err != nil {
		return nil, err
	}
	return access.Resource(c.space.dialect.kind.resource()), nil
}

// noWarnings keeps what servers warn of from the terminal.
type noWarnings struct{}

func (noWarnings) HandleWarningHeader(int, string, string) {}

// source is where an informer has its objects from. One that is classic begins with a
// list, whatever the library prefers.
type source struct {
	*cache.ListWatch
	classic bool
}

// IsWatchListSemanticsUnSupported is what the library asks before it begins with a watch
// that sends the state.
func (s source) IsWatchListSemanticsUnSupported() bool { return s.classic }

func (i *informer) source(objects dynamic.NamespaceableResourceInterface, initialEvents *bool) cache.ListerWatcher {
	list := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		found, err := objects.List(ctx, options)
		if err != nil {
			i.failed(err)
			return nil, err
		}
		return found, nil
	}
	open := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		stream, err := objects.Watch(ctx, options)
		if err != nil {
			i.failed(err)
			return nil, err
		}
		return watch.Filter(stream, i.pass), nil
	}
	return source{
		ListWatch: &cache.ListWatch{ListWithContextFunc: list, WatchFuncWithContext: open},
		classic:   initialEvents == nil || !*initialEvents,
	}
}

// pass takes note of an error that a watch delivers.
func (i *informer) pass(event watch.Event) (watch.Event, bool) {
	if event.Type == watch.Error {
		i.failed(apierrors.FromObject(event.Object))
	}
	return event, true
}

// listen makes the run the informer's handler.
func (i *informer) listen() (cache.DoneChecker, error) {
	handler := cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) {
			var kube *histories.KubeEvent
			if initial {
				kube = &histories.KubeEvent{Initial: true}
			}
			i.tell(histories.AddedEvent, nil, o, kube)
		},
		UpdateFunc: func(before, now any) { i.tell(histories.ModifiedEvent, before, now, nil) },
		DeleteFunc: func(o any) {
			if missed, unknown := o.(cache.DeletedFinalStateUnknown); unknown {
				i.tell(histories.DeleteEvent, nil, missed.Obj, &histories.KubeEvent{FinalStateUnknown: true})
				return
			}
			i.tell(histories.DeleteEvent, nil, o, nil)
		},
	}
	quiet := logr.Discard()
	registration, err := i.shared.AddEventHandlerWithOptions(handler, cache.HandlerOptions{Logger: &quiet})
	if err != nil {
		return nil, err
	}
	silent := func(context.Context, *cache.Reflector, error) {}
	return registration.HasSyncedChecker(), i.shared.SetWatchErrorHandlerWithContext(silent)
}

// announce says when the handler was told of all of the first list.
func (i *informer) announce(ctx context.Context, synced cache.DoneChecker) {
	select {
	case <-synced.Done():
		i.deliver(histories.Event{Type: histories.SyncedEvent, Last: true})
	case <-ctx.Done():
	}
}

// tell hands on a call of the handler, if it is about the plan.
func (i *informer) tell(kind histories.EventType, before, now any, kube *histories.KubeEvent) {
	object, inside, err := i.show(now)
	if err != nil {
		i.failed(err)
		return
	}
	if !inside {
		return
	}
	event := histories.Event{Type: kind, Last: true, Object: object, Kube: kube}
	if before != nil {
		if prev, _, err := i.show(before); err == nil {
			event.Prev = &prev
		}
	}
	i.deliver(event)
}

var errNoObject = errors.New("the library shows what is no object")

// show is what the library holds of an object, and whether that belongs to the plan.
func (i *informer) show(o any) (histories.Object, bool, error) {
	held, ok := o.(*unstructured.Unstructured)
	if !ok {
		return histories.Object{}, false, errNoObject
	}
	return i.dialect.show(held.Object, false)
}

func (i *informer) failed(err error) {
	i.deliver(histories.Event{Type: histories.ErrorEvent, Last: true, Kube: &histories.KubeEvent{Error: failureOf(err)}})
}

func (i *informer) deliver(event histories.Event) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.stopped {
		i.sink.Batch([]histories.Event{event})
	}
}

func (i *informer) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	i.sink.End(histories.End{Reason: histories.EndCancelled})
}

// Stored is what the informer's store holds of the plan.
func (i *informer) Stored() ([]histories.Object, histories.Revision) {
	var objects []histories.Object
	for _, held := range i.shared.GetStore().List() {
		if object, inside, err := i.show(held); err == nil && inside {
			objects = append(objects, object)
		}
	}
	slices.SortFunc(objects, func(a, b histories.Object) int {
		return cmp.Or(cmp.Compare(a.Key.Namespace, b.Key.Namespace), cmp.Compare(a.Key.Name, b.Key.Name))
	})
	reached, _ := revision(i.shared.LastSyncResourceVersion())
	return objects, reached
}

// failureOf is what an error of the library says.
func failureOf(err error) *histories.Error {
	var refusal apierrors.APIStatus
	if !errors.As(err, &refusal) {
		failure, _ := classifyLost(err)
		return failure
	}
	var s failureStatus
	text, err := json.Marshal(refusal.Status())
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		panic("targets/kube: fault of this program: a Status cannot be read again: " + err.Error())
	}
	return s.failure()
}
