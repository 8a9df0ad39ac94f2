package plans

// targets are what a transaction can compare, with the references that can
// stand on the other side.
var targets = []struct {
	name string
	refs []RefKind
}{
	{"mod", revisionRefs},
	{"create", revisionRefs},
	{"version", nil},
	{"value", []RefKind{Written}},
	{"lease", []RefKind{Granted}},
}

const txnForm = "if mod(key)=rv(label) …, then or else"

// maxDepth is how many transactions can be around an operation: one transaction may
// stand inside another.
const maxDepth = 2

// txn reads a transaction. One inside another stands in parentheses.
func (c *cursor) txn() (*Txn, *Error) {
	nested := c.depth > 0
	if nested {
		if err := c.mark("(", "around a transaction inside another"); err != nil {
			return nil, err
		}
	}
	c.depth++
	txn, err := c.parts()
	c.depth--
	switch {
	case err != nil:
		return nil, err
	case nested:
		return txn, c.mark(")", "after a transaction inside another")
	case !c.done():
		return nil, complain(txnForm, "%s", c.here())
	}
	return txn, nil
}

// parts reads "if mod(a)=rv(x) then put a; delete b else get a". Each of the three
// parts may be missing.
func (c *cursor) parts() (txn *Txn, err *Error) {
	txn = &Txn{}
	if c.acceptWord("if") {
		if txn.Compares, err = c.compares(); err != nil {
			return nil, err
		}
	}
	if c.acceptWord("then") {
		if txn.Then, err = c.branch(); err != nil {
			return nil, err
		}
	}
	if c.acceptWord("else") {
		if txn.Else, err = c.branch(); err != nil {
			return nil, err
		}
	}
	return txn, nil
}

// compares reads the conditions up to "then", "else" or a parenthesis.
func (c *cursor) compares() ([]Compare, *Error) {
	var compares []Compare
	for !c.done() {
		if t := c.peek(); t.kind == word && (t.text == "then" || t.text == "else") || t.kind == mark && t.text == ")" {
			break
		}
		compare, err := c.compare()
		if err != nil {
			return nil, err
		}
		compares = append(compares, compare)
	}
	return compares, nil
}

// compare reads "mod(a)=rv(x)".
func (c *cursor) compare() (Compare, *Error) {
	i, err := c.target()
	if err != nil {
		return Compare{}, err
	}
	compare := Compare{Target: targets[i].name}
	if err := c.mark("(", "and a key"); err != nil {
		return Compare{}, err
	}
	if compare.Key, err = c.key(); err != nil {
		return Compare{}, err
	}
	if err := c.mark(")", "after the key"); err != nil {
		return Compare{}, err
	}
	if compare.Op, err = c.comparison(); err != nil {
		return Compare{}, err
	}
	compare.Value, err = c.ref(targets[i].refs...)
	return compare, err
}

// target takes what is compared, as an index of targets.
func (c *cursor) target() (int, *Error) {
	for i := range targets {
		if c.acceptWord(targets[i].name) {
			return i, nil
		}
	}
	return 0, complain("mod(key), create(key), version(key), value(key) or lease(key)", "%s", c.here())
}

func (c *cursor) comparison() (string, *Error) {
	for _, op := range []string{"=", "<", ">"} {
		if c.accept(op) {
			return op, nil
		}
	}
	if c.accept("!") && c.accept("=") {
		return "!=", nil
	}
	return "", complain("=, !=, < or >", "%s", c.here())
}

// branch reads operations up to "else" or the end of the line.
func (c *cursor) branch() ([]Op, *Error) {
	var ops []Op
	for !c.done() && !c.endsNested() {
		var op Op
		if err := c.body(&op, true); err != nil {
			return nil, err
		}
		ops = append(ops, op)
		if !c.accept(";") {
			break
		}
	}
	return ops, nil
}
