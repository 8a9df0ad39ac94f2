"use strict";
// The layout: where each call and event of a sheet stands, on an axis of order, where
// every moment takes the same room, or of time. It touches no element of the page.

const LANE = 24, AXIS = 40, OPEN = -1;

// Layout places what is visible: the lanes of the clients that are not hidden.
class Layout {
  constructor(sheet, hidden, axis) {
    this.sheet = sheet;
    this.axis = axis;
    this.rows = []; // lane index of each row
    this.row = new Map(); // row by lane index
    sheet.lanes.forEach((lane, i) => {
      if (!hidden.has(lane.client)) {
        this.row.set(i, this.rows.length);
        this.rows.push(i);
      }
    });
    this.place();
    this.revisions = this.told();
    this.open = this.opened();
  }

  // faults are the faults that were injected, with their places.
  faults() {
    return this.sheet.notices.filter(n => n.kind === "fault").map(n => {
      if (this.axis === "time") return {at: n.time, text: n.text};
      const i = this.times.findIndex(t => t >= n.time);
      return {at: i < 0 ? this.end : i, text: n.text};
    });
  }

  // opened is from where to where each row's watch was open, nothing for clients.
  opened() {
    const calls = new Map(this.items.filter(i => i.call).map(i => [i.call.id, i]));
    return this.rows.map((lane, row) => {
      const watch = calls.get(this.sheet.lanes[lane].watch);
      if (!watch) return null;
      const end = this.byRow[row].find(i => i.event && i.event.kind === "end");
      return {from: watch.to, to: end ? end.from : this.end};
    });
  }

  // place gives each item its from and to, and sorts the items of each row.
  place() {
    const items = [], moments = [];
    for (const call of this.sheet.calls) {
      if (!this.row.has(call.lane)) continue;
      const item = {call, row: this.row.get(call.lane), findings: call.findings || []};
      items.push(item);
      moments.push({time: call.begin, rank: 0, item, end: false});
      if (call.end !== OPEN) moments.push({time: call.end, rank: 2, item, end: true});
    }
    for (const event of this.sheet.events) {
      if (!this.row.has(event.lane)) continue;
      const item = {event, row: this.row.get(event.lane), findings: event.findings || []};
      items.push(item);
      moments.push({time: event.time, rank: 1, item, end: true});
    }
    moments.sort((a, b) => a.time - b.time || a.rank - b.rank);
    moments.forEach((m, i) => {
      const at = this.axis === "order" ? i : m.time;
      if (m.item.from === undefined) m.item.from = at;
      if (m.end) m.item.to = at;
    });
    const last = moments.length ? moments[moments.length - 1] : {time: 0};
    this.end = this.axis === "order" ? Math.max(1, moments.length) : Math.max(1, last.time);
    this.times = moments.map(m => m.time);
    for (const item of items) if (item.to === undefined) item.to = this.end;
    this.items = items.sort((a, b) => a.from - b.from);
    this.byRow = this.rows.map(() => []);
    for (const item of this.items) this.byRow[item.row].push(item);
  }

  // told are the revisions with the place at which each was told first.
  told() {
    const first = new Map();
    for (const item of this.items) {
      const revision = (item.call || item.event).revision;
      if (!revision || item.event && item.event.kind === "end") continue;
      const at = item.call ? item.to : item.from;
      if (item.call && item.call.end === OPEN) continue;
      if (!first.has(revision) || at < first.get(revision)) first.set(revision, at);
    }
    return [...first].map(([revision, at]) => ({revision, at})).sort((a, b) => a.at - b.at);
  }

  // time is the time in nanoseconds at a place of the axis.
  time(at) {
    if (this.axis === "time") return at;
    const i = Math.min(Math.max(0, Math.round(at)), this.times.length - 1);
    return this.times[i] || 0;
  }

  // marked are the items of a finding, of any if it is -1, in the order of the axis.
  marked(finding) {
    return this.items.filter(item => finding < 0 ? item.findings.length : item.findings.includes(finding));
  }

  // within are the items of a row that may show between two places. A call that is
  // longer than what came before it ends last, so the search goes back as far as the
  // longest reaches.
  within(row, from, to) {
    const items = this.byRow[row];
    if (items.longest === undefined) items.longest = items.reduce((max, i) => Math.max(max, i.to - i.from), 0);
    let low = lowest(items, from - items.longest);
    const found = [];
    for (; low < items.length && items[low].from <= to; low++) if (items[low].to >= from) found.push(items[low]);
    return found;
  }

  // nearest is the item of a row that is nearest to a place, up to a distance.
  nearest(row, at, distance) {
    let best = null, least = distance;
    for (const item of this.within(row, at - distance, at + distance)) {
      const gap = at < item.from ? item.from - at : at > item.to ? at - item.to : 0;
      if (gap < least || gap === least && best && item.from > best.from || gap === 0 && !best) [best, least] = [item, gap];
    }
    return best;
  }
}

// lowest is the index of the first item that begins at a place or later.
function lowest(items, at) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].from < at) low = middle + 1; else high = middle;
  }
  return low;
}

// ms is a time in milliseconds.
function ms(nanoseconds) { return (nanoseconds / 1e6).toFixed(3); }

// describe is the text of an item for the details.
function describe(sheet, item) {
  const lane = sheet.lanes[(item.call || item.event).lane];
  const lines = [];
  if (item.call) {
    const c = item.call;
    const place = c.line ? "plan line " + c.line : "operation #" + c.id;
    const span = c.end === OPEN ? ms(c.begin) + " ms, no answer" : ms(c.begin) + "–" + ms(c.end) + " ms";
    lines.push(lane.name + "  " + c.operation, "→ " + c.answer, place + " · " + span + (c.revision ? " · revision " + c.revision : ""));
  } else {
    const e = item.event;
    lines.push(lane.name + "  " + e.text, "watch of " + lane.client + " (operation #" + lane.watch + ") · " + ms(e.time) + " ms" + (e.revision ? " · revision " + e.revision : ""));
  }
  const broken = item.findings.map(i => sheet.findings[i].property);
  if (broken.length) lines.push("belongs to the violation of " + broken.join(", "));
  return lines.join("\n");
}
