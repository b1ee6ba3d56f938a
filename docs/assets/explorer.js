/**
 * The explorer: choose, compare, sort and copy the cells of a columnar file.
 *
 * analysis/site/pages/explorer_data.py says what it holds. Ratios, intervals and claims come from it; a pair that is asked
 * the other way round is turned over, and nothing else is computed. All text reaches the page as text.
 */

import {
  Chooser, NONE, PLACES, bounded, button, chips, count, csvText, digits, element, facetCell, facetsOf, isSame, oriented,
  plain, ratioCell, ratioFields, ratioTexts, start, unitOf,
} from "./parts.js";

const MORE = 50; // rows that are drawn at first, and again with each push of the button
const FASTEST = "fastest";
const LEADING = ["workload", "environment", "mode"]; // facets before the ratio; the others stand behind what was measured
const MARKS = {
  faster: "▼ faster",
  slower: "▲ slower",
  equivalent: "= tie: equivalent",
  unresolved: "≈ tie: unresolved",
};

/* The file */

/** Return the file with what is looked up often: each cell's question and competitor, where questions and pairs begin. */
function indexed(file) {
  const size = file.cells.reduce((sum, own) => sum + own, 0);
  const question = new Int32Array(size);
  const firsts = [];
  const starts = { fastest: [], pairs: [] };
  let [cell, pair, ahead] = [0, 0, 0];
  file.cells.forEach((own, number) => {
    firsts.push(cell);
    starts.pairs.push(pair);
    starts.fastest.push(ahead);
    question.fill(number, cell, cell + own);
    cell += own;
    pair += (file.measured[number] * (file.measured[number] - 1)) / 2;
    ahead += Math.max(file.measured[number] - 1, 0);
  });
  const facets = new Map(file.facets.map((facet) => [facet.key, facet]));
  const measures = new Map(file.measures.map((measure) => [measure.key, measure]));
  const [environments, modes] = ["environment", "mode"].map((key) => facets.get(key));
  const competitors = Int32Array.from(environments.codes, (code, own) => code * modes.names.length + modes.codes[own]);
  const data = { file, ...file, size, question, competitors, firsts, starts, facets, measures, pairs: null };
  return { ...data, baselines: baselines(data) };
}

/** Return a cell's value of a facet: one of its `names`, or of its `titles`. */
function valueOf(data, key, cell, list) {
  const facet = data.facets.get(key);
  return facet[list][facet.codes[cell]];
}

function note(data, cell) {
  return data.notes.names[data.notes.codes[cell]] ?? "";
}

function hasTime(data, cell) {
  const question = data.question[cell];
  return cell - data.firsts[question] < data.measured[question];
}

/** Return what a link calls the competitor of a cell: its version and mode. */
function competitor(data, cell) {
  return ["environment", "mode"].map((key) => valueOf(data, key, cell, "names")).join("/");
}

/** Return all that a reader may compare with: name -> title, those with a time anywhere. */
function baselines(data) {
  const found = new Map();
  for (let cell = 0; cell < data.size; cell += 1) {
    if (!hasTime(data, cell)) continue;
    const titles = ["environment", "mode"].map((key) => valueOf(data, key, cell, "titles"));
    found.set(competitor(data, cell), titles.join(", "));
  }
  const sorted = [...found].sort(([, a], [, b]) => a.localeCompare(b, "en"));
  return new Map([[FASTEST, "the fastest of each question"], ...sorted]);
}

/* Comparing */

/** Return for each question the cell to compare with, or -1 where the question lacks it. */
function against(data, baseline) {
  if (baseline === FASTEST) return data.firsts.map((first, question) => (data.measured[question] ? first : -1));
  const found = data.firsts.map(() => -1);
  const first = data.competitors.findIndex((_, cell) => competitor(data, cell) === baseline);
  data.competitors.forEach((number, cell) => {
    if (number === data.competitors[first]) found[data.question[cell]] = cell;
  });
  return found;
}

