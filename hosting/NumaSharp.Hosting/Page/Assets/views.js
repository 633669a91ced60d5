// One function per section. Existing elements are changed, not replaced, so that readers keep their place.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes in the largest unit that leaves a digit before the point. */
export function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

/** A number with its thousands apart. */
export function count(value) {
  return Math.round(value).toLocaleString("en");
}

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function make(name, className, text) {
  const element = document.createElement(name);
  if (className) {
    element.className = className;
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

/**
 * A table in a container.
 * @param {Element} container Where it is.
 * @param {string} caption What it shows, for screen readers.
 * @param {string[]} columns The headers; the first column has the headers of rows.
 * @param {{text: string, class?: string, heat?: number}[][]} rows The cells.
 */
function setTable(container, caption, columns, rows) {
  const shape = JSON.stringify([columns, rows.length]);
  if (container.dataset.shape !== shape) {
    container.dataset.shape = shape;
    const table = make("table");
    table.append(make("caption", "", caption));
    const head = table.createTHead().insertRow();
    for (const column of columns) {
      const header = make("th", "", column);
      header.scope = "col";
      head.append(header);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((_, i) => {
        const cell = make(i === 0 ? "th" : "td");
        if (i === 0) {
          cell.scope = "row";
        }
        line.append(cell);
      });
    }
    container.replaceChildren(table);
  }
  rows.forEach((row, r) => row.forEach((cell, c) => {
    const element = container.firstChild.tBodies[0].rows[r].cells[c];
    setText(element, cell.text);
    element.className = cell.class ?? "";
    if (cell.heat === undefined) {
      delete element.dataset.heat;
    } else {
      element.dataset.heat = cell.heat;
    }
  }));
}

const cell = text => ({ text: String(text) });
const words = text => ({ text: String(text), class: "text" });
const section = id => document.querySelector(`#${id} .content`);

/** Shows or hides a whole section. */
function show(id, isShown) {
  document.getElementById(id).hidden = !isShown;
}

export function showFallbacks(state) {
  const content = section("fallbacks");
  show("fallbacks", state.fallbacks.length > 0);
  const shape = JSON.stringify(state.fallbacks);
  if (content.dataset.shape === shape) {
    return;
  }
  content.dataset.shape = shape;
  content.replaceChildren(...state.fallbacks.map(one => {
    const box = make("div", "problem");
    box.append(make("h3", "", one.node === undefined ? one.feature : `${one.feature}, node ${one.node}`), make("p", "", one.message));
    if (one.advice) {
      box.append(make("p", "", `What to do: ${one.advice}`));
    }
    return box;
  }));
}

function makeCard(id) {
  const card = make("article", "card");
  const title = make("h3", "", `Node ${id}`);
  title.id = `node-${id}`;
  card.setAttribute("aria-labelledby", title.id);
  const meter = make("meter");
  meter.min = 0;
  meter.max = 1;
  card.append(title, meter, make("dl"));
  return card;
}

function setTerms(list, terms) {
  if (list.childElementCount !== terms.length * 2) {
    list.replaceChildren(...terms.flatMap(() => [make("dt"), make("dd")]));
  }
  terms.forEach(([term, value], i) => {
    setText(list.children[2 * i], term);
    setText(list.children[2 * i + 1], value);
  });
}

function termsOf(node, state) {
  const loops = state.loops.filter(loop => loop.node === node.id);
  const terms = [
    ["CPUs", node.cpus || "none"],
    ["Memory", `${bytes(node.memoryFreeBytes)} of ${bytes(node.memoryBytes)} free${node.isMemoryAllowed ? "" : ", not for this process"}`],
  ];
  if (node.managedHeapBytes !== undefined) {
    terms.push(["Managed heap", bytes(node.managedHeapBytes)]);
  }
  for (const pages of node.hugePages.filter(pages => pages.total > 0)) {
    terms.push([`Pages of ${bytes(pages.pageBytes)}`, `${count(pages.free)} of ${count(pages.total)} free`]);
  }
  const placement = node.placement;
  if (!placement) {
    return [...terms, ["Plan", "not included"]];
  }
  terms.push(
    ["Pools", `${bytes(placement.memory.poolRented)} rented of ${bytes(placement.memory.poolCommitted)}`],
    ["Allocator", `${bytes(placement.memory.allocated)} of ${bytes(placement.memory.allocatorCommitted)}`],
    ["Workers", placement.servedBy === node.id
      ? `${placement.applied.workers}${placement.work.spares ? ` and ${placement.work.spares} spare` : ""}`
      : `those of node ${placement.servedBy}`],
    ["Work", `${count(placement.work.executed)} items, ${count(placement.work.queued)} queued`],
    ["Loops", `${placement.applied.loops}`],
    ["Connections", count(loops.reduce((sum, loop) => sum + loop.connections, 0))]);
  return terms;
}

export function showNodes(state) {
  const content = section("nodes");
  if (content.childElementCount !== state.nodes.length || state.nodes.some((node, i) => content.children[i].dataset.node !== `${node.id}`)) {
    content.replaceChildren(...state.nodes.map(node => {
      const card = makeCard(node.id);
      card.dataset.node = node.id;
      return card;
    }));
  }
  state.nodes.forEach((node, i) => {
    const [title, meter, list] = content.children[i].children;
    setText(title, `Node ${node.id}${node.kind === "Normal" ? "" : ` (${node.kind})`}`);
    const used = node.memoryBytes === 0 ? 0 : 1 - node.memoryFreeBytes / node.memoryBytes;
    meter.value = used;
    meter.setAttribute("aria-label", `${Math.round(used * 100)} % of the memory is in use`);
    setTerms(list, termsOf(node, state));
  });
}

export function showDistances(state) {
  show("distances", state.nodes.length > 1);
  const all = state.nodes.flatMap(node => node.distances);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  setTable(
    section("distances"), "Distances between nodes", ["from \\ to", ...state.nodes.map(node => `Node ${node.id}`)],
    state.nodes.map(node => [
      cell(`Node ${node.id}`),
      ...node.distances.map(distance => ({
        text: `${distance}`, heat: most === least ? 0 : Math.ceil(4 * (distance - least) / (most - least)),
      })),
    ]));
}

// One row for all other nodes: the kernel reports the CPU, and a sample only counts whether it belongs to another node.
function packetsOf(state, nodes) {
  return [cell("Packets, from other nodes"), ...nodes.map(node => {
    const loops = state.loops.filter(loop => loop.node === node.id);
    const sum = value => loops.reduce((total, loop) => total + value(loop), 0);
    const [all, cross] = [sum(loop => loop.receives), sum(loop => loop.crossNodeReceives)];
    return { text: all === 0 ? "" : `${count(cross)} of ${count(all)}`, class: cross === 0 ? "idle" : "" };
  })];
}

export function showTraffic(state, rates) {
  const nodes = state.nodes.filter(node => node.placement);
  show("traffic", nodes.length > 1);
  const items = new Map(state.traffic.map(one => [`${one.from} ${one.to}`, one.items]));
  const most = Math.max(1, ...items.values());
  setTable(
    section("traffic"), "Work items and packets from node to node", ["from \\ to", ...nodes.map(node => `Node ${node.id}`)],
    [...nodes.map(from => [
      cell(`Node ${from.id}`),
      ...nodes.map(to => {
        const key = `${from.id} ${to.id}`;
        const taken = items.get(key) ?? 0;
        return from === to ? { text: "", class: "idle" } : {
          text: `${count(taken)} (${count(rates.traffic.get(key) ?? 0)}/s)`,
          class: taken === 0 ? "idle" : "",
          heat: taken === 0 ? undefined : Math.ceil(4 * taken / most),
        };
      }),
    ]), packetsOf(state, nodes)]);
}

export function showPlacement(state) {
  const both = (planned, applied) => planned === applied
    ? words(planned)
    : { text: `${planned || "none"}, now ${applied || "none"}`, class: "text differs" };

  // Loops run while the transport has an end point or a connection.
  const loops = placed => state.loops.length === 0
    ? { text: `${placed.planned.loops}, not running`, class: "text idle" }
    : both(`${placed.planned.loops}`, `${placed.applied.loops}`);
  const rows = state.nodes.filter(node => node.placement).map(({ id, placement }) => [
    cell(`Node ${id}`),
    both(placement.planned.cpus, placement.applied.cpus),
    both(placement.planned.memoryNodes, placement.applied.memoryNodes),
    both(placement.planned.binding, placement.applied.binding),
    both(`${placement.planned.workers}`, `${placement.applied.workers}`),
    loops(placement),
  ]);
  setTable(
    section("placement"), "The plan for each node, and the applied value where it differs",
    ["Node", "CPUs", "Memory of", "Binding", "Workers", "Loops"], rows);
  const notes = document.getElementById("notes");
  const plan = state.plan;
  const lines = [
    `Memory policy ${plan.memoryPolicy}, bind mode ${plan.bindMode}, scheduler ${plan.schedulerPolicy}, transport ${plan.transport}.`,
    `CPUs ${plan.plannedCpus || "none"} of ${plan.allowedCpus || "none"} that the process may use; read from ${plan.source}.`,
    ...plan.notes, ...plan.warnings,
  ];
  if (plan.changes > 0) {
    lines.push(`The plan has changed ${count(plan.changes)} times because the machine changed.`);
  }
  if (notes.childElementCount !== lines.length) {
    notes.replaceChildren(...lines.map(() => make("li")));
  }
  lines.forEach((line, i) => setText(notes.children[i], line));
}

export function showLoops(state, rates) {
  show("loops", state.loops.length > 0);
  setTable(
    section("loops"), "The event loops of the transport",
    ["Loop", "Node", "State", "Connections", "Accepted", "From other loops", "Received", "Sent", "Hand-overs", "Demotions", "Restarts"],
    state.loops.map(loop => [
      cell(`Loop ${loop.index}`),
      cell(loop.node),
      !loop.isServing ? { text: "lost", class: "text differs" }
        : loop.stuckSeconds > 0 ? { text: `stuck for ${Math.round(loop.stuckSeconds)} s`, class: "text differs" } : words("serving"),
      cell(count(loop.connections)),
      cell(count(loop.accepted)),
      cell(count(loop.placed)),
      cell(`${bytes(rates.received.get(loop.index) ?? 0)}/s`),
      cell(`${bytes(rates.sent.get(loop.index) ?? 0)}/s`),
      cell(count(loop.handOvers)),
      cell(count(loop.demotions)),
      cell(count(loop.restarts)),
    ]));
}

export function showDatagrams(state) {
  show("datagrams", state.datagrams.length > 0);
  setTable(
    section("datagrams"), "The datagram sockets of each event loop",
    ["Loop", "Node", "State", "Received", "Sent", "Bytes received", "Bytes sent", "Dropped"],
    state.datagrams.map(loop => [
      cell(`Loop ${loop.loop}`),
      cell(loop.node),
      loop.isServing ? words("serving") : { text: "lost", class: "text differs" },
      cell(count(loop.received)),
      cell(count(loop.sent)),
      cell(bytes(loop.bytesReceived)),
      cell(bytes(loop.bytesSent)),
      loop.dropped > 0 ? { text: count(loop.dropped), class: "differs" } : cell(0),
    ]));
}
