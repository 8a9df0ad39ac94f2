package models

// getRules are about reads of one object.
var getRules = []Rule{
	{"GET-01", atEtcd, Must, "A get without a revision is linearizable.", inVersions, ""},
	{"GET-02", atEtcd, Must, "A serializable get shows the key as it was at some revision that the store had by then; that may be an old one.", inVersions, ""},
	{"GET-03", atStorage, Must, "A get with a resource version shows the key at that one or a later one.", inVersions, ""},
	{"GET-04", atKube, Impl, "A get ignores resourceVersionMatch.", inVersions, ownDetail},
	{"GET-05", atKube, Should, "A get is never refused as expired.", inVersions, ""},
	{"GET-06", atEtcd, Must, "A get at a revision that does not exist yet is refused, not answered from an older one.", inConcepts + ", unavailable resource versions", ""},
	{"GET-07", atStorage, Must, "A get that ignores absence returns the empty object where the key is absent.", inInterface + ", Get", higherLayer},
	{"GET-08", atKube, May, "Gets that may be old may go back in time from server to server.", "KEP-2340", ""},
	{"GET-09", atStorage, May, "A get may be answered around a cache that is not ready.", "KEP-4568", ""},
}

// listRules are about reads of many objects.
var listRules = []Rule{
	{"LIST-01", atEtcd, Must, "A list is exactly the state of its scope at its revision.", inVersions, ""},
	{"LIST-02", atEtcd, Must, "A list without a revision is not older than anything acknowledged before it was sent.", "KEP-2340", ""},
	{"LIST-03", atEtcd, Must, "A serializable list is the state of its scope at some revision that the store had by then; that may be an old one.", inVersions, ""},
	{"LIST-04", atStorage, Must, "A list with a resource version is at that one or a later one.", inVersions, ""},
	{"LIST-05", atEtcd, Must, "A list at exactly a revision is the state then, or is refused, and it may be any revision of the store.", inVersions, ""},
	{"LIST-06", atStorage, Must, "A list with a limit and a resource version, and no match, is at exactly that one.", inVersions, ""},
	{"LIST-07", atStorage, Must, "The first page of a list that is not older than a resource version pins the pages that follow.", inVersions, ""},
	{"LIST-08", atKube, May, "A server may ignore the limit of a list that may be old.", inCacher, ""},
	{"LIST-09", atEtcd, Must, "A list has each object once, in its latest state up to the list's revision.", inVersions, ""},
	{"LIST-10", atKube, Should, "The items of an empty list are an empty array.", inEtcdStore, ""},
	{"LIST-11", atEtcd, Impl, "A list is in the byte order of the storage keys.", "KEP-365", ""},
	{"LIST-12", atKube, May, "A list of one name with a limit and a resource version may be newer than that one.", inRegistry, ""},
	{"LIST-13", atEtcd, Must, "A list of a prefix has no object from outside it, however alike its key.", inInterface, ""},
	{"LIST-14", atKube, Must, "A selector keeps exactly the objects that match at the list's revision.", inConcepts + ", field selectors", ""},
	{"LIST-15", atEtcd, Must, "A watch from a list's revision on loses nothing and repeats nothing of what the list shows.", inDetection, ""},
	{"LIST-16", atKube, Impl, "A limit of zero or less is no limit.", inHandlers, ownDetail},
	{"LIST-17", atStorage, Impl, "A cache asks for progress until it has caught up with the store, then answers a consistent list.", "KEP-2340", higherLayer},
	{"LIST-18", atStorage, Must, "A list from a snapshot of the cache is what the store would have answered.", "KEP-4988", ""},
	{"LIST-19", atKube, May, "A server may refuse requests while its cache is not ready.", "KEP-4568", ""},
	{"LIST-20", atKube, Should, "An object that cannot be decoded fails a list and is not left out silently.", inEtcdStore, needsFaults},
	{"LIST-21", atKube, Should, "Tables, partial metadata and other encodings have the same resource versions.", inConcepts + ", alternate representations", ""},
	{"LIST-22", atStorage, May, "A list with a selector and a limit may be refused as expired though it names no resource version.", inEtcdStore, ""},
}

// pageRules are about lists that are read page by page.
var pageRules = []Rule{
	{"PAGE-01", atEtcd, Must, "The pages of one chain are one snapshot, at the revision of the first.", inChunks, ""},
	{"PAGE-02", atEtcd, Must, "A page that has one after it has at most as many objects as its limit.", "KEP-365", ""},
	{"PAGE-03", atEtcd, Must, "A page that has none after it is complete.", "KEP-365", ""},
	{"PAGE-04", atKube, May, "A page may be short or empty and still have one after it.", "KEP-365", ""},
	{"PAGE-05", atKube, Must, "A token is valid on every server of the cluster until it expires.", "KEP-365", ""},
	{"PAGE-06", atEtcd, Should, "A page that is read again is the same page.", "KEP-365", ""},
	{"PAGE-07", atEtcd, Should, "The limit may change from page to page, and without one all the rest comes.", inChunks, ""},
	{"PAGE-08", atKube, May, "A token with another scope or selector than its list's may be refused or followed, within the new scope.", inChunks, ""},
	{"PAGE-09", atKube, Must, "A token together with a resource version or a match is refused.", inVersions, ""},
	{"PAGE-10", atEtcd, Must, "A page whose revision was compacted is refused as that.", inChunks, ""},
	{"PAGE-11", atStorage, Must, "A token that is garbage is refused and never leaves the scope of its list.", "k8s.io/apiserver, storage, continue", ""},
	{"PAGE-12", atKube, Must, "The number of remaining items is absent on the last page and with selectors.", "Kubernetes API reference, ListMeta", ""},
	{"PAGE-13", atEtcd, Must, "Writes between pages neither hide nor repeat an object.", inChunks, ""},
	{"PAGE-14", atEtcd, May, "A chain may end at any page because its revision was compacted.", inChunks, ""},
	{"PAGE-15", atEtcd, Impl, "A page continues at the first key after the last one returned.", "KEP-365", ""},
}

// expiryRules are about revisions that the store has given up.
var expiryRules = []Rule{
	{"EXP-01", atEtcd, Must, "Only reads at a revision, pages and watches are refused as expired.", inGone, ""},
	{"EXP-02", atEtcd, Should, "A revision is refused as expired only if the store may have given it up.", inGone, ""},
	{"EXP-03", atEtcd, Must, "A request at a revision that is gone is refused or answered rightly, never with newer or partial data.", inGone, ""},
	{"EXP-04", atEtcd, Impl, "What was refused as compacted stays so, and so does everything below it.", inMaintenance, ""},
	{"EXP-05", atEtcd, Must, "A read at the compaction's own revision, and a watch from it, are legal.", inMaintenance, ""},
	{"EXP-06", atKube, Must, "Expiry has the status code 410 and the reason Expired or Gone.", inGone, ""},
	{"EXP-07", atKube, Impl, "The message of a 410 says what had expired.", inEtcdStore, ownDetail},
	{"EXP-08", atStorage, May, "A compaction that overtakes an open watch may end it by an internal error.", inEtcdStore, ""},
	{"EXP-09", atKube, Must, "A cache drops the snapshots that a compaction by the API server has passed.", "KEP-4988", needsServer},
	{"EXP-10", atKube, Should, "By default a resource version stays readable for five minutes.", inGone, needsServer},
	{"EXP-11", atKube, Must, "A client that was told of expiry lists again and converges.", inGone, ""},
}
