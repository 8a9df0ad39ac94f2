package generators

// mix is what one plan consists of: how often each kind of operation, each option
// and each scene comes.
type mix struct {
	// has are the groups that the plan has.
	has map[group]bool
	// kinds are weights; zero leaves a kind out.
	kinds map[noiseKind]int
	// options are chances in a hundred.
	options map[optionName]int
	// scenes are weights by index of the layer's scenes.
	scenes []int
	// sceneShare is how many of a hundred parts of the plan are scenes, and barrier
	// how often a barrier follows a part.
	sceneShare int
	barrier    int
	// patient: the plan waits until a lease expires, which takes seconds.
	patient bool
}

// drawMix draws the mix of one plan.
func drawMix(d dice, cfg Config) mix {
	m := mix{has: drawGroups(d, cfg), kinds: map[noiseKind]int{}, options: map[optionName]int{}, barrier: 15}
	words := vocabularyOf(cfg.Layer)
	if words.patient {
		m.patient = expiry.weight(cfg) > 0 && d.chance(cfg.Patience)
		m.has[leases] = m.has[leases] || m.patient
	}
	for _, k := range words.kinds {
		if m.has[k.group] && cfg.can(k.needs...) {
			m.kinds[k.kind] = k.weight
		}
	}
	for _, o := range words.options {
		if m.has[o.group] && cfg.can(o.needs...) {
			m.options[o.name] = o.chance
		}
	}
	for _, s := range words.scenes {
		if m.has[s.group] {
			m.scenes = append(m.scenes, s.weight(cfg))
		} else {
			m.scenes = append(m.scenes, 0)
		}
	}
	if cfg.Scenes {
		m.sceneShare = 50
	}
	if cfg.Swarm {
		m.swarm(d, words)
	}
	return m
}

// drawGroups draws what the plan has of what the target offers: everything
// without swarm, but bulk, which costs too much to be in every plan.
func drawGroups(d dice, cfg Config) map[group]bool {
	has := map[group]bool{everyPlan: true}
	for _, g := range vocabularyOf(cfg.Layer).groups {
		always := !cfg.Swarm && g.name != bulk
		has[g.name] = cfg.can(g.needs...) && (always || d.chance(g.share))
	}
	return has
}

// swarm leaves out a part of the mix and weighs the rest anew.
func (m *mix) swarm(d dice, words vocabulary) {
	whole := m.kinds
	m.kinds = map[noiseKind]int{}
	for _, k := range words.kinds {
		if whole[k.kind] > 0 && d.chance(75) {
			m.kinds[k.kind] = whole[k.kind] * pick(d, 1, 2, 4, 8) / 2
		}
	}
	if !m.writes(words) {
		for _, k := range words.kinds {
			if k.write {
				m.kinds[k.kind] = whole[k.kind]
			}
		}
	}
	for _, o := range words.options {
		m.options[o.name] = min(90, m.options[o.name]*pick(d, 0, 0, 1, 1, 2)*pick(d, 1, 1, 2))
	}
	for i, weight := range m.scenes {
		m.scenes[i] = weight * pick(d, 0, 1, 1, 3)
	}
	if m.sceneShare > 0 {
		m.sceneShare = pick(d, 20, 50, 70, 85)
	}
	m.barrier = pick(d, 0, 10, 20, 50)
}

func (m *mix) writes(words vocabulary) bool {
	for _, k := range words.kinds {
		if k.write && m.kinds[k.kind] > 0 {
			return true
		}
	}
	return false
}
