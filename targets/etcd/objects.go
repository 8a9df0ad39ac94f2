package etcd

import (
	"crypto/sha256"
	"encoding/hex"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/rvcheck/rvcheck/histories"
)

// object is what a key-value pair shows. Nothing is corrected: what the server
// told is what the judges see.
func (k keyspace) object(kv *mvccpb.KeyValue) histories.Object {
	object := k.bareObject(kv)
	setValue(&object, kv.GetValue())
	return object
}

// valueless is the object of a delete event, or of a range that asked for keys only.
// It has no value; if the server told one nevertheless, it is shown.
func (k keyspace) valueless(kv *mvccpb.KeyValue) histories.Object {
	object := k.bareObject(kv)
	if len(kv.GetValue()) > 0 {
		setValue(&object, kv.GetValue())
	}
	return object
}

func (k keyspace) bareObject(kv *mvccpb.KeyValue) histories.Object {
	return histories.Object{
		Key:            k.relative(kv.GetKey()),
		RV:             histories.Revision(kv.GetModRevision()),
		CreateRevision: histories.Revision(kv.GetCreateRevision()),
		Version:        kv.GetVersion(),
		Lease:          kv.GetLease(),
	}
}

// dropVersions takes the versions off objects of a store that counts none.
func (t *target) dropVersions(objects []histories.Object) {
	for i := range objects {
		t.dropVersion(&objects[i])
	}
}

func (t *target) dropVersion(object *histories.Object) {
	if t.uncounted && object.Version == 0 {
		object.Version = histories.NoVersion
	}
}

func setValue(object *histories.Object, value []byte) {
	object.Size = len(value)
	write, labels, ok := histories.DecodeValue(value)
	if !ok {
		object.Foreign = digest(value)
		return
	}
	object.Write, object.Labels = write, labels
}

// digest stands for a value that may be somebody's secret.
func digest(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}

func (k keyspace) objects(kvs []*mvccpb.KeyValue) []histories.Object {
	return each(kvs, k.object)
}

func (k keyspace) bareObjects(kvs []*mvccpb.KeyValue) []histories.Object {
	return each(kvs, k.valueless)
}

func each(kvs []*mvccpb.KeyValue, show func(*mvccpb.KeyValue) histories.Object) []histories.Object {
	if len(kvs) == 0 {
		return nil
	}
	objects := make([]histories.Object, len(kvs))
	for i, kv := range kvs {
		objects[i] = show(kv)
	}
	return objects
}
