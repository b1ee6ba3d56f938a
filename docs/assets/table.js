/**
 * One table to filter, sort and unfold: Results and Compare.
 *
 * analysis/data/columnar.py says what its file holds. Nothing is computed here but order, counts and units.
 * All text reaches the page as text.
 */

import { Tabulator } from "./vendor/tabulator.js";

const NARROW = matchMedia("(max-width: 50em)");
const NONE = "–";
const UNITS = {
  s: [["s", 1], ["ms", 1e-3], ["µs", 1e-6]],
  B: [["GiB", 2 ** 30], ["MiB", 2 ** 20]],
  J: [["J", 1], ["mJ", 1e-3]],
  x: [["×", 1]],
  "%": [["%", 1]],
};

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function button(words, push, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", push);
  return made;
}

const rows = (count) => `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;

/** Return a number with three significant digits, a ratio with two decimals, and a count as it is. */
function digits(value, unit) {
  const exact = value === 0 || Math.abs(value) >= 100 || (Number.isInteger(value) && unit === "");
  const places = unit === "x" ? 2 : exact ? 0 : Math.min(6, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** Return a row's number with its unit, and its interval, as words. */
function worded({ values, off, unit }, row) {
  const value = values[row];
  if (value === null) return [NONE, ""];
  const sizes = UNITS[unit] ?? [["", 1]];
  const [name, size] = sizes.find(([, each]) => Math.abs(value) >= each / 10) ?? sizes.at(-1);
  const bounds = off?.[row] ? [value / off[row], value * off[row]].map((each) => digits(each / size, unit)).join(" to ") : "";
  return [`${digits(value / size, unit)} ${name}`.trim(), bounds];
}

/** The file, with what is looked up often. */
class Data {
  constructor(file) {
    Object.assign(this, file);
    this.facet = new Map(file.facets.map((each) => [each.key, each]));
    this.index();
  }

  index() {
    this.number = new Map(this.numbers.map((each) => [each.key, each]));
    this.note = new Map(this.texts.map((each) => [each.key, each]));
    for (const about of this.numbers.filter(({ examples }) => examples)) {
      const { values, off } = this.number.get("time");
      about.values = values.map((time, row) => (time && about.examples[row] ? about.examples[row] / time : null));
      about.off = off;
    }
  }

  /** Get what only unfolded rows show, once. */
  async complete() {
    if (!this.more) return;
    const { numbers, texts } = await (await fetch(this.more)).json();
    this.more = "";
    this.numbers.push(...numbers);
    this.texts.push(...texts);
    this.index();
  }

  title(key, row) {
    const { titles, codes } = this.facet.get(key);
    return titles[codes[row]];
  }

  name(key, row) {
    const { names, codes } = this.facet.get(key);
    return names[codes[row]];
  }

  text(key, row) {
    const about = this.note.get(key);
    return about?.names[about.codes[row]] ?? "";
  }

  /** Return the rows that all filters let through, counts for each value of a facet, and rows that one filter hides. */
  matching(chosen) {
    const counts = new Map(this.facets.map(({ key, names }) => [key, new Int32Array(names.length)]));
    const [found, hidden] = [[], new Map()];
    for (let row = 0; row < this.rows; row += 1) {
      const refusing = this.facets.filter(({ key, codes }) => chosen.has(key) && !chosen.get(key).has(codes[row]));
      if (refusing.length > 1) continue;
      const [only] = refusing;
      if (only) hidden.set(only.key, (hidden.get(only.key) ?? 0) + 1);
      else found.push(row);
      for (const { key, codes } of only ? refusing : this.facets) counts.get(key)[codes[row]] += 1;
    }
    return { found, counts, hidden };
  }
}

/** What a reader has chosen: the part of the address behind "#". */
class State {
  constructor(data, hash) {
    const asked = new URLSearchParams(hash.replace(/^#/, ""));
    Object.assign(this, { data, unknown: [], chosen: new Map(), sort: asked.get("sort") ?? "" });
    this.value = data.values.includes(asked.get("value")) ? asked.get("value") : data.values[0];
    for (const { key, title, names } of data.facets) {
      const wanted = (asked.has(key) ? asked.getAll(key) : [data.start[key]]).filter(Boolean);
      const known = wanted.filter((name) => names.includes(name)).map((name) => names.indexOf(name));
      if (known.length) this.chosen.set(key, new Set(known));
      this.unknown.push(...wanted.filter((name) => !names.includes(name)).map((name) => `${title} ${name}`));
    }
  }

  /** Write what differs from the start into the address. */
  write() {
    const parts = new URLSearchParams();
    for (const { key, names } of this.data.facets) {
      const own = [...(this.chosen.get(key) ?? [])].map((code) => names[code]);
      const start = this.data.start[key] ?? "";
      if (own.join() !== start) (own.length ? own : [""]).forEach((name) => parts.append(key, name));
    }
    if (this.value !== this.data.values[0]) parts.set("value", this.value);
    if (this.sort) parts.set("sort", this.sort);
    history.replaceState(null, "", `${parts}` ? `#${parts}` : location.pathname + location.search);
  }
}