/** Return a cell's ratio to its question's baseline with the claim as the file has it, or why there is none. */
function compared(data, base, cell) {
  const question = data.question[cell];
  const other = base[question];
  if (!hasTime(data, cell)) return { why: "no time" };
  if (other < 0) return { why: "its question was not asked of the baseline" };
  if (other === cell) return { ratio: 1, off: null, verdict: "baseline" };
  if (!hasTime(data, other)) return { why: `the baseline has no time: ${note(data, other)}` };
  return paired(data, question, other, cell);
}

/** Of the fastest of a question the file has the ratios; those of all others are a file of their own, once asked for. */
function paired(data, question, other, cell) {
  const [start, width] = [data.firsts[question], data.measured[question]];
  const [a, b] = [Math.min(cell, other) - start, Math.max(cell, other) - start];
  const from = a === 0 ? data.fastest : data.pairs;
  if (from === null) return { why: "its ratio is not here yet" };
  const before = a === 0 ? data.starts.fastest[question] : data.starts.pairs[question];
  const pair = before + (a * (2 * width - a - 1)) / 2 + (b - a - 1);
  const kept = from.ratios[pair];
  if (kept === null) return { why: "no round has both" };
  return oriented(kept, from.off[pair], from.names[from.codes[pair]], cell < other);
}

/* What is shown: the state, and its link */

function fresh(data) {
  const singles = data.file.facets
    .filter((facet) => facet.single && facet.names.length > 1)
    .map((facet) => [facet.key, new Set([facet.names[0]])]);
  const shown = data.file.measures.filter((measure) => measure.shown).map((measure) => measure.key);
  return { chosen: new Map(singles), baseline: FASTEST, sort: "", shown: new Set(shown), limit: MORE };
}

/** Read a link's state; returns it with what the link asks for and the data do not have. */
function read(data, hash) {
  const [state, unknown] = [fresh(data), []];
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  for (const facet of data.file.facets) {
    const names = asked.getAll(facet.key);
    const known = names.filter((each) => facet.names.includes(each));
    if (known.length) state.chosen.set(facet.key, new Set(facet.single ? known.slice(0, 1) : known));
    unknown.push(...names.filter((each) => !known.includes(each)).map((each) => `${facet.title} ${each}`));
  }
  const [baseline, sort] = [asked.get("baseline"), asked.get("sort") ?? ""];
  if (data.baselines.has(baseline)) state.baseline = baseline;
  else if (baseline) unknown.push(`baseline ${baseline}`);
  if (sortKeys(data).includes(sort.replace(/^-/, ""))) state.sort = sort;
  else if (sort) unknown.push(`sort ${sort}`);
  const columns = asked.getAll("columns").filter((key) => key); // an empty one stands for none
  if (asked.has("columns")) state.shown = new Set(columns.filter((key) => data.measures.has(key)));
  unknown.push(...columns.filter((key) => !data.measures.has(key)).map((key) => `column ${key}`));
  return { state, unknown };
}

function sortKeys(data) {
  return ["ratio", ...data.facets.keys(), ...data.measures.keys()];
}

/** Return the part of a link that holds the state: nothing of what a reader has not changed. */
function written(data, state) {
  const [parts, usual] = [new URLSearchParams(), fresh(data)];
  for (const [key, names] of state.chosen) {
    if (!isSame(names, usual.chosen.get(key))) names.forEach((each) => parts.append(key, each));
  }
  if (state.baseline !== FASTEST) parts.set("baseline", state.baseline);
  if (state.sort) parts.set("sort", state.sort);
  const columns = state.shown.size ? [...state.shown] : [""];
  if (!isSame(state.shown, usual.shown)) columns.forEach((key) => parts.append("columns", key));
  return String(parts);
}

/* Choosing and sorting */

