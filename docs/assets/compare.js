/**
 * The page that compares sets of results: choose a kind of sets, one to compare with, and others beside it.
 *
 * analysis/site/pages/compare.py says what the file holds. Ratios, intervals and claims come from it; a pair that is asked
 * the other way round is turned over, and nothing else is computed. All text reaches the page as text.
 */

import {
  Chooser, NONE, bounded, chips, count, csvText, digits, element, facetCell, facetsOf, isSame, oriented, ratioCell,
  start, unitOf,
} from "./parts.js";

const WORDS = { faster: "shorter", slower: "longer", equivalent: "alike", unresolved: "not told apart" };
const MARKS = { faster: "▼ shorter", slower: "▲ longer", equivalent: "= alike", unresolved: "≈ not told apart" };
const FEW = "too few rounds";
const VERDICTS = ["longer", "shorter", "alike", "not told apart", FEW, "no ratio"];

/* The file */

/** Return the file with the rows of each two sets by their cases, in both directions, and the cells of each set. */
function indexed(file) {
  const pairs = new Map();
  const cells = file.kinds.map(({ sets }) => sets.map(cellsOf));
  let from = 0;
  for (const [kind, first, second, rows] of file.pairs) {
    const own = new Map();
    for (let row = from; row < from + rows; row += 1) own.set(file.cases[row], row);
    const [one, other] = [cells[kind][first], cells[kind][second]];
    pairs.set(place(kind, first, second), { rows: own, cells: [one, other], isTurned: false });
    pairs.set(place(kind, second, first), { rows: own, cells: [other, one], isTurned: true });
    from += rows;
  }
  return { ...file, pairsOf: pairs };
}

/** Return what a set has of each of its cases: the time in seconds and the rounds. */
function cellsOf({ cases, times, rounds }) {
  return new Map(cases.map((each, number) => [each, { time: times[number], rounds: rounds[number] }]));
}

function place(...numbers) {
  return numbers.join(" ");
}

/** Return the sets of a kind that share a case with one of them, as numbers. */
function partners(data, kind, base) {
  return data.kinds[kind].sets.map((_, number) => number).filter((other) => data.pairsOf.has(place(kind, base, other)));
}

/** Return a case in the base and in another set: the ratio and what goes with it, or why there is none. */
function beside(data, { rows, cells, isTurned }, caseNumber) {
  const row = rows.get(caseNumber);
  if (row === undefined) return { why: "not in both" };
  const both = cells.map((each) => each.get(caseNumber));
  const own = { times: both.map(({ time }) => time), rounds: both.map(({ rounds }) => rounds) };
  const note = data.notes.names[data.notes.codes[row]] ?? "";
  if (data.ratios[row] === null) return { ...own, note, why: note };
  const claim = data.claims.names[data.claims.codes[row]];
  return { ...own, note, ...oriented(data.ratios[row], data.off[row], claim, isTurned) };
}

function verdict({ why, off, verdict: said }) {
  if (why) return "no ratio";
  return off === null ? FEW : WORDS[said];
}

/* What is shown: the state, and its link */

/** Return the newest pair of a kind; of no kind in particular, of the first that has one. */
function fresh(data, wanted) {
  const [kind, base, other] = data.pairs.find(([own]) => wanted === undefined || own === wanted);
  return { kind, base, others: new Set([other]) };
}

/** Read a link's state; returns it with what the link asks for and the data do not have. */
function read(data, hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const unknown = [];
  const state = fresh(data, kindOf(data, asked.get("kind"), unknown));
  const { sets } = data.kinds[state.kind];
  const numbers = (key) => asked.getAll(key).map((name) => numberOf(sets, name, unknown)).filter((number) => number >= 0);
  const [base] = numbers("base");
  if (base !== undefined && partners(data, state.kind, base).length) rebase(data, state, base);
  else if (base !== undefined) unknown.push(`another set that has a case of ${sets[base].title}`);
  const known = partners(data, state.kind, state.base);
  const others = numbers("with").filter((number) => number !== state.base);
  const alone = others.filter((number) => !known.includes(number));
  unknown.push(...alone.map((number) => `a case in both ${sets[state.base].title} and ${sets[number].title}`));
  if (others.length > alone.length) state.others = new Set(others.filter((number) => known.includes(number)));
  return { state, unknown };
}

function kindOf(data, key, unknown) {
  const kind = data.kinds.findIndex((each) => each.key === key);
  if (data.pairs.some(([own]) => own === kind)) return kind;
  if (key !== null) unknown.push(key);
  return undefined;
}

function numberOf(sets, name, unknown) {
  const number = sets.findIndex((each) => each.name === name);
  if (number < 0) unknown.push(name);
  return number;
}

/** Compare with another set: the others stay that share a case with it; where none does, the first that does comes. */
function rebase(data, state, base) {
  const known = partners(data, state.kind, base);
  const kept = [...state.others].filter((number) => known.includes(number));
  state.base = base;
  state.others = new Set(kept.length ? kept : known.slice(0, 1));
}

/** Return the part of a link that holds the state: nothing of what a reader has not changed. */
function written(data, state) {
  const usual = fresh(data);
  const isUsual = state.kind === usual.kind && state.base === usual.base && isSame(state.others, usual.others);
  if (isUsual) return "";
  const { key, sets } = data.kinds[state.kind];
  const parts = new URLSearchParams({ kind: key, base: sets[state.base].name });
  for (const other of state.others) parts.append("with", sets[other].name);
  return String(parts);
}

/* The table */

