// Lines over time. What a line says is also in words: its last value is in the legend, and the chart's label has the largest.

const svgNamespace = "http://www.w3.org/2000/svg";
const kinds = 4;

function svg(name, attributes) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}

/** A card with a chart. Each state redraws the chart; the elements stay. */
export class Chart {
  #title;
  #format;
  #length;
  #svg = svg("svg", { class: "chart", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img" });
  #legend = document.createElement("ul");
  #lines = new Map();

  /**
   * @param {string} title What it shows.
   * @param {(value: number) => string} format A value in words.
   * @param {number} length How many values a line has.
   */
  constructor(title, format, length) {
    this.#title = title;
    this.#format = format;
    this.#length = length;
    const heading = document.createElement("h3");
    heading.textContent = title;
    this.#legend.className = "legend";
    this.#svg.append(svg("line", { x1: 0, x2: 100, y1: 99.5, y2: 99.5 }));
    this.element = document.createElement("div");
    this.element.className = "card";
    this.element.append(heading, this.#svg, this.#legend);
  }

  /** Takes the next value of each line, by its name; a line that is not named any more goes. */
  add(values) {
    for (const name of [...this.#lines.keys()].filter(name => !(name in values))) {
      this.#lines.get(name).remove();
      this.#lines.delete(name);
    }
    for (const [name, value] of Object.entries(values)) {
      const line = this.#lines.get(name) ?? this.#addLine(name);
      line.values.push(value);
      line.values.splice(0, line.values.length - this.#length);
    }
    this.#draw();
  }

  #addLine(name) {
    const style = `series-${this.#lines.size % kinds}`;
    const drawn = svg("polyline", { class: style });
    const entry = document.createElement("li");
    const sample = svg("svg", { viewBox: "0 0 16 6", "aria-hidden": "true" });
    sample.append(svg("line", { class: style, x1: 0, x2: 16, y1: 3, y2: 3 }));
    const text = document.createElement("span");
    entry.append(sample, text);
    this.#svg.append(drawn);
    this.#legend.append(entry);
    const line = { values: [], drawn, text, remove: () => { drawn.remove(); entry.remove(); } };
    this.#lines.set(name, line);
    return line;
  }

  #draw() {
    const all = [...this.#lines.values()].flatMap(line => line.values);
    const largest = Math.max(...all, 0);
    const scale = largest === 0 ? 0 : 95 / largest;
    for (const [name, line] of this.#lines) {
      const first = this.#length - line.values.length;
      const points = line.values.map((value, i) =>
        `${((first + i) * 100 / (this.#length - 1)).toFixed(2)},${(99 - value * scale).toFixed(2)}`);
      line.drawn.setAttribute("points", points.join(" "));
      line.text.textContent = `${name}: ${this.#format(line.values.at(-1))}`;
    }
    this.#svg.setAttribute("aria-label", `${this.#title}, at most ${this.#format(largest)}`);
  }
}
