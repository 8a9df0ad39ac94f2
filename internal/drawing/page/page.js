"use strict";
// The page: choices, tables and keys. All texts of a history are put in as text, never
// as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const view = new View($("lanes"), $("overview"));
const state = {sheet: 0, finding: -1, hidden: new Set(), axis: "order"};

function element(name, text, parent, className) {
  const e = document.createElement(name);
  if (text !== undefined && text !== null) e.textContent = text;
  if (className) e.className = className;
  if (parent) parent.append(e);
  return e;
}

const sheet = () => data.sheets[state.sheet];

function showReport() {
  const r = data.report;
  if (!r) return;
  const box = $("report"), broken = r.properties.filter(p => p.status === "violated").length;
  box.hidden = false;
  box.querySelector("summary").textContent = "verdict: " + r.verdict + " · " + broken + " of " + r.properties.length + " properties violated · " + r.run;
  for (const p of r.properties) {
    const row = element("tr", null, box.querySelector("tbody"));
    element("td", p.id, row, "code");
    element("td", p.strength, row);
    element("td", p.exercised, row, "number");
    element("td", p.status + (p.reason ? " (" + p.reason + ")" : ""), row, p.status === "violated" ? "violated" : "");
  }
  for (const text of r.remarks) element("li", text, box.querySelector("ul"));
}

function options(select, texts, chosen) {
  select.replaceChildren();
  texts.forEach(([value, text]) => { element("option", text, select).value = value; });
  select.value = String(chosen);
}

// openSheet shows another history.
function openSheet(index) {
  state.sheet = index;
  state.hidden.clear();
  const s = sheet();
  $("target").textContent = [s.target, s.server, s.calls.length + " calls", s.name].filter(Boolean).join(" · ");
  const listed = s.findings.map((f, i) => [i, f.property]);
  if (listed.length > 1) listed.push([-1, "all " + listed.length]);
  options($("property"), listed.length ? listed : [[-1, "none violated"]], listed.length ? 0 : -1);
  showClients(s);
  openFinding(listed.length ? 0 : -1);
  arrange();
  view.home();
}

function showClients(s) {
  const box = $("clients");
  box.querySelectorAll("label").forEach(l => l.remove());
  for (const client of new Set(s.lanes.map(l => l.client))) {
    const label = element("label", null, box), input = element("input", null, label);
    input.type = "checkbox";
    input.checked = true;
    input.value = client;
    label.append(" " + client);
    input.addEventListener("change", () => {
      if (input.checked) state.hidden.delete(client); else state.hidden.add(client);
      keepPlace(arrange);
    });
  }
}

// arrange lays the sheet out anew.
function arrange() {
  const layout = new Layout(sheet(), state.hidden, state.axis);
  view.finding = state.finding;
  view.show(layout);
  details(null);
  const calls = layout.items.filter(i => i.call).length;
  $("count").textContent = "shown: " + calls + " of " + sheet().calls.length + " calls, " + (layout.items.length - calls) + " of " + sheet().events.length + " events";
}

// keepPlace does something that moves all places and goes back to the time in sight.
function keepPlace(change) {
  const from = view.layout.time(view.left), to = view.layout.time(view.right);
  change();
  const l = view.layout;
  if (l.axis === "time") return view.look(from, to);
  const place = t => { const i = l.times.findIndex(u => u >= t); return i < 0 ? l.end : i; };
  view.look(place(from), Math.max(place(to), place(from) + 8));
}

function openFinding(index) {
  state.finding = view.finding = index;
  const box = $("finding");
  box.replaceChildren();
  const shown = index < 0 ? sheet().findings : [sheet().findings[index]];
  if (!shown.length) element("p", "No violation was found in this history.", box);
  for (const f of shown) showFinding(box, f);
  showPlan(box);
}

// few is how many lines a plan may have that is shown unasked.
const few = 16;

function showPlan(box) {
  const {plan, commands} = sheet();
  if (plan.length) {
    const folded = element("details", null, box);
    folded.open = plan.length <= few;
    element("summary", "the plan, " + plan.length + " lines", folded);
    element("pre", plan.join("\n"), folded);
  }
  if (commands.length) element("pre", commands.join("\n"), box, "commands");
}

function showFinding(box, f) {
  element("h2", f.property + " (" + f.strength + ")", box);
  element("p", f.statement, box);
  element("p", f.explanation, box, "explanation");
  if (f.alike > 1) element("p", f.alike + " findings of this property in the history; one is shown.", box);
  if (f.picture) {
    const link = element("a", "porcupine's picture of the search for an order", element("p", null, box));
    link.href = "./" + encodeURIComponent(f.picture);
  }
  const compare = element("table", null, box, "compare");
  const head = element("tr", null, element("thead", null, compare));
  for (const title of ["allowed", "observed"]) element("th", title, head).scope = "col";
  const row = element("tr", null, element("tbody", null, compare));
  element("td", f.allowed, row, "code allowed");
  element("td", f.observed, row, "code observed");
  involved(box, f);
}

