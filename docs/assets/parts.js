/**
 * What the explorer and the page that compares sets share: elements, numbers as words, ratios, facets, copying, and the
 * page itself, whose state is its link.
 * All text reaches the page as text.
 */

const SECONDS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6]];
const BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20]];
export const PLACES = [0, 1, 2, 3, 4, 5, 6].map((places) =>
  new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }));
export const NONE = "–";

/* Elements */

/** Return an element; what is not an element in it becomes text. */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

export function button(title, act) {
  const made = element("button", { type: "button" }, title);
  made.addEventListener("click", act);
  return made;
}

/* Numbers as words, as analysis/units.py writes them */

/** Return a number with three significant digits, and never an exponent. */
export function digits(value) {
  let places = 0;
  while (value !== 0 && places < 6 && Math.abs(value) * 10 ** places < 99.95) places += 1;
  return PLACES[Math.abs(value) >= 0.1 ? Math.min(places, 3) : places].format(value);
}

/** Return the largest unit of which a value is at least a tenth. */
export function unitOf(value, unit) {
  const units = { s: SECONDS, B: BYTES }[unit];
  return units ? units.find(([, size]) => value >= size / 10) ?? units.at(-1) : [unit, 1];
}

export function factor(value) {
  return value >= 0.1 ? PLACES[2].format(value) : digits(value);
}

export function count(number, noun) {
  return `${PLACES[0].format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/* Facets: what rows are told apart by, as analysis/site/pages/explorer_data.py writes them */

/** Return the facets that differ between these rows, and what the others are for all of them. */
export function facetsOf(facets, rows) {
  const [columns, same] = [[], []];
  for (const facet of facets.filter((each) => each.column)) {
    const first = facet.codes[rows[0]];
    const isShared = rows.length > 0 && rows.every((row) => facet.codes[row] === first);
    if (!isShared) columns.push(facet);
    else if (facet.titles[first]) same.push(`${facet.title} ${facet.titles[first]}`);
  }
  return { columns, same };
}

export function facetCell(facet, row, isFirst) {
  const shown = facet.titles[facet.codes[row]];
  const page = facet.pages?.[facet.codes[row]];
  const content = page ? element("a", { href: page }, shown) : shown;
  return element(isFirst ? "th" : "td", isFirst ? { scope: "row" } : { class: `facet ${facet.key}` }, content);
}

/** Return a group of boxes to tick, or of which to choose one; `change(name, isTicked)` hears of each. */
export function chips(legend, key, values, isSingle, change) {
  const list = element("div");
  for (const [name, shown] of values) {
    const input = element("input", { type: isSingle ? "radio" : "checkbox", name: key, value: name });
    input.addEventListener("change", () => change(name, input.checked));
    list.append(element("label", {}, input, shown, element("small")));
  }
  return element("fieldset", { class: "chips" }, element("legend", {}, legend), list);
}

export function isSame(names, others = new Set()) {
  return names.size === others.size && [...names].every((each) => others.has(each));
}

/* Ratios */

/** Return a pair of the file, turned over where it is asked the other way round, with what may be said of it. */
export function oriented(ratio, off, claim, isTurned) {
  const turned = isTurned ? 1 / ratio : ratio;
  return { ratio: turned, off, verdict: claim === "faster" && turned > 1 ? "slower" : claim };
}

/** Return how far from 1 a ratio is, in four steps, for its shade. */
function strength(ratio) {
  const times = Math.max(ratio, 1 / ratio);
  return [1.1, 1.5, 3].filter((bound) => times >= bound).length + 1;
}

/** Return a ratio's cell: `marks` are the words of verdicts, `found.more` further lines of small print. */
export function ratioCell(found, marks) {
  if (found.why) return element("td", { class: "ratio none" }, NONE, element("small", {}, found.why));
  const { ratio, verdict } = found;
  const small = smallPrint(found, marks).map((line) => element("small", {}, line));
  const attributes = { class: `ratio ${verdict}`, "data-strength": strength(ratio) };
  return element("td", attributes, `${factor(ratio)} ×`, ...small);
}

function smallPrint({ ratio, off, verdict, more = [] }, marks) {
  if (verdict === "baseline") return ["baseline"];
  if (off === null) return ["too few rounds for an interval", ...more];
  return [`${factor(ratio / off)} to ${factor(ratio * off)}`, marks[verdict], ...more];
}

/* Copying */

const SPREADSHEET = /^[\s]*[=+\-@]/; // what a spreadsheet would take for a formula

function csvField(value) {
  if (typeof value === "number") return String(value);
  const text = SPREADSHEET.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Return lines of fields as CSV. */
export function csvText(lines) {
  return lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}

export function bounded(value, off) {
  const rounded = (number) => Number(number.toPrecision(5));
  return off === null ? [rounded(value), "", ""] : [value, value / off, value * off].map(rounded);
}

export function ratioFields({ ratio, off, verdict, why }) {
  return why ? ["", "", "", why] : [...bounded(ratio, off), verdict];
}

export function ratioTexts({ ratio, off, verdict, why }) {
  if (why) return [NONE, NONE, why];
  return [factor(ratio), off === null ? NONE : `${factor(ratio / off)} to ${factor(ratio * off)}`, verdict];
}

/** Return text that Markdown shows as it is. */
export function plain(text) {
  return text.replace(/[\\`*_[\]|]/g, "\\$&").replace(/[&<>~$]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What was said to the reader, and what to copy by hand where a browser lets no page copy. */
class Copier {
  constructor() {
    this.said = element("p", { role: "status", class: "said" });
    this.byHand = element("textarea", { readonly: true, hidden: true, rows: 8, "aria-label": "What to copy" });
  }

  say(words) {
    this.said.textContent = words;
    this.byHand.hidden = true;
  }

  async copy(how, text) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(`Copied ${how}.`);
    } catch { // an address without TLS has no clipboard
      this.say(`This browser lets no page copy here: press Ctrl+C to copy ${how}.`);
      this.byHand.value = text;
      this.byHand.hidden = false;
      this.byHand.select();
    }
  }
}

