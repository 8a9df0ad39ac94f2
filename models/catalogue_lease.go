package models

// The properties of leases.
const (
	LeaseAttached    = "lease/attached"
	LeaseNotEarly    = "lease/not-early"
	LeaseExpires     = "lease/expires"
	LeaseRevoked     = "lease/revoked"
	LeaseKnown       = "lease/known"
	LeaseOneRevision = "lease/one-revision"
	LeaseDistinct    = "lease/distinct"
)

var leaseNeeds = []string{"leases"}

const leaseSource = "etcd documentation, lease API"

var leaseProperties = []Property{
	{
		ID: LeaseAttached, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "A key belongs to the lease of its last write, and to none if that write had none.",
		Rules:     []string{"ETCD-08", "ETCD-19"}, Source: "etcd API reference, PutRequest.lease",
	},
	{
		ID: LeaseNotEarly, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "A key of a lease does not vanish before the lease's time to live has passed since it was granted or last renewed.",
		Rules:     []string{"ETCD-19", "WR-27"}, Source: leaseSource,
	},
	{
		ID: LeaseExpires, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "A lease that nobody renews ends, with its keys, within the run's deadline.",
		Rules:     []string{"ETCD-19", "WR-27"}, Source: leaseSource,
	},
	{
		ID: LeaseRevoked, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "When a lease has been revoked its keys are gone.",
		Rules:     []string{"ETCD-19"}, Source: "etcd API reference, LeaseRevokeRequest",
	},
	{
		ID: LeaseKnown, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "A call that names a lease finds it exactly while it is granted and neither revoked nor expired.",
		Rules:     []string{"ETCD-19"}, Source: leaseSource,
	},
	{
		ID: LeaseOneRevision, Strength: Impl, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "The keys of a lease that ends are deleted at one revision.",
		Rules:     []string{"RV-06", "ETCD-19"}, Source: "etcd, lease revocation is one transaction",
	},
	{
		ID: LeaseDistinct, Strength: Must, Layers: etcdOnly, Needs: leaseNeeds,
		Statement: "A lease is granted under the id that was asked for, else under one that no living lease has.",
		Rules:     []string{"ETCD-19"}, Source: "etcd API reference, LeaseGrantRequest.ID",
	},
}