/** Return the cells chosen, and for each facet how many cells each of its values would show. */
function matching(data, chosen) {
  const facets = data.file.facets.map((facet) => ({
    ...facet,
    isChosen: chosen.has(facet.key) && facet.names.map((each) => chosen.get(facet.key).has(each)),
    counts: new Int32Array(facet.names.length),
  }));
  const cells = [];
  for (let cell = 0; cell < data.size; cell += 1) {
    const refusing = refusal(facets, cell);
    if (refusing === null) cells.push(cell);
    for (const facet of refusing === null ? facets : refusing) facet.counts[facet.codes[cell]] += 1;
  }
  return { cells, counts: new Map(facets.map((facet) => [facet.key, facet.counts])) };
}

/** Return null for a cell that every facet lets through, else the only facet that does not, if there is but one. */
function refusal(facets, cell) {
  let only = null;
  for (const facet of facets) {
    if (!facet.isChosen || facet.isChosen[facet.codes[cell]]) continue;
    if (only) return [];
    only = [facet];
  }
  return only;
}

/** Return the number by which a cell is sorted; null stands last, whichever way. */
function sortValue(data, base, key) {
  if (key === "ratio") return (cell) => compared(data, base, cell).ratio ?? null;
  if (data.facets.has(key)) return (cell) => data.facets.get(key).codes[cell];
  return (cell) => data.measures.get(key).values[cell];
}

function sorted(data, base, cells, sort) {
  if (!sort) return cells;
  const value = sortValue(data, base, sort.replace(/^-/, ""));
  const sign = sort.startsWith("-") ? -1 : 1;
  const keyed = cells.map((cell) => [value(cell), cell]);
  keyed.sort(([a, x], [b, y]) => (a === null) - (b === null) || sign * (a - b) || x - y);
  return keyed.map(([, cell]) => cell);
}

/* The table */

function measureTexts(measure, cell) {
  const value = measure.values[cell];
  if (value === null) return [NONE, ""];
  if (measure.unit === "" && Number.isInteger(value)) return [PLACES[0].format(value), ""];
  const [unit, size] = unitOf(value, measure.unit);
  const off = measure.off?.[cell] ?? null;
  const bounds = off === null ? "" : `${digits(value / off / size)} to ${digits((value * off) / size)}`;
  return [`${digits(value / size)} ${unit}`.trim(), bounds];
}

function measureCell(measure, cell) {
  const [value, bounds] = measureTexts(measure, cell);
  return element("td", { class: "number" }, value, ...(bounds ? [element("small", {}, bounds)] : []));
}

function row(view, cell) {
  const { data, leading, others, measures, base } = view;
  const named = leading.map((facet, place) => facetCell(facet, cell, place === 0));
  const behind = others.map((facet) => facetCell(facet, cell, false));
  if (!hasTime(data, cell)) {
    const reason = element("td", { class: "missing", colspan: 1 + measures.length }, note(data, cell));
    return element("tr", {}, ...named, reason, ...behind);
  }
  const measured = [ratioCell(compared(data, base, cell), MARKS), ...measures.map((each) => measureCell(each, cell))];
  if (note(data, cell)) measured.at(-1).append(element("small", { class: "note" }, note(data, cell)));
  return element("tr", {}, ...named, ...measured, ...behind);
}

/* Copying */

/** Return all chosen cells as CSV, each with all that names it, in base units. */
function csv(view) {
  const { data, cells, measures, state } = view;
  const header = [
    ...data.file.facets.map((facet) => facet.key),
    ...["version", "baseline", "ratio", "ratio_low", "ratio_high", "claim"],
    ...measures.flatMap(measureKeys),
    "note",
  ];
  const lines = cells.map((cell) => [
    ...data.file.facets.map((facet) => facet.names[facet.codes[cell]]),
    valueOf(data, "environment", cell, "titles"),
    data.baselines.get(state.baseline),
    ...ratioFields(compared(data, view.base, cell)),
    ...measures.flatMap((measure) => measureFields(measure, cell)),
    note(data, cell),
  ]);
  return csvText([header, ...lines]);
}

function measureKeys({ key, unit, off }) {
  return [unit ? `${key} (${unit})` : key, ...(off ? [`${key}_low`, `${key}_high`] : [])];
}

