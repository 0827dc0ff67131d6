// On a phone a chart of the whole width is drawn again: the plot becomes narrow, names, marks and words keep their size.
const LETTER = 7; // usual width of a letter on a chart

function squeeze(svg, width) {
  const [start, end] = svg.dataset.plot.split(" ").map(Number);
  const { width: whole, height } = svg.viewBox.baseVal;
  const names = Math.max(0, ...[...svg.querySelectorAll("text")].filter((one) => textStart(one) < start).map((one) => room(one, start)));
  const beside = whole - end < 100 ? whole - end : Math.min(whole - end, 0.34 * width);
  const from = Math.min(start, Math.max(names, 24), 0.36 * width), to = width - beside;
  const place = (x) => {
    if (x < start) return x < start / 2 ? Math.min(x, from) : Math.max(0, from - (start - x));
    return x > end ? to + (x - end) : from + ((x - start) * (to - from)) / (end - start);
  };
  let last = { y: -1, right: 0 };
  for (const one of svg.children) {
    const at = (name) => Number(one.getAttribute(name));
    if (one.tagName === "circle") one.setAttribute("cx", place(at("cx")).toFixed(1));
    if (one.tagName === "rect") {
      const right = place(at("x") + at("width"));
      one.setAttribute("x", place(at("x")).toFixed(1));
      one.setAttribute("width", Math.max(right - at("x"), 1).toFixed(1));
    }
    if (one.tagName === "path") movePath(one, place);
    if (one.tagName === "text") last = fitText(one, place(at("x")), at("x") < start ? from - 8 : width, last);
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
}

function textStart(text) {
  return Number(text.getAttribute("x"));
}

// How much the names before a plot need: those that end at it, and those that begin at the edge of the chart.
function room(text, start) {
  const length = LETTER * text.lastChild.textContent.length;
  return text.getAttribute("text-anchor") === "end" ? length + start - textStart(text) : textStart(text) + length < start ? textStart(text) + length + 8 : 0;
}

function movePath(path, place) {
  const outline = path.getAttribute("d");
  if (!path.classList.contains("mark")) {
    path.setAttribute("d", outline.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) => `${place(Number(x)).toFixed(1)} ${y}`));
    return;
  }
  const round = /^M(-?[\d.]+) [^a]*a([\d.]+)/.exec(outline);
  const corners = [...outline.matchAll(/[ML](-?[\d.]+) /g)].map((match) => Number(match[1]));
  const middle = round ? Number(round[1]) + Number(round[2]) : (Math.min(...corners) + Math.max(...corners)) / 2;
  path.setAttribute("transform", `translate(${(place(middle) - middle).toFixed(1)} 0)`);
}

// A text at its new place: cut where it would leave the chart, left out where it would cover the one before it.
function fitText(text, x, edge, last) {
  const words = text.lastChild, anchor = text.getAttribute("text-anchor") || "start", y = text.getAttribute("y");
  if (anchor === "start" && edge - x < LETTER * words.textContent.length && Number(y) < 20) x = Math.max(0, edge - LETTER * words.textContent.length);
  const free = anchor === "end" ? x : anchor === "middle" ? 2 * Math.min(x, edge - x) : edge - x;
  const most = Math.max(3, Math.floor(free / LETTER));
  text.setAttribute("x", x.toFixed(1));
  if (words.textContent.length > most && anchor !== "middle") words.textContent = `${words.textContent.slice(0, most - 1)}…`;
  if (anchor !== "middle") return last;
  const half = (LETTER * words.textContent.length) / 2;
  if (half > free / 2) text.setAttribute("x", Math.max(half, Math.min(x, edge - half)).toFixed(1));
  if (y === last.y && x - half < last.right + 4) {
    text.remove();
    return last;
  }
  return { y, right: x + half };
}

if (matchMedia("(max-width: 48rem)").matches) {
  const width = document.documentElement.clientWidth - 30;
  for (const svg of document.querySelectorAll("svg[data-plot]")) squeeze(svg, width);
}
