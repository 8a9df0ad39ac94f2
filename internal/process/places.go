package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
)

// Dir is the place of a temporary folder. Port is that of a free port of the loopback
// interface; {port2} to {port9} are others.
const (
	Dir  = "{dir}"
	Port = "{port}"
)

var place = regexp.MustCompile(`\{(dir|port[2-9]?)\}`)

// HasPlace reports whether a text names something to be filled in.
func HasPlace(text string) bool { return place.MatchString(text) }

// Places are what stands for {port}, {port2} to {port9} and {dir}: the same in every
// text of one run.
type Places struct {
	values map[string]string
	// Folder is what {dir} stands for, empty where no text names it.
	Folder string
}

// NewPlaces chooses what the places in the texts stand for. The ports were free a
// moment ago; nobody can promise more.
func NewPlaces(texts ...string) (*Places, error) {
	p := &Places{values: map[string]string{}}
	var listeners []net.Listener
	var err error
	for _, name := range place.FindAllString(strings.Join(texts, "\n"), -1) {
		if _, chosen := p.values[name]; chosen || err != nil {
			continue
		}
		if name == Dir {
			err = p.makeFolder()
			continue
		}
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
			// Held until all are chosen, so that they differ.
			listeners = append(listeners, l)
			p.values[name] = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		}
	}
	for _, l := range listeners {
		err = errors.Join(err, l.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("choosing ports and a folder for the server: %w", err), p.Remove())
	}
	return p, nil
}

func (p *Places) makeFolder() (err error) {
	p.Folder, err = os.MkdirTemp("", "rvcheck-server-")
	p.values[Dir] = p.Folder
	return err
}

// Fill replaces the places in a text. Other braces stay as they are.
func (p *Places) Fill(text string) string {
	return place.ReplaceAllStringFunc(text, func(name string) string {
		if value, chosen := p.values[name]; chosen {
			return value
		}
		return name
	})
}

// FillAll fills in several texts.
func (p *Places) FillAll(texts []string) []string {
	filled := make([]string, len(texts))
	for i, text := range texts {
		filled[i] = p.Fill(text)
	}
	return filled
}

// Remove removes the folder with all that is in it. A process that is just ending may
// still write there.
func (p *Places) Remove() (err error) {
	for range 10 {
		if p.Folder == "" {
			return nil
		}
		if err = os.RemoveAll(p.Folder); err == nil {
			return nil
		}
	}
	return err
}