function measureFields(measure, cell) {
  const value = measure.values[cell];
  if (!measure.off) return [value ?? ""];
  return value === null ? ["", "", ""] : bounded(value, measure.off[cell]);
}

/** Return the chosen cells as a Markdown table with what they have in common above it. */
function markdown(view) {
  const { data, cells, columns, measures, base } = view;
  const header = [
    ...columns.map((facet) => facet.title),
    ...["ratio", "99 % interval", "claim"],
    ...measures.map((measure) => measure.title),
    "note",
  ];
  const lines = cells.map((cell) => [
    ...columns.map((facet) => facet.titles[facet.codes[cell]]),
    ...ratioTexts(compared(data, base, cell)),
    ...measures.map((measure) => measureText(measure, cell)),
    note(data, cell),
  ]);
  const table = [header.map(plain), header.map(() => "---"), ...lines.map((line) => line.map(plain))];
  const words = [caption(view), ...(view.same.length ? [`The same for all: ${view.same.join(", ")}.`] : [])];
  const rows = table.map((line) => `| ${line.join(" | ")} |\n`).join("");
  return `${words.map(plain).join("\n\n")}\n\n${rows}\n<${location.href}>\n`;
}

function measureText(measure, cell) {
  const [value, bounds] = measureTexts(measure, cell);
  return bounds ? `${value} (${bounds})` : value;
}

/* The page */

function caption({ data, state }) {
  const baseline = data.baselines.get(state.baseline);
  return `Ratio: a cell's time as a multiple of that of ${baseline}, in the same question and paired within rounds. ` +
    "Small print: 99 % intervals, and what may be claimed after an adjustment for all pairs of the question.";
}

class Explorer extends Chooser {
  build(root) {
    this.root = root;
    const several = this.data.file.facets.filter((facet) => facet.names.length > 1);
    this.groups = new Map(several.map((facet) => [facet.key, this.facetChips(facet)]));
    this.columns = this.columnChips();
    this.more = button("", () => this.showMore());
    this.select.append(...[...this.data.baselines].map(([value, shown]) => element("option", { value }, shown)));
    const copy = button("Copy as Markdown", () => this.copier.copy("as Markdown", markdown(this.view)));
    const tools = [element("label", {}, "Ratio to ", this.select), this.columns, copy];
    this.lay(root, this.groups.values(), tools, this.more);
  }

  facetChips(facet) {
    const values = facet.names.map((each, place) => [each, facet.titles[place]]);
    const key = `explorer-${facet.key}`;
    return chips(facet.title, key, values, facet.single, (each, isTicked) => this.choose(facet, each, isTicked));
  }

  columnChips() {
    const values = this.data.file.measures.map((measure) => [measure.key, measure.title]);
    return chips("columns", "explorer-columns", values, false, (key, isTicked) => {
      this.state.shown[isTicked ? "add" : "delete"](key);
      this.changed();
    });
  }

  compareWith(baseline) {
    this.state.baseline = baseline;
    this.changed();
  }

  /** Get the ratios of all pairs, once, when a reader compares with another than the fastest. */
  async getPairs() {
    if (this.asked) return;
    this.asked = true;
    this.root.classList.add("busy");
    try {
      const answer = await fetch(this.root.dataset.pairs);
      this.data.pairs = await answer.json();
      this.render();
    } catch {
      this.asked = false;
      this.copier.say("The ratios to this baseline could not be loaded: choose it again, or reload the page.");
    }
    this.root.classList.remove("busy");
  }

  choose(facet, each, isTicked) {
    const chosen = facet.single ? new Set() : this.state.chosen.get(facet.key) ?? new Set();
    chosen[isTicked ? "add" : "delete"](each);
    if (chosen.size) this.state.chosen.set(facet.key, chosen);
    else this.state.chosen.delete(facet.key);
    this.changed();
  }

  /** From the first row again. */
  changed() {
    this.state.limit = MORE;
    super.changed();
  }

