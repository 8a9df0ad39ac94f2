package models

// Excuses of the rules that exist at the Kubernetes layers alone.
const (
	needsLibrary = "needs to see the requests that a client's library makes"
	needsFaults  = "needs a fault of the store or of its servers"
	needsFields  = "needs more of an object than a history keeps"
	needsServer  = "needs to know how the server is set up"
	needsType    = "which fields a type can be selected by is the type's to know"
	ownDetail    = "a detail of one implementation, whose versions differ in it"
)

// watchListRules are about watches that begin with the state.
var watchListRules = []Rule{
	{"WL-01", atKube, Must, "Initial events show each object of one state once, in its version there, before any change.", inConcepts + ", streaming lists", ""},
	{"WL-02", atKube, Must, "That state is as recent as the resource version of the watch asks for.", "KEP-3157", ""},
	{"WL-03", atKube, Must, "Where bookmarks are allowed one that is marked ends the initial events, with the resource version of their state.", "KEP-3157", ""},
	{"WL-04", atKube, Should, "After the mark no change up to its resource version follows.", inCacher, ""},
	{"WL-05", atKube, Should, "A state from beyond what the server can reach is refused by an error event.", inConcepts + ", unavailable resource versions", ""},
	{"WL-06", atKube, Impl, "A store without progress notifications makes a cache refuse such watches.", "KEP-3157", needsServer},
	{"WL-07", atKube, Should, "A watch that begins with the state is not refused as expired.", inCacher, ""},
	{"WL-08", atKube, Must, "An empty scope has no initial event but the bookmark, with a valid resource version.", "KEP-3157", ""},
	{"WL-09", atStorage, Should, "The mark's resource version is one of the store, maybe above those of all objects.", "k8s.io/apiserver, storage/testing", needsServer},
}

// errorRules are about errors.
var errorRules = []Rule{
	{"ERR-01", atKube, Must, "A request about a name that is missing is answered 404, NotFound.", inConventions + ", status codes", ""},
	{"ERR-02", atKube, Must, "A create of a name that exists is answered 409, AlreadyExists.", inConventions + ", status codes", ""},
	{"ERR-03", atKube, Must, "A precondition that does not hold is answered 409, Conflict.", inConventions + ", status codes", ""},
	{"ERR-04", atKube, Must, "An apply of what another owns is answered 409, Conflict, with the owners.", inConcepts + ", server-side apply", needsFields},
	{"ERR-05", atKube, Must, "What is expired is answered 410, Expired.", inGone, ""},
	{"ERR-06", atKube, Must, "A read not older than what the server cannot reach is answered 504, Timeout, not from older data.", inConcepts + ", unavailable resource versions", ""},
	{"ERR-07", atKube, Should, "So is a read at exactly such a resource version.", inEtcdStore, ""},
	{"ERR-08", atKube, May, "Not in use.", inConventions, ""},
	{"ERR-09", atKube, Should, "A list with a resource version that is no number is answered 400.", inEtcdStore, ""},
	{"ERR-10", atKube, Impl, "A get with a resource version that is no number is answered 400 or 500.", inEtcdStore, ownDetail},
	{"ERR-11", atKube, Impl, "A watch with a resource version that is no number is answered 500.", inEtcdStore, ownDetail},
	{"ERR-12", atKube, Impl, "A resource version that is no number in an update's body is answered 500.", inEtcdStore, ownDetail},
	{"ERR-13", atKube, Impl, "A resource version in a create's body is answered 500.", inEtcdStore, needsFields},
	{"ERR-14", atKube, Must, "Options of a list or a watch that contradict each other are refused.", inVersions, ""},
	{"ERR-15", atKube, Must, "A token together with a resource version is refused.", inVersions, ""},
	{"ERR-16", atKube, Must, "A token that is garbage is answered 400.", "k8s.io/apiserver, storage, continue", "what damage makes of a token may be another valid token"},
	{"ERR-17", atKube, Should, "A selector of an unknown field is answered 400.", inConcepts + ", field selectors", needsType},
	{"ERR-18", atKube, Must, "An update without a resource version is answered 422 where its type wants one.", inConventions + ", concurrency control", "which types want one is the target's to know"},
	{"ERR-19", atKube, Should, "A request to a cache that is not ready is answered 429.", "KEP-4568", needsFaults},
	{"ERR-20", atKube, Should, "A request too many is answered 429.", "Kubernetes documentation, API priority and fairness", needsFaults},
	{"ERR-21", atKube, Must, "After a timeout of the server a write may have taken effect, or may yet.", inHandlers, "it is how a history is read, not what a server can break"},
	{"ERR-22", atKube, Must, "After an error of the store a write may have taken effect, or may yet.", inHandlers, "it is how a history is read, not what a server can break"},
	{"ERR-23", atKube, Should, "A request that could not be completed in time is answered 500, ServerTimeout.", inConventions + ", status codes", needsFaults},
	{"ERR-24", atKube, Impl, "A cache that may not ask the store answers 429 while it lags.", inCacher, needsServer},
}

// informerRules are about what client-go makes of lists and watches.
var informerRules = []Rule{
	{"INF-01", atKube, Must, "What an informer shows of an object are states that it had, in their order.", "k8s.io/client-go, tools/cache", ""},
	{"INF-02", atKube, Must, "When writes stop an informer comes to show the last state.", "k8s.io/client-go, tools/cache", ""},
	{"INF-03", atKube, May, "Informers promise no order between objects or between each other.", "k8s.io/client-go, tools/cache", ""},
	{"INF-04", atKube, Must, "Handlers are called one after the other, and in order for each object.", "k8s.io/client-go, tools/cache", ""},
	{"INF-05", atKube, Must, "Handlers are told additions, updates and one deletion of each object, each from what they were told before.", "k8s.io/client-go, tools/cache", ""},
	{"INF-06", atKube, May, "States in between may be skipped.", "k8s.io/client-go, tools/cache", ""},
	{"INF-07", atKube, May, "A deletion that was missed may be told with an old state.", "k8s.io/client-go, tools/cache", ""},
	{"INF-08", atKube, May, "A resync tells updates that change nothing.", "k8s.io/client-go, tools/cache", ""},
	{"INF-09", atKube, Must, "An informer is synced only when everything of its first list was delivered.", "k8s.io/client-go, tools/cache", ""},
	{"INF-10", atKube, Should, "The resource version of an informer does not go back while its server does not.", "k8s.io/client-go, tools/cache", needsLibrary},
	{"INF-11", atKube, Impl, "A reflector lists, watches with bookmarks and lists again after a 410.", "k8s.io/client-go, tools/cache", needsLibrary},
	{"INF-12", atKube, Must, "A reflector takes its resource version from bookmarks and stores none.", "KEP-956; KEP-1904", needsLibrary},
	{"INF-13", atKube, May, "Reads of several objects of an informer are no snapshot.", "k8s.io/client-go, tools/cache", ""},
	{"INF-14", atKube, Must, "A pager's result is one consistent list, or an error.", "k8s.io/client-go, tools/pager", ""},
	{"INF-15", atKube, Must, "A retrying watcher delivers each event once across its connections.", "k8s.io/client-go, tools/watch", "needs a retrying watcher as an observer of the run"},
	{"INF-16", atKube, Impl, "A client repeats requests that were refused for now.", "k8s.io/client-go, rest", needsLibrary},
	{"INF-17", atKube, Must, "Transforms and selectors change what an informer shows, not these rules.", "k8s.io/client-go, tools/cache", "needs informers with transforms and selectors"},
}
