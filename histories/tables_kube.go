package histories

// The tables of what only the Kubernetes layers have.

var kubeTable = table[KubeOptions]{
	fields: []field[KubeOptions]{
		member("resourceVersion", func(v *KubeOptions) *string { return &v.ResourceVersion }, text[string]()),
		member("resourceVersionMatch", func(v *KubeOptions) *string { return &v.ResourceVersionMatch }, text[string]()),
		member("continue", func(v *KubeOptions) *string { return &v.Continue }, text[string]()),
		member("labelSelector", func(v *KubeOptions) *string { return &v.LabelSelector }, text[string]()),
		member("fieldSelector", func(v *KubeOptions) *string { return &v.FieldSelector }, text[string]()),
		member("allowWatchBookmarks", func(v *KubeOptions) *bool { return &v.AllowWatchBookmarks }, boolean),
		member("sendInitialEvents", func(v *KubeOptions) **bool { return &v.SendInitialEvents }, pointer(boolean)),
		member("timeoutSeconds", func(v *KubeOptions) *int64 { return &v.TimeoutSeconds }, integer[int64]()),
		member("dryRun", func(v *KubeOptions) *bool { return &v.DryRun }, boolean),
		member("patch", func(v *KubeOptions) *string { return &v.Patch }, text[string]()),
		member("force", func(v *KubeOptions) *bool { return &v.Force }, boolean),
		member("finalizers", func(v *KubeOptions) *[]string { return &v.Finalizers }, list(text[string]())),
		member("clearFinalizers", func(v *KubeOptions) *bool { return &v.ClearFinalizers }, boolean),
		member("noOp", func(v *KubeOptions) *bool { return &v.NoOp }, boolean),
		member("status", func(v *KubeOptions) *bool { return &v.Status }, boolean),
		member("generateName", func(v *KubeOptions) *bool { return &v.GenerateName }, boolean),
		member("encoding", func(v *KubeOptions) *string { return &v.Encoding }, text[string]()),
		member("slow", func(v *KubeOptions) *bool { return &v.Slow }, boolean),
	},
	extra: func(v *KubeOptions) *Extra { return &v.Extra },
}

var kubeAnswerTable = table[KubeAnswer]{
	fields: []field[KubeAnswer]{
		member("remaining", func(v *KubeAnswer) **int64 { return &v.Remaining }, pointer(integer[int64]())),
		member("uid", func(v *KubeAnswer) *string { return &v.UID }, text[string]()),
		member("rawRV", func(v *KubeAnswer) *string { return &v.RawRV }, text[string]()),
		member("outside", func(v *KubeAnswer) *int64 { return &v.Outside }, integer[int64]()),
		member("form", func(v *KubeAnswer) *[]string { return &v.Form }, list(text[string]())),
	},
	extra: func(v *KubeAnswer) *Extra { return &v.Extra },
}

var kubeMetaTable = table[KubeMeta]{
	fields: []field[KubeMeta]{
		member("finalizers", func(v *KubeMeta) *[]string { return &v.Finalizers }, list(text[string]())),
		member("status", func(v *KubeMeta) *WriteID { return &v.Status }, text[WriteID]()),
		member("rawRV", func(v *KubeMeta) *string { return &v.RawRV }, text[string]()),
	},
	extra: func(v *KubeMeta) *Extra { return &v.Extra },
}

var kubeEventTable = table[KubeEvent]{
	fields: []field[KubeEvent]{
		member("initialEventsEnd", func(v *KubeEvent) *bool { return &v.InitialEventsEnd }, boolean),
		member("error", func(v *KubeEvent) **Error { return &v.Error }, pointer(errorTable.codec())),
		member("form", func(v *KubeEvent) *[]string { return &v.Form }, list(text[string]())),
		member("initial", func(v *KubeEvent) *bool { return &v.Initial }, boolean),
		member("finalStateUnknown", func(v *KubeEvent) *bool { return &v.FinalStateUnknown }, boolean),
	},
	extra: func(v *KubeEvent) *Extra { return &v.Extra },
}
