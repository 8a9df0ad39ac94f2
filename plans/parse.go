package plans

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Parse reads the text form of a plan. The name, usually a file's, is for error
// messages: each is an *Error and prints as one line
// "name:line: what was wrong; expected …".
//
// Extra spaces, tabs, blank lines, Windows line ends and comments are tolerated;
// comments at the end of a line are dropped. Two plans whose texts differ only in
// these are equal.
func Parse(text, name string) (Plan, error) {
	p, err := parse(text)
	if err != nil {
		err.Name = name
		return Plan{}, err
	}
	return p.plan, nil
}

// Validate reports whether the plan is one that a text can express: Parse of its
// Format is the same plan. The error names the step by its line there.
func (p Plan) Validate() error {
	parsed, err := Parse(Format(p), "plan")
	if err != nil {
		return err
	}
	return p.differs(parsed)
}

func parse(text string) (*parser, *Error) {
	text = strings.TrimPrefix(text, "\ufeff")
	p := &parser{lanes: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(strings.TrimRight(line, " \t\r")); err != nil {
			err.Line = i + 1
			return nil, err
		}
		for len(p.lines) < len(p.plan.Steps) {
			p.lines = append(p.lines, i+1)
		}
	}
	if !p.headed {
		err := complain(headerForm, "the text is empty")
		err.Line = 1
		return nil, err
	}
	return p, p.resolve()
}

// parser holds what is known of the plan so far.
type parser struct {
	plan   Plan
	headed bool
	lanes  map[string]int // endpoint by lane
	lines  []int          // line by step
}

func (p *parser) line(text string) *Error {
	trimmed := strings.TrimLeft(text, " \t")
	switch {
	case trimmed == "":
		return nil
	case !p.headed:
		p.headed = true
		return p.header(trimmed)
	case trimmed[0] == '#':
		p.comment(trimmed[1:])
		return nil
	case strings.HasPrefix(trimmed, "--"):
		p.plan.Steps = append(p.plan.Steps, Step{Barrier: true})
		return nil
	}
	tokens, err := scan(trimmed)
	if err != nil {
		return err
	}
	return p.step(&cursor{tokens: tokens, layer: p.plan.Layer})
}

func (p *parser) comment(text string) {
	text = strings.TrimPrefix(text, " ")
	if text != "" {
		p.plan.Steps = append(p.plan.Steps, Step{Comment: text})
	}
}

const headerForm = `a header such as "# rvcheck plan v1 · layer etcd · seed 42"`

// header reads the first line.
func (p *parser) header(text string) *Error {
	words := strings.FieldsFunc(strings.TrimPrefix(text, "#"), isHeaderSeparator)
	if text[0] != '#' || len(words) < 3 || words[0] != "rvcheck" || words[1] != "plan" {
		return complain(headerForm, "the header is missing, %q stands in its place", text)
	}
	if words[2] != "v1" {
		return complain("v1", "the header says that the plan has version %q", words[2])
	}
	for rest := words[3:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) == 1 {
			return complain(headerForm, "the header says %q without a value", rest[0])
		}
		if err := p.headerField(rest[0], rest[1]); err != nil {
			return err
		}
	}
	if p.plan.Layer == "" {
		return complain("layer etcd, layer storage or layer kube", "the header does not name the layer")
	}
	return nil
}

func isHeaderSeparator(r rune) bool { return strings.ContainsRune(" \t·;,|-", r) }

func (p *parser) headerField(name, value string) *Error {
	switch name {
	case "layer":
		p.plan.Layer = histories.Layer(value)
		if !slices.Contains(layers, p.plan.Layer) {
			return complain("layer etcd, layer storage or layer kube", "the header names the unknown layer %q", value)
		}
	case "seed":
		seed, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return complain("a decimal number of at most 64 bits", "the header has the seed %q", value)
		}
		p.plan.Seed = seed
	default:
		return complain("layer and seed", "the header has the unknown field %q", name)
	}
	return nil
}

var layers = []histories.Layer{histories.EtcdLayer, histories.StorageLayer, histories.KubeLayer}

// step reads a line that is an operation, a fault or an expectation.
func (p *parser) step(c *cursor) (err *Error) {
	var step Step
	switch {
	case c.accept("!"):
		step.Fault, err = c.fault()
	case c.acceptWord("expect"):
		step.Expect = &Expect{}
		step.Expect.Property, err = c.string("the id of a property, such as watch/no-gap")
	default:
		step.Op, err = p.op(c)
	}
	if err == nil && !c.done() {
		err = complain("the end of the line", "%s", c.here())
	}
	p.plan.Steps = append(p.plan.Steps, step)
	return err
}

// fault reads "kill member=1", the exclamation mark being read.
func (c *cursor) fault() (*Fault, *Error) {
	action, err := c.name("the name of a fault, such as kill")
	if err != nil {
		return nil, err
	}
	fault := &Fault{Action: action}
	for !c.done() {
		name, err := c.name("an argument such as member=1")
		if err != nil {
			return nil, err
		}
		if err := c.mark("=", "and the value of "+clip(name)); err != nil {
			return nil, err
		}
		value, err := c.string("the value of " + clip(name))
		if err != nil {
			return nil, err
		}
		fault.Args = append(fault.Args, Arg{Name: name, Value: value})
	}
	return fault, nil
}

// op reads "c2@2 w1: watch all progress".
func (p *parser) op(c *cursor) (*Op, *Error) {
	lane, err := c.name("a lane such as c1 or c2@2, --, ! or expect")
	if err != nil {
		return nil, err
	}
	op := &Op{Lane: lane}
	if op.Endpoint, err = p.endpoint(c, lane); err != nil {
		return nil, err
	}
	if colon := c.at(1); colon.kind == mark && colon.text == ":" {
		if op.Label, err = c.name("a label such as a1:"); err != nil {
			return nil, err
		}
		c.pos++
	}
	return op, c.body(op, false)
}

// endpoint reads the "@2" of a lane. A lane keeps its endpoint; lines that do
// not name one mean the endpoint of the lane's first line, which is 1 by default.
func (p *parser) endpoint(c *cursor, lane string) (int, *Error) {
	bound, known := p.lanes[lane]
	if !known {
		bound = 1
	}
	if c.accept("@") {
		n, err := c.number("the number of an endpoint, from 1", 1, 1<<16)
		if err != nil {
			return 0, err
		}
		if known && int(n) != bound {
			return 0, complain("one endpoint a lane", "lane %s is on endpoint %d here and on %d above", lane, n, bound)
		}
		bound = int(n)
	}
	p.lanes[lane] = bound
	return bound, nil
}
