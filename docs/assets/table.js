/**
 * One table to filter, sort and unfold: Results and Compare.
 *
 * analysis/site/data/columnar.py says what its file holds. Nothing is computed here but order, counts and units.
 * All text reaches the page as text.
 */

import { Tabulator } from "./vendor/tabulator.js";

const NARROW = matchMedia("(max-width: 50em)");
const NONE = "–";
const SIZES = {
  s: [["s", 1], ["ms", 1e-3], ["µs", 1e-6]],
  B: [["GiB", 2 ** 30], ["MiB", 2 ** 20]],
  J: [["J", 1], ["mJ", 1e-3]],
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

/** Return a number with three significant digits, and a ratio with two decimals. */
function digits(value, unit) {
  if (unit === "x") return value.toFixed(2);
  const places = value === 0 || Math.abs(value) >= 100 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const decimals = Number.isInteger(value) && unit === "" ? 0 : Math.min(places, 6);
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Return a number's value with its unit, and its interval, as words. */
function worded(about, row) {
  const value = about.values[row];
  if (value === null) return [NONE, ""];
  const sizes = SIZES[about.unit] ?? [[{ "%": "%", x: "×" }[about.unit] ?? "", 1]];
  const [name, size] = sizes.find(([, each]) => Math.abs(value) >= each / 10) ?? sizes.at(-1);
  const off = about.off?.[row] ?? null;
  const bounds = [value / off, value * off].map((each) => digits(each / size, about.unit)).join(" to ");
  return [`${digits(value / size, about.unit)} ${name}`.trim(), off === null ? "" : bounds];
}

function rows(count) {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}

/** The file, with what is looked up often. */
class Data {
  constructor(file) {
    Object.assign(this, file);
    this.facet = new Map(file.facets.map((each) => [each.key, each]));
    this.number = new Map(file.numbers.map((each) => [each.key, each]));
    this.note = new Map(file.texts.map((each) => [each.key, each]));
  }

  title(key, row) {
    const facet = this.facet.get(key);
    return facet.titles[facet.codes[row]];
  }

  text(key, row) {
    const about = this.note.get(key);
    return about?.names[about.codes[row]] ?? "";
  }

  competitor(row) {
    return `${this.title("environment", row)}, ${this.title("mode", row)}`;
  }

  /** Return the rows that all filters let through, and for each facet the count of rows for each of its values. */
  matching(chosen) {
    const counts = new Map(this.facets.map(({ key, names }) => [key, new Int32Array(names.length)]));
    const without = new Map();
    const found = [];
    for (let row = 0; row < this.rows; row += 1) {
      const refusing = this.facets.filter(({ key, codes }) => chosen.has(key) && !chosen.get(key).has(codes[row]));
      if (!refusing.length) found.push(row);
      if (refusing.length === 1) without.set(refusing[0].key, (without.get(refusing[0].key) ?? 0) + 1);
      if (refusing.length > 1) continue;
      for (const { key, codes } of refusing.length ? refusing : this.facets) counts.get(key)[codes[row]] += 1;
    }
    return { found, counts, without };
  }
}

/** What a reader has chosen: the part of the address behind "#". */
class State {
  constructor(data, hash) {
    const asked = new URLSearchParams(hash.replace(/^#/, ""));
    this.data = data;
    this.unknown = [];
    this.chosen = new Map();
    for (const { key } of data.facets) this.choose(key, asked);
    this.value = data.values.includes(asked.get("value")) ? asked.get("value") : data.values[0];
    this.sort = asked.get("sort") ?? "";
  }

  choose(key, asked) {
    const { names, title } = this.data.facet.get(key);
    const wanted = asked.has(key) ? asked.getAll(key).filter(Boolean) : [this.data.start[key] ?? ""].filter(Boolean);
    const codes = wanted.map((name) => names.indexOf(name));
    if (codes.some((code) => code >= 0)) this.chosen.set(key, new Set(codes.filter((code) => code >= 0)));
    this.unknown.push(...wanted.filter((name) => !names.includes(name)).map((name) => `${title} ${name}`));
  }

  /** Return the part of a link that holds what a reader has changed. */
  get hash() {
    const parts = new URLSearchParams();
    for (const { key, names } of this.data.facets) {
      const own = [...(this.chosen.get(key) ?? [])].map((code) => names[code]);
      const start = this.data.start[key];
      if (start === undefined || own.length !== 1 || own[0] !== start) own.forEach((name) => parts.append(key, name));
      if (start !== undefined && !own.length) parts.append(key, "");
    }
    if (this.value !== this.data.values[0]) parts.set("value", this.value);
    if (this.sort) parts.set("sort", this.sort);
    return String(parts);
  }

  write() {
    history.replaceState(null, "", this.hash ? `#${this.hash}` : location.pathname + location.search);
  }
}

/** The filters, the chips that remove them, and the table. */
class Table {
  constructor(root, data) {
    Object.assign(this, { root, data, open: new Set(), shown: [] });
    this.filters = element("div", { class: "filters" });
    this.chips = element("p", { class: "chosen" });
    this.status = element("p", { class: "shown", role: "status" });
    this.advice = element("div", { class: "advice" });
    this.place = element("div", { class: "rows" });
    root.prepend(this.filters, this.chips, this.status, this.advice, this.place);
    this.selects = new Map(data.facets.filter(({ names }) => names.length > 1).map((facet) => [facet.key, this.select(facet)]));
    this.layFilters();
    this.state = new State(data, location.hash);
    this.table = new Tabulator(this.place, {
      data: [], columns: this.columns(), index: "row", height: "100%", layout: "fitColumns", headerSortTristate: true,
      rowFormatter: (row) => this.unfold(row),
    });
    this.table.on("tableBuilt", () => {
      this.place.querySelector(".tabulator-tableholder").removeAttribute("tabindex"); // its buttons have the focus
      this.restore();
    });
    this.table.on("dataSorted", (sorters) => this.sorted(sorters));
    addEventListener("hashchange", () => this.restore());
    NARROW.addEventListener("change", () => this.show());
  }

  select({ key, title }) {
    const made = element("select");
    made.addEventListener("change", () => this.add(key, Number(made.value)));
    return element("label", {}, `${title} `, made);
  }

  layFilters() {
    const first = this.data.facets.filter((facet) => this.selects.has(facet.key) && facet.first);
    const others = this.data.facets.filter((facet) => this.selects.has(facet.key) && !facet.first);
    const more = element("details", {}, element("summary", {}, "More filters"));
    more.append(element("div", {}, ...others.map(({ key }) => this.selects.get(key))));
    const values = this.data.values.map((key) => this.data.number.get(key)).filter(Boolean);
    this.toggle = element("div", { class: "toggle", role: "group", "aria-label": "Show" });
    for (const { key, title } of values.length > 1 ? values : []) {
      this.toggle.append(button(title, () => this.change({ value: key }), { "data-value": key }));
    }
    const download = button("Download these rows", () => this.download());
    const tools = element("div", { class: "tools" }, this.toggle, more, download);
    this.filters.append(...first.map(({ key }) => this.selects.get(key)), tools);
  }

  add(key, code) {
    const others = this.data.facet.get(key).single ? [] : this.state.chosen.get(key) ?? [];
    this.state.chosen.set(key, new Set([...others, code]));
    this.change({});
  }

  remove(key, code) {
    const left = [...(this.state.chosen.get(key) ?? [])].filter((each) => code !== undefined && each !== code);
    if (left.length) this.state.chosen.set(key, new Set(left));
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
    const { found, counts, without } = this.data.matching(this.state.chosen);
    this.shown = found;
    this.offer(counts);
    this.chips.replaceChildren("Filters: ", ...this.chosenChips(without));
    const unknown = this.state.unknown.length ? ` The link asks for what is not here: ${this.state.unknown.join(", ")}.` : "";
    const same = found.length ? this.same().map(({ key }) => this.data.title(key, found[0])) : [];
    const all = same.length ? ` The same for all: ${same.join(", ")}.` : "";
    this.status.textContent = `${found.length.toLocaleString("en")} of ${rows(this.data.rows)}.${all}${unknown}`;
    this.advise(without);
    for (const each of this.toggle.children) each.setAttribute("aria-pressed", each.dataset.value === this.state.value);
    this.table.setColumns(this.columns());
    const [key, order] = [this.state.sort.replace(/^-/, ""), this.state.sort.startsWith("-") ? "desc" : "asc"];
    await this.table.setData(found.map((row) => ({ row })));
    if (key && this.table.getColumn(key)) this.table.setSort(key, order);
    this.root.classList.add("ready");
  }

  offer(counts) {
    for (const [key, label] of this.selects) {
      const { titles, single } = this.data.facet.get(key);
      const chosen = this.state.chosen.get(key);
      const options = titles.map((title, code) => [`${title} (${counts.get(key)[code]})`, code]);
      const left = options.filter(([, code]) => !chosen?.has(code));
      const any = element("option", { value: "" }, !chosen ? "any" : single ? "change to" : "add another");
      label.lastChild.replaceChildren(any, ...left.map(([title, value]) => element("option", { value }, title)));
    }
  }

  chosenChips(without) {
    const chips = [...this.state.chosen].flatMap(([key, codes]) => [...codes].map((code) => {
      const words = `${this.data.facet.get(key).title}: ${this.data.facet.get(key).titles[code]}`;
      const hides = key in this.data.start && without.get(key) ? ` (hides ${rows(without.get(key))})` : "";
      return button(`${words}${hides} ×`, () => this.remove(key, code), { "aria-label": `Remove the filter ${words}${hides}` });
    }));
    return chips.length ? chips : ["none"];
  }

  /** Explain why no row is left, with a button for each filter whose removal brings rows back. */
  advise(without) {
    this.place.hidden = !this.shown.length;
    const names = [...this.state.chosen].map(([key, codes]) =>
      `${this.data.facet.get(key).title} ${[...codes].map((code) => this.data.facet.get(key).titles[code]).join(" or ")}`);
    const helpful = [...without].map(([key, count]) =>
      button(`Remove the filter ${this.data.facet.get(key).title} (${rows(count)})`, () => this.remove(key)));
    const all = button("Remove all filters", () => { this.state.chosen.clear(); this.change({}); });
    const told = element("p", {}, `No row has ${names.join(" and ")}. These filters exclude each other.`);
    this.advice.replaceChildren(...(this.shown.length ? [] : [told, ...helpful, all]));
  }

  differing() {
    if (!this.shown.length) return [];
    return this.data.facets.filter((facet) => facet.column && this.shown.some((row) => facet.codes[row] !== facet.codes[this.shown[0]]));
  }

  same() {
    const told = new Set([...this.differing().map(({ key }) => key), ...this.state.chosen.keys()]);
    return this.data.facets.filter(({ key, column, names }) => column && names.length > 1 && !told.has(key));
  }

  columns() {
    const main = [this.competitorColumn(), this.numberColumn(this.data.number.get(this.state?.value ?? this.data.values[0]))];
    if (this.data.number.has("ratio") && this.state?.value !== "ratio") main.push(this.numberColumn(this.data.number.get("ratio")));
    if (NARROW.matches) return main;
    const leading = this.differing().filter(({ lead }) => lead).map((each) => this.facetColumn(each));
    const others = this.data.numbers.filter(({ key, column }) => column && key !== "ratio" && !this.data.values.includes(key));
    const texts = this.data.texts.filter(({ column }) => column);
    return [...leading, ...main, ...(this.settings().length ? [this.settingsColumn()] : []),
      ...others.map((each) => this.numberColumn(each)), ...texts.map((each) => this.textColumn(each))];
  }

  settings() {
    return this.differing().filter(({ lead }) => !lead || NARROW.matches);
  }

  words(row) {
    return this.settings().map(({ key }) => this.data.title(key, row)).join(" · ");
  }

  settingsColumn() {
    return this.column("settings", "settings", (row) => this.words(row), (row) => this.words(row), { widthGrow: 2, minWidth: 150 });
  }

  column(field, title, value, formatter, more = {}) {
    const sorter = (a, b, one, other, column, order) => {
      const [x, y] = [one, other].map((row) => value(row.getData().row) ?? null);
      if (x === null || y === null) return ((x === null) - (y === null)) * (order === "desc" ? -1 : 1);
      return x < y ? -1 : Number(x > y);
    };
    return {
      field, title, sorter, variableHeight: true, widthGrow: 1, minWidth: NARROW.matches ? 0 : 90,
      titleFormatter: () => button(title, () => {}), formatter: (cell) => formatter(cell.getData().row), ...more,
    };
  }

  competitorColumn() {
    const { codes } = this.data.facet.get("environment");
    const formatter = (row) => {
      const words = this.data.competitor(row);
      const fold = button(this.open.has(row) ? "▾" : "▸", () => this.turn(row),
        { "aria-expanded": this.open.has(row), "aria-label": `Details of ${words}` });
      const asked = NARROW.matches ? this.words(row) : "";
      return element("div", {}, fold, ` ${this.data.title("environment", row)}`,
        element("small", {}, this.data.title("mode", row)), element("small", {}, asked));
    };
    const width = NARROW.matches ? { widthGrow: 1.5 } : { widthGrow: 2, minWidth: 170 };
    return this.column("environment", "framework and mode", (row) => codes[row], formatter, width);
  }

  facetColumn({ key, title, codes }) {
    return this.column(key, title, (row) => codes[row], (row) => this.data.title(key, row), { widthGrow: 2, minWidth: 130 });
  }

  /** Return the column of a number; a ratio stands with its verdict, a missing value with its reason. */
  numberColumn(about) {
    const formatter = (row) => {
      const [words, bounds] = worded(about, row);
      const verdict = about.key === "ratio" ? this.data.text("verdict", row) : "";
      const missing = words === NONE && this.data.values[0] === about.key ? this.data.text("note", row) : "";
      const small = verdict && bounds ? `${verdict} (${bounds})` : verdict || bounds || missing;
      return element("div", { class: `number ${verdict.replaceAll(" ", "-")}` }, words, element("small", {}, small));
    };
    return this.column(about.key, about.title, (row) => about.values[row], formatter, { cssClass: "right" });
  }

  textColumn({ key, title }) {
    return this.column(key, title, (row) => this.data.text(key, row), (row) => element("small", {}, this.data.text(key, row)), { widthGrow: 2 });
  }

  sorted(sorters) {
    const [first] = sorters;
    const sort = first ? `${first.dir === "desc" ? "-" : ""}${first.field}` : "";
    if (!this.root.classList.contains("ready") || sort === this.state.sort) return;
    this.state.sort = sort;
    this.state.write();
  }

  turn(row) {
    if (!this.open.delete(row)) this.open.add(row);
    const shown = this.table.getRow(row);
    shown.reformat();
    shown.getElement().querySelector("button").focus();
  }

  unfold(shown) {
    const { row } = shown.getData();
    const own = shown.getElement();
    own.querySelector(".unfolded")?.remove();
    if (!this.open.has(row)) return;
    const list = element("dl");
    for (const [title, words] of this.details(row)) {
      if (words) list.append(element("div", {}, element("dt", {}, title), element("dd", {}, words)));
    }
    own.append(element("div", { class: "unfolded", role: "gridcell" }, list));
  }

  details(row) {
    const numbers = this.data.numbers.map((about) => {
      const [words, bounds] = worded(about, row);
      return [about.title, words === NONE ? "" : `${words}${bounds ? ` (99 % interval ${bounds})` : ""}`];
    });
    const facets = this.data.facets.map(({ key, title }) => [title, this.data.title(key, row)]);
    const texts = this.data.texts.map(({ key, title, kind }) => [title, this.detail(kind, this.data.text(key, row))]);
    return [...numbers, ...texts, ...facets];
  }

  detail(kind, words) {
    if (kind === "link" && words) return element("a", { href: words }, "the code that was measured");
    return kind === "code" && words ? element("code", {}, words) : words;
  }

  download() {
    const header = [...this.data.facets, ...this.data.numbers, ...this.data.texts].map(({ key }) => key);
    const lines = this.table.getRows().map((each) => each.getData().row).map((row) => [
      ...this.data.facets.map(({ names, codes }) => names[codes[row]]),
      ...this.data.numbers.map(({ values }) => values[row] ?? ""),
      ...this.data.texts.map(({ key }) => this.data.text(key, row)),
    ]);
    const quoted = (field) => `"${String(field).replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
    const text = [header, ...lines].map((line) => line.map(quoted).join(",")).join("\n");
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "rows.csv" });
    link.click();
  }
}

const root = document.querySelector(".explorer");
if (root) {
  fetch(root.dataset.file)
    .then((answer) => answer.json())
    .then((file) => new Table(root, new Data(file)))
    .catch(() => root.classList.add("failed"));
}