/** Return what a table of this state holds: the other sets, the cases that one of them shares, and the facets. */
function viewOf(data, state) {
  const others = [...state.others].map((number) => ({
    title: data.kinds[state.kind].sets[number].title,
    pair: data.pairsOf.get(place(state.kind, state.base, number)),
  }));
  const cases = [...new Set(others.flatMap(({ pair }) => [...pair.rows.keys()]))].sort((a, b) => a - b);
  const base = data.kinds[state.kind].sets[state.base].title;
  return { data, others, cases, base, ...facetsOf(data.facets, cases) };
}

function time(seconds) {
  if (seconds === null || seconds === undefined) return NONE;
  const [unit, size] = unitOf(seconds, "s");
  return `${digits(seconds / size)} ${unit}`;
}

function row(view, caseNumber) {
  const found = view.others.map(({ pair }) => beside(view.data, pair, caseNumber));
  const base = found.find(({ times }) => times)?.times[0];
  const named = view.columns.map((facet, number) => facetCell(facet, caseNumber, number === 0));
  return element("tr", {}, ...named, element("td", { class: "number" }, time(base)), ...found.map(otherCell));
}

function otherCell(found) {
  if (found.why) return ratioCell(found, MARKS);
  const [[, own], [rounds, others]] = [found.times, found.rounds];
  const more = [`${time(own)}; ${rounds} and ${others} rounds`, ...(found.note ? [found.note] : [])];
  return ratioCell({ ...found, more }, MARKS);
}

/** Say how each of the other sets came out beside the base. */
function told(view) {
  return view.others.map(({ title, pair }) => {
    const verdicts = [...pair.rows.keys()].map((each) => verdict(beside(view.data, pair, each)));
    const counts = VERDICTS.map((word) => [word, verdicts.filter((each) => each === word).length]);
    const words = counts.filter(([, number]) => number).map(([word, number]) => `${number} ${word}`);
    return `${title}: of ${count(verdicts.length, "case")} in both, ${words.join(", ")}.`;
  }).join(" ");
}

/** Return all rows as CSV, a line for each case and other set, in seconds. */
function csv(view) {
  const header = [
    ...view.data.facets.map((facet) => facet.key), "base", "set", "base_s", "set_s", "base_rounds", "set_rounds",
    "ratio", "ratio_low", "ratio_high", "verdict", "note",
  ];
  const lines = view.cases.flatMap((each) => view.others.filter(({ pair }) => pair.rows.has(each)).map((other) => {
    const found = beside(view.data, other.pair, each);
    const numbers = [...found.times, ...found.rounds].map((value) => value ?? "");
    const ratio = found.why ? ["", "", ""] : bounded(found.ratio, found.off);
    const facets = view.data.facets.map((facet) => facet.names[facet.codes[each]]);
    return [...facets, view.base, other.title, ...numbers, ...ratio, verdict(found), found.note];
  }));
  return csvText([header, ...lines]);
}

/* The page */

class Compare extends Chooser {
  build(root) {
    this.summary.textContent = "Choose sets";
    this.beside = element("div");
    this.lay(root, [this.kinds(), this.beside], [element("label", {}, "Compare with ", this.select)]);
  }

  kinds() {
    const known = this.data.kinds.map((each, number) => [number, each.title])
      .filter(([number]) => this.data.pairs.some(([own]) => own === number));
    const begin = (number) => this.begin(fresh(this.data, Number(number)));
    this.ofKind = chips("what to compare", "compare-kind", known, true, begin);
    return this.ofKind;
  }

  compareWith(base) {
    rebase(this.data, this.state, Number(base));
    this.changed();
  }

  choose(number, isTicked) {
    this.state.others[isTicked ? "add" : "delete"](number);
    if (this.state.others.size === 0) this.state.others.add(number); // a table of none says nothing
    this.changed();
  }

  render() {
    this.view = viewOf(this.data, this.state);
    const { base, cases, columns, others, same } = this.view;
    this.renderControls();
    this.shown.textContent = told(this.view);
    this.same.textContent = same.length ? `The same for all rows: ${same.join(", ")}.` : "";
    this.caption.textContent =
      `Ratio: a set's time as a multiple of that of ${base}. Small print: 99 % interval, what may be said after an ` +
      "adjustment for all rows of both, the set's own time, the rounds, and what else differs.";
    const named = columns.map((facet) => element("th", { scope: "col", class: "facet" }, facet.title));
    const titles = [`time in ${base}`, ...others.map(({ title }) => title)];
    const measured = titles.map((title) => element("th", { scope: "col" }, title));
    this.head.replaceChildren(element("tr", {}, ...named, ...measured));
    this.body.replaceChildren(...cases.map((each) => row(this.view, each)));
  }

  /** Show what the state's kind has to choose from; a box that has the focus keeps it. */
  renderControls() {
    const { kind, base, others } = this.state;
    const { sets } = this.data.kinds[kind];
    const options = sets.map((each, number) => element("option", { value: number }, each.title));
    this.select.replaceChildren(...options.filter((_, number) => partners(this.data, kind, number).length));
    this.select.value = base;
    const focused = this.beside.contains(document.activeElement) ? document.activeElement.value : null;
    const known = partners(this.data, kind, base).map((number) => [number, sets[number].title]);
    const choose = (number, isTicked) => this.choose(Number(number), isTicked);
    this.beside.replaceChildren(chips("beside it", "compare-with", known, false, choose));
    for (const input of this.beside.querySelectorAll("input")) {
      input.checked = others.has(Number(input.value));
      if (input.value === focused) input.focus();
    }
    for (const input of this.ofKind.querySelectorAll("input")) input.checked = Number(input.value) === kind;
  }
}

start("compare", (root, file) => new Compare(root, indexed(file), "Sets side by side", { fresh, read, written, csv }));