/** The filters, the chips that remove them, and the table. */
class Table {
  constructor(root, data) {
    Object.assign(this, { root, data, open: new Set(), shown: [], state: new State(data, location.hash) });
    this.selects = new Map(data.facets.filter(({ names }) => names.length > 1).map((each) => [each.key, this.select(each)]));
    this.chips = element("p", { class: "chosen" });
    this.status = element("p", { class: "shown", role: "status" });
    this.advice = element("div", { class: "advice" });
    this.place = element("div", { class: "rows" });
    root.prepend(this.filters(), this.chips, this.status, this.advice, this.place);
    this.table = new Tabulator(this.place, {
      data: [], columns: this.columns(), index: "row", height: "100%", layout: "fitColumns", headerSortTristate: true,
      rowFormatter: (row) => this.unfold(row),
    });
    this.table.on("tableBuilt", () => this.restore());
    this.table.on("dataSorted", (sorters) => this.sorted(sorters));
    addEventListener("hashchange", () => this.restore());
    NARROW.addEventListener("change", () => this.show());
  }

  select({ key, title }) {
    const made = element("select");
    made.addEventListener("change", () => this.add(key, Number(made.value)));
    return element("label", {}, `${title} `, made);
  }

  filters() {
    const of = (isFirst) => this.data.facets.filter(({ first }) => first === isFirst).map(({ key }) => this.selects.get(key));
    const more = element("details", {}, element("summary", {}, "More filters"), element("div", {}, ...of(false).filter(Boolean)));
    this.toggle = element("div", { class: "toggle", role: "group", "aria-label": "Show" });
    for (const key of this.data.values.length > 1 ? this.data.values : []) {
      const push = () => this.change({ value: key });
      this.toggle.append(button(this.data.number.get(key).title, push, { "data-value": key }));
    }
    const tools = element("div", { class: "tools" }, this.toggle, more, button("Download these rows", () => this.download()));
    return element("div", { class: "filters" }, ...of(true).filter(Boolean), tools);
  }

  add(key, code) {
    this.filter(key, [...(this.data.facet.get(key).single ? [] : this.state.chosen.get(key) ?? []), code]);
  }

  remove(key, code) {
    this.filter(key, [...this.state.chosen.get(key)].filter((each) => code !== undefined && each !== code));
  }

  filter(key, codes) {
    if (codes.length) this.state.chosen.set(key, new Set(codes));
    else this.state.chosen.delete(key);
    this.change({});
  }

  change(state) {
    Object.assign(this.state, state);
    this.state.write();
    this.show();
  }

  /** Show what the address asks for; a heading's address leaves the table alone. */
  restore() {
    if (location.hash && !location.hash.includes("=") && this.shown.length) return;
    this.state = new State(this.data, location.hash);
    this.show();
  }

  async show() {
    const { found, counts, hidden } = this.data.matching(this.state.chosen);
    this.shown = found;
    this.differing = this.data.facets.filter(({ column, codes }) => column && found.some((row) => codes[row] !== codes[found[0]]));
    this.offer(counts);
    this.tell(hidden);
    this.table.setColumns(this.columns());
    await this.table.setData(found.map((row) => ({ row })));
    const key = this.state.sort.replace(/^-/, "");
    if (key && this.table.getColumn(key)) this.table.setSort(key, this.state.sort === key ? "asc" : "desc");
    this.place.querySelector(".tabulator-tableholder").removeAttribute("tabindex"); // its buttons have the focus
    this.root.classList.add("ready");
  }

