package timeline

// attested are the sources whose revision both an observer and the answer of the
// write tell, who cannot have made it up together: an answer without an effect, whose
// header is all that it says, does not refute them.
func (j *judge) attested(teachers []lesson) map[source]bool {
	found := map[source]bool{}
	for _, l := range teachers {
		p, c, ok := j.changeOf(l.source)
		if i, there := j.at[p]; ok && there && p.revision == l.revision {
			e := &j.effects[i]
			found[l.source] = e.content == c && e.acked && e.seen > 0
		}
	}
	return found
}

// changed says which operations have effects.
func (j *judge) changed(students []demand) []bool {
	list := make([]bool, len(students))
	for i, d := range students {
		_, list[i] = j.effectOfWrite(d.op)
	}
	return list
}

// changeOf returns the effect that a source tells of as its own, false if it is a read,
// a notification or an operation with several.
func (j *judge) changeOf(s source) (place, content, bool) {
	if s.event > 0 {
		return j.told(&j.streamOf(s.op).events[s.event-1])
	}
	op := j.history.Operation(s.op)
	if !isSimple(op) {
		return place{}, content{}, false
	}
	return j.acknowledged(deed{op: op, request: &op.Request, answer: &op.Answer})
}