/* The page */

/**
 * Choices, tools, words and a table, from a state that is in the link. `how` has the functions of the page's own:
 * `fresh` and `read` return a state, `written` its link, `csv` what a view shows.
 */
export class Chooser {
  constructor(root, data, label, how) {
    [this.data, this.how, this.copier] = [data, how, new Copier()];
    this.summary = element("summary");
    this.select = element("select");
    this.select.addEventListener("change", () => this.compareWith(this.select.value));
    this.shown = element("p", { role: "status", class: "shown" });
    this.same = element("p", { class: "same" });
    [this.caption, this.head, this.body] = ["caption", "thead", "tbody"].map((each) => element(each));
    const table = element("table", { class: "measured cells" }, this.caption, this.head, this.body);
    this.frame = element("div", { class: "frame", role: "region", tabindex: 0, "aria-label": label }, table);
    this.build(root);
    this.restore();
    addEventListener("hashchange", () => location.hash.includes("=") && this.restore()); // not for a heading's link
  }

  /** Put the choices, the tools and the table before the plain tables, once. */
  lay(root, choices, tools, ...below) {
    const open = matchMedia("(min-width: 60em)").matches; // on a telephone, the table first
    const folded = element("details", { class: "choices", open }, this.summary, ...choices);
    const usual = [
      button("Copy as CSV", () => this.copier.copy("as CSV", this.how.csv(this.view))),
      button("Copy link", () => this.copier.copy("the link", location.href)),
      button("Start again", () => this.begin(this.how.fresh(this.data))),
    ];
    const words = [this.copier.said, this.copier.byHand, this.shown, this.same];
    const bar = element("div", { class: "tools" }, ...tools, ...usual);
    root.prepend(folded, element("div", { class: "results" }, bar, ...words, this.frame, ...below));
  }

  restore() {
    const { state, unknown } = this.how.read(this.data, location.hash);
    this.state = state;
    this.copier.say(unknown.length ? `The link asks for what these data do not have: ${unknown.join(", ")}.` : "");
    this.render();
  }

  begin(state) {
    this.state = state;
    this.changed();
  }

  /** After a reader's change: into the link. */
  changed() {
    const hash = this.how.written(this.data, this.state);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    this.copier.say("");
    this.render();
  }
}

/** Let `make(root, file)` turn the plain tables of a page into controls; where that fails, the plain tables stay. */
export async function start(id, make) {
  const root = document.getElementById(id);
  if (!root) return; // nothing is measured
  try {
    const answer = await fetch(root.dataset.file);
    make(root, await answer.json());
    root.classList.add("ready");
  } catch (error) {
    root.classList.add("failed");
    throw error;
  }
}