  render() {
    const { data, state } = this;
    if (state.baseline !== FASTEST && !data.pairs) this.getPairs();
    const { cells, counts } = matching(data, state.chosen);
    const base = against(data, state.baseline);
    const measures = data.file.measures.filter((measure) => state.shown.has(measure.key));
    const { columns, same } = facetsOf(data.file.facets, cells);
    const leading = columns.filter(({ key }) => LEADING.includes(key));
    const others = columns.filter((facet) => !leading.includes(facet));
    const order = sorted(data, base, cells, state.sort);
    this.view = { data, state, base, measures, cells: order, columns, leading, others, same };
    this.renderControls(counts);
    this.renderWords();
    this.renderHead();
    this.renderRows();
  }

  renderControls(counts) {
    for (const [key, group] of this.groups) {
      const chosen = this.state.chosen.get(key);
      group.querySelectorAll("input").forEach((input, place) => {
        const number = counts.get(key)[place];
        input.checked = Boolean(chosen?.has(input.value));
        input.parentElement.lastElementChild.textContent = PLACES[0].format(number);
        input.parentElement.classList.toggle("empty", number === 0);
      });
    }
    for (const input of this.columns.querySelectorAll("input")) input.checked = this.state.shown.has(input.value);
    this.select.value = this.state.baseline;
  }

  renderWords() {
    const { data, cells, same } = this.view;
    const shown = `${PLACES[0].format(cells.length)} of ${count(data.size, "cell")} shown`;
    const without = cells.filter((cell) => !hasTime(data, cell)).length;
    const questions = count(new Set(cells.map((cell) => data.question[cell])).size, "question");
    const usual = fresh(data).chosen;
    const chosen = [...this.state.chosen].filter(([key, names]) => !isSame(names, usual.get(key)));
    const by = chosen.map(([key]) => data.facets.get(key).title).join(", ");
    this.summary.textContent = by ? `Cells chosen by ${by}` : "Choose cells";
    const told = `${shown}, ${PLACES[0].format(without)} of them without a time, from ${questions}`;
    this.shown.textContent = `${told}.`;
    this.same.textContent = same.length ? `The same for all of them: ${same.join(", ")}.` : "";
    this.caption.textContent = caption(this.view);
  }

  renderHead() {
    const focused = document.activeElement?.dataset.sort;
    const { leading, others, measures } = this.view;
    const columns = [...leading, { key: "ratio", title: "ratio" }, ...measures, ...others];
    this.head.replaceChildren(element("tr", {}, ...columns.map((column) => this.heading(column))));
    if (focused) this.head.querySelector(`[data-sort="${focused}"]`)?.focus();
  }

  heading({ key, title, codes }) {
    const way = { [key]: "ascending", [`-${key}`]: "descending" }[this.state.sort];
    const next = { ascending: `-${key}`, descending: "" }[way] ?? key;
    const made = button(title, () => {
      this.state.sort = next;
      this.changed();
    });
    made.dataset.sort = key;
    made.append(element("span", { "aria-hidden": "true" }, { ascending: " ▲", descending: " ▼" }[way] ?? ""));
    return element("th", { scope: "col", "aria-sort": way, class: codes && "facet" }, made);
  }

  renderRows() {
    const { cells } = this.view;
    this.body.replaceChildren(...cells.slice(0, this.state.limit).map((cell) => row(this.view, cell)));
    this.renderMore();
  }

  showMore() {
    const { cells } = this.view;
    const from = this.state.limit;
    this.state.limit += MORE;
    this.body.append(...cells.slice(from, this.state.limit).map((cell) => row(this.view, cell)));
    this.renderMore();
    if (this.more.hidden) this.frame.focus();
  }

  renderMore() {
    const left = this.view.cells.length - this.state.limit;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${Math.min(left, MORE)} more of ${PLACES[0].format(left)} that follow`;
  }
}

start("explorer", (root, file) => new Explorer(root, indexed(file), "Cells", { fresh, read, written, csv }));