  offer(counts) {
    for (const [key, label] of this.selects) {
      const { titles, single } = this.data.facet.get(key);
      const chosen = this.state.chosen.get(key);
      const left = [...titles.keys()].filter((code) => !chosen?.has(code));
      const options = left.map((value) => element("option", { value }, `${titles[value]} (${counts.get(key)[value]})`));
      const first = !chosen ? "any" : single ? "change to" : "add another";
      label.lastChild.replaceChildren(element("option", { value: "" }, first), ...options);
    }
  }

  /** Say what is shown, and why no row is left, with a button for each filter whose removal brings rows back. */
  tell(hidden) {
    const { facets, facet, start } = this.data;
    const { chosen, unknown, value } = this.state;
    const chips = [...chosen].flatMap(([key, codes]) => [...codes].map((code) => {
      const hides = key in start && hidden.get(key) ? ` (hides ${rows(hidden.get(key))})` : "";
      const words = `${facet.get(key).title}: ${facet.get(key).titles[code]}${hides}`;
      return button(`${words} ×`, () => this.remove(key, code), { "aria-label": `Remove the filter ${words}` });
    }));
    this.chips.replaceChildren("Filters: ", ...(chips.length ? chips : ["none"]));
    const told = new Set([...this.differing.map(({ key }) => key), ...chosen.keys()]);
    const same = facets.filter(({ key, column, names }) => column && names.length > 1 && !told.has(key));
    const all = same.map(({ key }) => this.data.title(key, this.shown[0])).join(", ");
    const parts = [`${this.shown.length.toLocaleString("en")} of ${rows(this.data.rows)}.`];
    if (all && this.shown.length) parts.push(`The same for all: ${all}.`);
    if (unknown.length) parts.push(`The link asks for what is not here: ${unknown.join(", ")}.`);
    this.status.textContent = parts.join(" ");
    for (const each of this.toggle.children) each.setAttribute("aria-pressed", each.dataset.value === value);
    const names = [...chosen].map(([key, codes]) =>
      `${facet.get(key).title} ${[...codes].map((code) => facet.get(key).titles[code]).join(" or ")}`);
    const helpful = [...hidden].map(([key, count]) =>
      button(`Remove the filter ${facet.get(key).title} (${rows(count)})`, () => this.remove(key)));
    const none = button("Remove all filters", () => this.change({ chosen: new Map() }));
    const why = element("p", {}, `No row has ${names.join(" and ")}. These filters exclude each other.`);
    this.place.hidden = !this.shown.length;
    this.advice.replaceChildren(...(this.shown.length ? [] : [why, ...helpful, none]));
  }

  columns() {
    const { data, state: { value } } = this;
    const main = [this.competitorColumn(), this.numberColumn(data.number.get(value))];
    if (value !== "ratio") main.push(this.numberColumn(data.number.get("ratio")));
    if (NARROW.matches || !this.differing) return main;
    const leading = this.differing.filter(({ lead }) => lead);
    const settings = this.settings().length ? [this.wordsColumn("settings", "settings", (row) => this.words(row))] : [];
    const others = data.numbers.filter(({ key, column }) => column && key !== "ratio" && !data.values.includes(key));
    const texts = data.texts.filter(({ column }) => column);
    return [
      ...leading.map(({ key, title, codes }) => this.wordsColumn(key, title, (row) => data.title(key, row), (row) => codes[row])),
      ...main, ...settings, ...others.map((each) => this.numberColumn(each)),
      ...texts.map(({ key, title }) => this.wordsColumn(key, title, (row) => data.text(key, row))),
    ];
  }

  settings() {
    return this.differing.filter(({ lead }) => !lead || NARROW.matches);
  }

  words(row) {
    return this.settings().map(({ key }) => this.data.title(key, row)).join(" · ");
  }

  /** Return a column; its formatter's words become a text node, since Tabulator would read a string as HTML. */
  column(field, title, value, formatter, more = {}) {
    const sorter = (a, b, one, other, column, order) => {
      const [x, y] = [one, other].map((row) => value(row.getData().row) ?? null);
      if (x === null || y === null) return ((x === null) - (y === null)) * (order === "desc" ? -1 : 1);
      return x < y ? -1 : Number(x > y);
    };
    return {
      field, title, sorter, variableHeight: true, widthGrow: 1, minWidth: NARROW.matches ? 0 : 90,
      titleFormatter: () => button(title, () => {}), formatter: (cell) => element("div", {}, formatter(cell.getData().row)), ...more,
    };
  }