function involved(box, f) {
  const table = element("table", null, box, "involved");
  const head = element("tr", null, element("thead", null, table));
  for (const title of ["line", "client", "operation", "answer", "ms"]) element("th", title, head).scope = "col";
  const body = element("tbody", null, table);
  for (const call of sheet().calls.filter(c => f.operations.includes(c.id))) {
    const row = element("tr", null, body);
    row.tabIndex = 0;
    element("td", call.line || "#" + call.id, row, "number");
    element("td", sheet().lanes[call.lane].name, row);
    element("td", call.operation, row, "code");
    element("td", call.answer, row, "code");
    element("td", ms(call.begin) + "–" + (call.end === OPEN ? "" : ms(call.end)), row, "number");
    const go = () => reveal(call);
    row.addEventListener("click", go);
    row.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); go(); } });
  }
}

// reveal selects a call in the time line, where its client may be hidden.
function reveal(call) {
  const client = sheet().lanes[call.lane].client;
  if (state.hidden.delete(client)) {
    document.querySelectorAll("#clients input").forEach(i => { if (i.value === client) i.checked = true; });
    arrange();
  }
  select(view.layout.items.find(i => i.call === call));
}

function details(item) {
  const box = $("details");
  box.textContent = item ? describe(sheet(), item) : "Point at an operation or an event, or select one with the arrow keys.";
  box.classList.toggle("marked", Boolean(item && item.findings.length));
}

function select(item) {
  if (!item) return;
  view.selected = item;
  view.bring(item);
  details(item);
}

// step selects the next item of the row, or one in the row above or below.
function step(along, across) {
  const l = view.layout, from = view.selected;
  if (!from) return select(l.marked(state.finding)[0] || l.items.find(i => i.from >= view.left) || l.items[0]);
  if (along) {
    const row = l.byRow[from.row];
    return select(row[row.indexOf(from) + along]);
  }
  for (let row = from.row + across; row >= 0 && row < l.rows.length; row += across) {
    const item = l.nearest(row, from.from, l.end);
    if (item) return select(item);
  }
}

function nextMarked() {
  const marked = view.layout.marked(state.finding);
  select(marked[(marked.indexOf(view.selected) + 1) % Math.max(1, marked.length)]);
}

const keys = {
  ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
  "+": () => view.zoom(1.5), "=": () => view.zoom(1.5), "-": () => view.zoom(1 / 1.5), 0: () => view.all(), v: nextMarked,
  Home: () => select(view.layout.items[0]), End: () => select(view.layout.items[view.layout.items.length - 1]),
  Escape: () => { view.selected = null; details(null); view.redraw(); },
};

function listen() {
  const lanes = $("lanes"), overview = $("overview");
  let drag = null;
  lanes.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !(e.key in keys)) return;
    e.preventDefault();
    keys[e.key]();
  });
  lanes.addEventListener("pointerdown", e => { drag = {x: e.offsetX, moved: false}; lanes.setPointerCapture(e.pointerId); });
  lanes.addEventListener("pointermove", e => {
    if (drag) {
      drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) > 3;
      if (drag.moved) { view.pan(drag.x - e.offsetX); drag.x = e.offsetX; }
      return;
    }
    const item = view.pick(e.offsetX, e.offsetY);
    if (item === view.hovered) return;
    view.hovered = item;
    if (item || !view.selected) details(item); else details(view.selected);
    view.redraw();
  });
  lanes.addEventListener("pointerup", e => {
    if (drag && !drag.moved) {
      view.selected = view.pick(e.offsetX, e.offsetY);
      details(view.selected);
      view.redraw();
    }
    drag = null;
  });
  lanes.addEventListener("pointerleave", () => { view.hovered = null; details(view.selected); view.redraw(); });
  lanes.addEventListener("wheel", e => {
    if (e.ctrlKey) { e.preventDefault(); view.zoom(Math.exp(-e.deltaY / 300), e.offsetX); return; }
    const sideways = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
    if (sideways) { e.preventDefault(); view.pan(sideways); }
  }, {passive: false});
  const jump = e => {
    const at = (e.offsetX - view.gutter - 4) / view.room * view.layout.end;
    view.left = at - view.room / view.scale / 2;
    view.clamp();
  };
  overview.addEventListener("pointerdown", e => { overview.setPointerCapture(e.pointerId); jump(e); });
  overview.addEventListener("pointermove", e => { if (e.buttons) jump(e); });
  const buttons = {
    earlier: () => view.pan(-view.room / 2), later: () => view.pan(view.room / 2),
    in: () => view.zoom(1.5), out: () => view.zoom(1 / 1.5), all: () => view.all(), next: nextMarked,
  };
  for (const [id, action] of Object.entries(buttons)) $(id).addEventListener("click", action);
  $("sheet").addEventListener("change", e => openSheet(Number(e.target.value)));
  $("property").addEventListener("change", e => { openFinding(Number(e.target.value)); view.home(); });
  for (const input of document.getElementsByName("axis")) {
    input.addEventListener("change", () => { state.axis = input.value; keepPlace(arrange); });
  }
  window.addEventListener("resize", () => view.resize());
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.redraw());
}

function start() {
  showReport();
  if (!data.sheets.length) { $("violation").hidden = $("timeline").hidden = true; return; }
  options($("sheet"), data.sheets.map((s, i) => [i, s.name]), 0);
  $("sheet").parentElement.hidden = data.sheets.length < 2;
  listen();
  openSheet(0);
  // For tests: the page has drawn and answers.
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); }));
}

start();
