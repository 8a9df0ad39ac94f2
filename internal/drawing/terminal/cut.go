package terminal

// around keeps the rows near those that belong to the finding: of the calls that
// began before and after each of them, the next n. What lies between is one row that
// says how much was left out. Without a marked row everything stays.
func around(all []moment, finding, n int) []moment {
	keep := make([]bool, len(all))
	found := false
	for i := range all {
		if all[i].marked(finding) {
			found = true
			from, to := window(all, i, n)
			for j := from; j <= to; j++ {
				keep[j] = true
			}
		}
	}
	if !found {
		return all
	}
	return gaps(all, keep)
}

// window are the rows around row i within which n calls began on either side.
func window(all []moment, i, n int) (from, to int) {
	from, to = i, i
	for calls := 0; from > 0 && calls < n; {
		from--
		if all[from].kind == began {
			calls++
		}
	}
	for calls := 0; n > 0 && to < len(all)-1; to++ {
		if all[to+1].kind == began {
			calls++
		}
		if calls > n {
			break
		}
	}
	return from, to
}

// gaps replaces the rows that are not kept.
func gaps(all []moment, keep []bool) []moment {
	var rows []moment
	for i := range all {
		if keep[i] {
			rows = append(rows, all[i])
			continue
		}
		if last := len(rows) - 1; last < 0 || rows[last].kind != gap {
			rows = append(rows, moment{kind: gap, time: all[i].time, lane: -1})
		}
		if all[i].kind == began {
			rows[len(rows)-1].left++
		}
	}
	return rows
}
