"use strict";
// The view: the canvases. It draws what is in sight and nothing else.

const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const CHARACTER = 7.3; // at most, in pixels

// hollow is a circle that hides what is below it.
function hollow(c, paper) {
  const edge = c.fillStyle;
  c.fillStyle = paper;
  c.fill();
  c.stroke();
  c.fillStyle = edge;
}

// colors is a function from the names of the style's colours to their values, each of
// which is asked for once: thousands of items have the same few.
function colors() {
  const style = getComputedStyle(document.documentElement), known = new Map();
  return name => {
    if (!known.has(name)) known.set(name, style.getPropertyValue("--" + name).trim());
    return known.get(name);
  };
}

// View draws a layout from a place on its axis at a scale of pixels.
class View {
  constructor(lanes, overview) {
    this.lanes = lanes;
    this.overview = overview;
    this.finding = -1;
    this.left = 0; // the place at the left edge
    this.scale = 1; // pixels for one unit of the axis
    this.selected = this.hovered = null;
    this.pending = false;
  }

  show(layout) {
    this.layout = layout;
    this.selected = this.hovered = null;
    const longest = layout.rows.reduce((max, i) => Math.max(max, layout.sheet.lanes[i].name.length), 3);
    this.gutter = Math.min(160, longest * CHARACTER + 16);
    this.resize();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.lanes.clientWidth;
    this.height = AXIS + LANE * Math.max(1, this.layout.rows.length) + 6;
    this.lanes.style.height = this.height + "px";
    for (const [canvas, height] of [[this.lanes, this.height], [this.overview, 22]]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.redraw();
  }

  get room() { return Math.max(50, this.width - this.gutter - 12); }
  get right() { return this.left + this.room / this.scale; }
  x(at) { return this.gutter + 4 + (at - this.left) * this.scale; }
  at(x) { return this.left + (x - this.gutter - 4) / this.scale; }

  // look shows the axis from one place to another.
  look(from, to) {
    this.scale = this.room / Math.max(to - from, this.layout.axis === "order" ? 8 : 1000);
    this.left = (from + to) / 2 - this.room / this.scale / 2;
    this.clamp();
  }

  all() { this.look(0, this.layout.end); }

  // home shows what the finding is about, all of it where that can be read, else the end.
  home() {
    const marked = this.layout.marked(this.finding);
    const all = this.layout.axis === "order" && this.layout.end <= this.room / 20;
    if (!marked.length || all) return this.all();
    const from = Math.min(...marked.map(i => i.from));
    const to = Math.max(...marked.map(i => Math.min(i.to, this.layout.end)));
    const around = this.layout.axis === "order" ? 6 : Math.max(1e5, (to - from) * 0.1);
    const widest = this.layout.axis === "order" ? this.room / 9 : Infinity;
    if (to - from + 2 * around <= widest) return this.look(from - around, to + around);
    const last = marked[marked.length - 1].from;
    this.look(last - widest * 0.7, last + widest * 0.3);
  }

  zoom(factor, x) {
    const x0 = x === undefined ? this.gutter + this.room / 2 : x, at = this.at(x0);
    const least = this.room / this.layout.end / 1.5, most = this.layout.axis === "order" ? 200 : 0.2;
    this.scale = Math.min(Math.max(this.scale * factor, Math.min(least, most)), most);
    this.left = at - (x0 - this.gutter - 4) / this.scale;
    this.clamp();
  }

  pan(pixels) { this.left += pixels / this.scale; this.clamp(); }

  clamp() {
    const span = this.room / this.scale, slack = span * 0.25;
    this.left = Math.max(-slack, Math.min(this.left, this.layout.end - span + slack));
    if (span > this.layout.end + 2 * slack) this.left = (this.layout.end - span) / 2;
    this.redraw();
  }

  // bring moves the view so that an item is in sight.
  bring(item) {
    const to = Math.min(item.to, item.from + (this.right - this.left) / 2);
    if (item.from < this.left || to > this.right) this.left = item.from - this.room / this.scale * 0.35;
    this.clamp();
  }

  // pick is the item at a point, null if there is none.
  pick(x, y) {
    const row = Math.floor((y - AXIS) / LANE);
    if (row < 0 || row >= this.layout.rows.length || x < this.gutter) return null;
    return this.layout.nearest(row, this.at(x), 7 / this.scale);
  }

  redraw() {
    if (this.pending || !this.layout) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    this.color = colors();
    this.c = this.lanes.getContext("2d");
    this.c.font = FONT;
    this.c.textBaseline = "middle";
    this.c.clearRect(0, 0, this.width, this.height);
    this.stripes();
    this.window();
    this.axes();
    this.c.save();
    this.c.beginPath();
    this.c.rect(this.gutter, 0, this.width - this.gutter, this.height);
    this.c.clip();
    this.layout.rows.forEach((_, row) => this.line(row));
    this.faults();
    this.c.restore();
    this.names();
    this.map();
  }

  stripes() {
    this.c.fillStyle = this.color("stripe");
    for (let row = 0; row < this.layout.rows.length; row += 2) this.c.fillRect(0, AXIS + row * LANE, this.width, LANE);
  }

  // window is what was under way together with the operation in focus.
  window() {
    const item = this.selected || this.hovered;
    if (!item) return;
    const from = Math.max(this.gutter, this.x(item.from)), to = Math.max(from, this.x(item.to));
    this.c.fillStyle = this.color("window");
    this.c.fillRect(from - 1, AXIS, to - from + 2, this.height - AXIS);
  }

  axes() {
    const c = this.c;
    c.strokeStyle = this.color("line");
    c.fillStyle = this.color("faint");
    c.fillText("ms", 6, 11);
    c.fillText("rev", 6, 30);
    let free = this.gutter;
    for (let x = this.gutter + 4; x < this.width - 60; x += 110) this.tick(x, 11, ms(Math.max(0, this.layout.time(this.at(x)))), false);
    const list = this.layout.revisions;
    for (let i = lowest(this.placed(), this.left); i < list.length && list[i].at <= this.right; i++) {
      const x = this.x(list[i].at);
      this.tick(x, 30, x > free ? list[i].revision : "", true);
      if (x > free) free = x + list[i].revision.length * CHARACTER + 8;
    }
  }

  // faults are dashed lines through all lanes.
  faults() {
    const c = this.c;
    c.strokeStyle = c.fillStyle = this.color("mark-edge");
    c.lineWidth = 1;
    c.setLineDash([4, 3]);
    for (const {at, text} of this.layout.faults()) {
      c.beginPath();
      c.moveTo(this.x(at), AXIS - 4);
      c.lineTo(this.x(at), this.height);
      c.stroke();
      c.fillText(text, this.x(at) + 3, this.height - 8);
    }
    c.setLineDash([]);
  }

  // placed are the revisions in the form that lowest searches.
  placed() {
    if (this.layout.ticks === undefined) this.layout.ticks = this.layout.revisions.map(r => ({from: r.at}));
    return this.layout.ticks;
  }

  tick(x, y, text, through) {
    const c = this.c;
    c.beginPath();
    c.moveTo(x, through ? y + 6 : y + 5);
    c.lineTo(x, through && text ? this.height : y + 9);
    c.stroke();
    if (text) c.fillText(text, x + 2, y);
  }

  line(row) {
    const marks = [], open = this.layout.open[row];
    if (open) {
      this.c.fillStyle = this.color("line");
      const from = Math.max(this.x(open.from), 0);
      this.c.fillRect(from, AXIS + row * LANE + LANE / 2 - 1, Math.max(0, Math.min(this.x(open.to), this.width) - from), 2);
    }
    let free = -Infinity; // pixels that are taken by what was drawn
    for (const item of this.layout.within(row, this.left - 2, this.right + 2)) {
      const marked = this.isMarked(item);
      if (marked || item === this.selected || item === this.hovered) { marks.push(item); continue; }
      // Of many that fall on the same pixel one is enough.
      const end = this.x(item.to);
      if (item.call ? end - this.x(item.from) < 1 && end < free : end < free) continue;
      this.item(item, row, false);
      free = end + 1;
    }
    for (const item of marks) this.item(item, row, this.isMarked(item));
  }

  isMarked(item) { return this.finding < 0 ? item.findings.length > 0 : item.findings.includes(this.finding); }

  item(item, row, marked) {
    const y = AXIS + row * LANE;
    if (item.call) this.call(item, y, marked); else this.event(item, y, marked);
  }

  call(item, y, marked) {
    const c = this.c, kind = marked ? "mark" : item.call.outcome in {fail: 1, unknown: 1} ? item.call.outcome : "ok";
    const x = Math.max(this.x(item.from), -10), width = Math.max(3, Math.min(this.x(item.to), this.width + 10) - x);
    c.fillStyle = this.color(kind);
    c.strokeStyle = this.color(item === this.selected ? "focus" : kind + "-edge");
    c.lineWidth = item === this.selected ? 2.5 : marked ? 2 : 1;
    c.fillRect(x, y + 3, width, LANE - 6);
    c.strokeRect(x + 0.5, y + 3.5, width - 1, LANE - 7);
    const left = Math.max(x, this.gutter) + 4, fits = Math.floor((x + width - left - 2) / CHARACTER);
    if (fits < 3) return;
    const text = item.call.operation + " → " + item.call.answer;
    c.fillStyle = this.color("ink");
    c.fillText(text.length > fits ? text.slice(0, fits - 1) + "…" : text, left, y + LANE / 2 + 1);
  }

  event(item, y, marked) {
    const c = this.c, x = this.x(item.from), middle = y + LANE / 2, size = item === this.selected ? 6 : 4.5;
    c.strokeStyle = c.fillStyle = this.color(item === this.selected ? "focus" : marked ? "mark-edge" : "event");
    c.lineWidth = 2;
    c.beginPath();
    if (item.event.kind === "end") {
      c.moveTo(x - 4, middle - 4); c.lineTo(x + 4, middle + 4);
      c.moveTo(x + 4, middle - 4); c.lineTo(x - 4, middle + 4);
      c.stroke();
      return;
    }
    c.arc(x, middle, size, 0, 2 * Math.PI);
    if (item.event.kind === "progress") hollow(c, this.color("paper")); else c.fill();
    if (this.scale * (this.layout.axis === "order" ? 1 : 1e5) > 18 && item.event.revision) {
      c.fillText(item.event.revision, x + 7, middle + 1);
    }
  }

  names() {
    const c = this.c;
    c.fillStyle = this.color("paper");
    c.fillRect(0, AXIS, this.gutter, this.height - AXIS);
    this.layout.rows.forEach((lane, row) => {
      const {name, watch} = this.layout.sheet.lanes[lane];
      c.fillStyle = this.color(watch ? "event" : "ink");
      const fits = Math.floor((this.gutter - 10) / CHARACTER);
      c.fillText(name.length > fits ? name.slice(0, fits - 1) + "…" : name, 6, AXIS + row * LANE + LANE / 2);
    });
    c.strokeStyle = this.color("line");
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(this.gutter, 0);
    c.lineTo(this.gutter, this.height);
    c.stroke();
  }

  // map draws the overview: everything, what is marked, and what is in sight.
  map() {
    const c = this.overview.getContext("2d"), room = this.room, scale = room / this.layout.end;
    c.clearRect(0, 0, this.width, 22);
    c.fillStyle = this.color("ok-edge");
    for (const x of this.density(room)) c.fillRect(this.gutter + 4 + x, 9, 1, 5);
    c.fillStyle = this.color("mark-edge");
    for (const item of this.layout.marked(this.finding)) c.fillRect(this.gutter + 3 + item.from * scale, 3, 3, 16);
    c.fillStyle = this.color("window");
    c.strokeStyle = this.color("focus");
    const x = this.gutter + 4 + Math.max(0, this.left) * scale;
    const width = Math.max(3, (Math.min(this.layout.end, this.right) - Math.max(0, this.left)) * scale);
    c.fillRect(x, 1, width, 20);
    c.strokeRect(x + 0.5, 1.5, width - 1, 19);
  }

  // density are the pixels of the overview at which something begins.
  density(room) {
    if (this.layout.dense === undefined || this.layout.dense.room !== room) {
      const scale = room / this.layout.end;
      this.layout.dense = {room, pixels: [...new Set(this.layout.items.map(i => Math.floor(i.from * scale)))]};
    }
    return this.layout.dense.pixels;
  }
}