  wordsColumn(key, title, words, value = words) {
    return this.column(key, title, value, words, { widthGrow: 2, minWidth: 130 });
  }

  competitorColumn() {
    const formatter = (row) => {
      const [version, mode] = ["environment", "mode"].map((key) => this.data.title(key, row));
      const isOpen = this.open.has(row);
      const named = { "aria-expanded": isOpen, "aria-label": `Details of ${version}, ${mode}` };
      return element("span", {}, button(isOpen ? "▾" : "▸", () => this.turn(row), named), ` ${version}`,
        element("small", {}, mode), element("small", {}, NARROW.matches ? this.words(row) : ""));
    };
    const { codes } = this.data.facet.get("environment");
    const width = NARROW.matches ? { widthGrow: 1.5 } : { widthGrow: 2, minWidth: 170 };
    return this.column("environment", "framework and mode", (row) => codes[row], formatter, width);
  }

  /** Return the column of a number; a ratio stands with its verdict, a missing value with its reason. */
  numberColumn(about) {
    const formatter = (row) => {
      const [words, bounds] = worded(about, row);
      const verdict = about.key === "ratio" ? this.data.text("verdict", row) : "";
      const missing = words === NONE && about.key === this.state.value ? this.data.text("note", row) : "";
      const small = verdict && bounds ? `${verdict} (${bounds})` : verdict || bounds || missing;
      return element("span", { class: verdict.replaceAll(" ", "-") }, words, element("small", {}, small));
    };
    return this.column(about.key, about.title, (row) => about.values[row], formatter, { cssClass: "right" });
  }

  sorted([first]) {
    const sort = first ? `${first.dir === "desc" ? "-" : ""}${first.field}` : "";
    if (!this.root.classList.contains("ready") || sort === this.state.sort) return;
    this.state.sort = sort;
    this.state.write();
  }

  async turn(row) {
    await this.data.complete().catch(() => {});
    if (!this.open.delete(row)) this.open.add(row);
    const shown = this.table.getRow(row);
    shown.reformat();
    shown.getElement().querySelector("button").focus();
  }

  unfold(shown) {
    const { row } = shown.getData();
    shown.getElement().querySelector(".unfolded")?.remove();
    if (!this.open.has(row)) return;
    const told = this.details(row).filter(([, words]) => words);
    const list = told.map(([title, words]) => element("div", {}, element("dt", {}, title), element("dd", {}, words)));
    shown.getElement().append(element("div", { class: "unfolded", role: "gridcell" }, element("dl", {}, ...list)));
  }

  details(row) {
    const numbers = this.data.numbers.map((about) => {
      const [words, bounds] = worded(about, row);
      return [about.title, words === NONE ? "" : `${words}${bounds ? ` (99 % interval ${bounds})` : ""}`];
    });
    const texts = this.data.texts.map(({ key, title, kind }) => [title, this.detail(kind, this.data.text(key, row), row)]);
    return [...numbers, ...texts, ...this.data.facets.map(({ key, title }) => [title, this.data.title(key, row)])];
  }

  detail(kind, words, row) {
    if (kind === "link" && words) return element("a", { href: words }, "the code that was measured");
    const named = ["environment", "mode"].map((key) => ` --${key} ${this.data.name(key, row).split(" ")[0]}`);
    return kind === "code" && words ? element("code", {}, words, ...named) : words;
  }

  async download() {
    await this.data.complete().catch(() => {});
    const { facets, numbers, texts } = this.data;
    const lines = this.table.getRows().map((each) => each.getData().row).map((row) => [
      ...facets.map(({ key }) => this.data.name(key, row)), ...numbers.map(({ values }) => values[row] ?? ""),
      ...texts.map(({ key }) => this.data.text(key, row)),
    ]);
    const quoted = (field) => `"${String(field).replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
    const text = [[...facets, ...numbers, ...texts].map(({ key }) => key), ...lines];
    const blob = new Blob([text.map((line) => line.map(quoted).join(",")).join("\n")], { type: "text/csv" });
    element("a", { href: URL.createObjectURL(blob), download: "rows.csv" }).click();
  }
}

const root = document.querySelector(".explorer");
if (root) {
  const file = fetch(root.dataset.file).then((answer) => answer.json());
  file.then((data) => new Table(root, new Data(data))).catch(() => root.classList.add("failed"));
}
