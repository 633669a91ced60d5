import { Chart } from "./charts.js";
import {
  bytes, count, showDatagrams, showDistances, showFallbacks, showLoops, showNodes, showPlacement, showTraffic,
} from "./views.js";

const base = document.body.dataset.base;
const seconds = 120;
const connection = document.getElementById("connection");
const pause = document.getElementById("pause");

let last;
let charts;
let chartInterval;

function showConnection(state, text) {
  connection.dataset.state = state;
  if (connection.textContent !== text) {
    connection.textContent = text;
  }
}

/** Increases since the last state, per second. */
function ratesOf(state, before) {
  const elapsed = before ? (Date.parse(state.time) - Date.parse(before.time)) / 1000 : 0;
  const rates = (list, key, value) => {
    const old = new Map((before?.[list] ?? []).map(one => [key(one), value(one)]));
    return new Map(state[list].map(one => {
      const grown = value(one) - (old.get(key(one)) ?? value(one));
      return [key(one), elapsed > 0 ? Math.max(0, grown) / elapsed : 0];
    }));
  };
  return {
    received: rates("loops", loop => loop.index, loop => loop.bytesReceived),
    sent: rates("loops", loop => loop.index, loop => loop.bytesSent),
    traffic: rates("traffic", one => `${one.from} ${one.to}`, one => one.items),
    executed: rates("nodes", node => node.id, node => node.placement?.work.executed ?? 0),
  };
}

function makeCharts(state) {
  const length = Math.max(2, Math.round(seconds / state.intervalSeconds));
  const made = {
    connections: new Chart("Connections", count, length),
    io: new Chart("Received and sent", value => `${bytes(value)}/s`, length),
    work: new Chart("Work items", value => `${count(value)}/s`, length),
    queued: new Chart("Queued work items", count, length),
  };
  document.querySelector("#charts .content").replaceChildren(...Object.values(made).map(chart => chart.element));
  return made;
}

function draw(state, rates) {
  const byNode = value => Object.fromEntries(
    state.nodes.filter(node => node.placement).map(node => [`Node ${node.id}`, value(node)]));
  const loopsOf = node => state.loops.filter(loop => loop.node === node.id);
  const sum = values => values.reduce((one, other) => one + other, 0);

  // A point is an interval wide, and the setting may change.
  if (chartInterval !== state.intervalSeconds) {
    chartInterval = state.intervalSeconds;
    charts = makeCharts(state);
  }
  charts.connections.add(byNode(node => sum(loopsOf(node).map(loop => loop.connections))));
  charts.io.add(byNode(node => sum(loopsOf(node).map(loop => rates.received.get(loop.index) + rates.sent.get(loop.index)))));
  charts.work.add(byNode(node => rates.executed.get(node.id)));
  charts.queued.add(byNode(node => node.placement.work.queued));
}

function show(state) {
  const rates = ratesOf(state, last);
  last = state;
  document.getElementById("host").textContent = `on ${state.process.host}`;
  document.getElementById("summary").textContent = state.plan.summary;
  document.getElementById("about").textContent =
    `NumaSharp ${state.process.version}, ${state.process.runtime}, process ${state.process.id}, `
    + `up ${count(state.process.uptimeSeconds)} s.`;
  showFallbacks(state);
  showNodes(state);
  showDistances(state);
  showTraffic(state, rates);
  showPlacement(state);
  showLoops(state, rates);
  showDatagrams(state);
  draw(state, rates);
  document.body.dataset.states = Number(document.body.dataset.states ?? 0) + 1;
}

let source;

// The browser reconnects while the server is unreachable, but not after an answer that is not an event stream.
function connect() {
  source = new EventSource(`${base}events`);
  source.addEventListener("open", () => showConnection("live", "Live"));
  source.addEventListener("state", event => show(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    showConnection("lost", isClosed ? "Refused by the server. Reload to try again." : "Lost, reconnecting");
  });
}

pause.addEventListener("click", () => {
  const isPaused = pause.getAttribute("aria-pressed") === "false";
  pause.setAttribute("aria-pressed", `${isPaused}`);
  if (isPaused) {
    source.close();
    showConnection("paused", "Paused");
  } else {
    connect();
  }
});

connect();
