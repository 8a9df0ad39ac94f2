package models

// The properties of what a client's library makes of the store's answers: informers, whose
// stores follow the objects and whose handlers are told, and pagers.
const (
	InformerStates   = "informer/states"
	InformerOrder    = "informer/order"
	InformerHandlers = "informer/handlers"
	InformerInitial  = "informer/initial"
	InformerTold     = "informer/told"
	InformerComplete = "informer/complete"
	PagerSnapshot    = "pager/snapshot"
)

const (
	inInformers = "k8s.io/client-go, tools/cache, SharedInformer"
	inHandler   = "k8s.io/client-go, tools/cache, ResourceEventHandler"
)

var informerNeeds = []string{"informers"}

var informerProperties = []Property{
	{
		ID: InformerStates, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "What an informer tells of an object are states that it had.",
		Rules:     []string{"INF-01"}, Source: inInformers,
	},
	{
		ID: InformerOrder, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "An informer tells of each object in order: nothing older than what it told before, and no change twice.",
		Rules:     []string{"INF-01", "INF-04"}, Source: inInformers,
	},
	{
		ID: InformerHandlers, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "Of each object a handler is told that it was added, then of updates from what it was told before, then once that it is gone.",
		Rules:     []string{"INF-05"}, Source: inHandler,
	},
	{
		ID: InformerInitial, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "What an informer tells as its first list is one state of the store, and a handler that is synced was told all of it.",
		Rules:     []string{"INF-09"}, Source: "k8s.io/client-go, tools/cache, ResourceEventHandlerRegistration",
	},
	{
		ID: InformerTold, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "A handler comes to be told of everything that its informer's store holds, and that what it holds no more is gone.",
		Rules:     []string{"INF-02", "INF-05"}, Source: inInformers,
	},
	{
		ID: InformerComplete, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "When writes stop, an informer's store comes to hold the last state: every object, and no other.",
		Rules:     []string{"INF-02", "EXP-11"}, Source: inInformers,
	},
	{
		ID: PagerSnapshot, Strength: Must, Layers: kubeOnly, Needs: informerNeeds,
		Statement: "What a pager puts together is the state at its resource version.",
		Rules:     []string{"INF-14"}, Source: "k8s.io/client-go, tools/pager",
	},
}
