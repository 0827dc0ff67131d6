// Charts tell what they show: to who points at a mark, and to who walks along them with the arrow keys.
function readOuts(figure) {
  const svg = figure.querySelector("svg");
  if (!svg) return;
  const region = figure.querySelector(".scroll");
  const readout = figure.querySelector(".readout");
  const tip = element("span", { class: "tip", "aria-hidden": "true" });
  tip.hidden = true;
  figure.append(tip);
  const marks = [];
  for (const title of svg.querySelectorAll("title")) {
    const mark = title.parentElement;
    mark.dataset.tip = title.textContent;
    title.remove(); // else the browser shows a second one, late
    if (mark.tagName !== "text") marks.push(mark);
  }
  let at = -1;
  const tell = (mark, words) => {
    svg.querySelector(".told")?.classList.remove("told");
    tip.hidden = !mark;
    if (!mark) return;
    if (mark.tagName !== "text") mark.classList.add("told");
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect(), around = figure.getBoundingClientRect();
    const room = around.width - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(box.left + box.width / 2 - around.left - tip.offsetWidth / 2, room))}px`;
    tip.style.top = `${box.top - around.top - tip.offsetHeight - 6}px`;
    if (words) readout.textContent = mark.dataset.tip;
  };
  svg.addEventListener("pointerover", (event) => tell(event.target.closest("[data-tip]"), false));
  svg.addEventListener("pointerleave", () => tell(null));
  svg.addEventListener("click", (event) => follow(figure, event.target.closest("[data-go]")));
  region.addEventListener("blur", () => { tell(null); readout.textContent = ""; });
  region.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" && at >= 0) follow(figure, marks[at]);
    if (event.key === "Escape") tell(null);
    if (!step || !marks.length) return;
    event.preventDefault();
    at = Number.isFinite(step) ? (Math.max(at + step, step < 0 && at < 0 ? marks.length - 1 : 0)) % marks.length : step < 0 ? 0 : marks.length - 1;
    tell(marks[at], true);
    const box = marks[at].getBoundingClientRect(), visible = region.getBoundingClientRect();
    if (box.left < visible.left || box.right > visible.right) region.scrollLeft += box.left - visible.left - visible.width / 2;
  });
}

function follow(figure, mark) {
  if (!mark?.dataset.go) return;
  const { slug, data } = tracks.get(figure.closest(".track").dataset.track);
  const [problem, subject] = mark.dataset.go.split(",").map(Number);
  const p = data.problems[problem];
  location.hash = subject < 0 ? address(slug, "problems", { p }) : address(slug, "cell", { p, s: data.subjects[subject] });
}

// A chart as a file: the colours that are seen are written into the marks, so that it needs no style sheet.
const PAINTED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "text-anchor"];

function asSvg(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((one, place) => {
    const style = getComputedStyle(one);
    for (const name of PAINTED) copies[place].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "data-go"]) copies[place].removeAttribute(name);
    const tip = copies[place].dataset.tip;
    delete copies[place].dataset.tip;
    if (tip) copies[place].append(svgElement("title", {}, tip));
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(svgElement("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}

async function asPng(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asSvg(svg))}`;
  await picture.decode();
  const canvas = element("canvas", { width: String(2 * width), height: String(2 * height) });
  canvas.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function asCsv({ columns, rows }) {
  const field = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    // what a spreadsheet would take for a formula is kept a text
    const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

async function download(figure, kind) {
  const track = figure.closest(".track") && tracks.get(figure.closest(".track").dataset.track);
  const svg = figure.querySelector("svg");
  const name = `${track?.slug || "cell"}-${figure.dataset.figure || figure.querySelector(".scroll").getAttribute("aria-label").toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${kind}`;
  const writers = {
    svg: () => new Blob([asSvg(svg)], { type: "image/svg+xml" }),
    png: () => asPng(svg),
    csv: () => new Blob([asCsv(track.data.figures[figure.dataset.figure])], { type: "text/csv" }),
  };
  const link = element("a", { href: URL.createObjectURL(await writers[kind]()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function chartOf(figure) {
  readOuts(figure);
  for (const button of figure.querySelectorAll(".downloads button")) button.addEventListener("click", () => download(figure, button.dataset.as));
}

for (const figure of document.querySelectorAll("figure.chart")) chartOf(figure);
