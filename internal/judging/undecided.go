package judging

import "github.com/rvcheck/rvcheck/models"

// The properties that an unfinished judge leaves undecided. The porcupine judge
// knows no streams: what watches delivered was decided before it is asked.
var (
	everything           = ids(func(models.Property) bool { return true })
	everythingButStreams = ids(func(p models.Property) bool {
		return p.Group() != "watch" && p.Group() != "progress" && p.Group() != "bookmark" &&
			p.ID != models.ExpiryCompactRevision && p.ID != models.ExpiryWatchTold
	})
)

func ids(wanted func(models.Property) bool) []string {
	var found []string
	for _, p := range models.Catalogue() {
		if wanted(p) {
			found = append(found, p.ID)
		}
	}
	return found
}
