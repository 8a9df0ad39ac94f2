package drawing

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Finding is a violation as a drawing shows it.
type Finding struct {
	Property    string          `json:"property"`
	Strength    models.Strength `json:"strength"`
	Statement   string          `json:"statement"`
	Allowed     string          `json:"allowed"`
	Observed    string          `json:"observed"`
	Explanation string          `json:"explanation"`
	// Operations are the ids of the operations that show it.
	Operations []int              `json:"operations"`
	Revision   histories.Revision `json:"revision,omitempty"`
	// Alike counts the findings of the same property in the history, this one included.
	Alike int `json:"alike"`
	// Picture is the name of a file beside the page that shows the finding in another
	// way, empty if there is none.
	Picture string `json:"picture,omitempty"`
	// focus is the finding itself.
	focus models.Finding
}

// Findings are those of a judgement, one a property: the one that involves the fewest
// operations, as a report has it. They keep the order in which the judges found them.
func Findings(found []models.Finding) []Finding {
	var shown []Finding
	for i := range found {
		at := slices.IndexFunc(shown, func(f Finding) bool { return f.Property == found[i].Property })
		if at < 0 {
			shown = append(shown, describe(found[i], 1))
			continue
		}
		alike := shown[at].Alike + 1
		if len(found[i].Operations) < len(shown[at].Operations) {
			shown[at] = describe(found[i], alike)
		}
		shown[at].Alike = alike
	}
	return shown
}

func describe(f models.Finding, alike int) Finding {
	property, _ := models.Lookup(f.Property)
	return Finding{
		Property: f.Property, Strength: property.Strength, Statement: Plain(property.Statement),
		Allowed: Plain(f.Allowed), Observed: Plain(f.Observed), Explanation: Plain(f.Explanation),
		Operations: f.Operations, Revision: f.Revision, Alike: alike, focus: f,
	}
}
