// What is behind a dot: in a file it is packed beside the scores; a server has a page for it.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// What a metric is stands once in the file, on the page of methods.
function define(target, methods) {
  const definitionOf = new Map([...methods.querySelectorAll("[data-metric]")].map((one) => [one.dataset.metric, one]));
  for (const one of target.querySelectorAll("[data-metric]")) one.append(...[...(definitionOf.get(one.dataset.metric)?.childNodes || [])].map((part) => part.cloneNode(true)));
}

async function showCell(track, section, options) {
  const { data, slug } = track;
  const target = section.querySelector(".cell-body");
  const problem = data.problems.indexOf(options.get("p")), subject = data.subjects.indexOf(options.get("s"));
  if (problem < 0 || subject < 0) {
    target.replaceChildren(element("p", {}, "This cell is not in this report."));
    return;
  }
  if (data.keys) {
    const keys = data.keys[problem][subject];
    const entry = keys.find(([seed]) => String(seed) === options.get("seed")) || keys[0];
    if (entry) location.replace(`cell/${entry[1]}`);
    return;
  }
  const hash = location.hash;
  let cells = [];
  try {
    cells = data.packed[problem] ? await unpacked(data.packed[problem]) : [];
  } catch {
    cells = []; // a browser that cannot unpack
  }
  if (location.hash !== hash) return; // the reader went on meanwhile
  const own = cells.filter(([which, , kind]) => which === subject && kind < 2);
  const cell = own.find(([, seed]) => String(seed) === options.get("seed")) || own[0];
  if (cell && cell[2]) {
    // written with the report, every text in it escaped; what is parsed so runs no script
    target.replaceChildren(...new DOMParser().parseFromString(cell[3], "text/html").body.childNodes);
    const task = cells.find(([which, seed, kind]) => kind === 2 && which === subject && seed === cell[1]); // beside the cells, packed once where it is the same
    if (task) target.querySelector("section.given").replaceChildren(...new DOMParser().parseFromString(task[3], "text/html").body.childNodes);
    for (const figure of target.querySelectorAll("figure.chart")) chartOf(figure);
    define(target, document.getElementById(`${slug}-methods`));
    return;
  }
  const back = address(slug, "problems", { p: data.problems[problem] });
  const metrics = data.metrics.map((metric, place) => [metric.name, number(data.scores[place][subject][problem])]);
  const facts = element("dl", { class: "facts" });
  for (const [name, value] of metrics) facts.append(element("dt", {}, name), element("dd", {}, value));
  const [, , seconds, reason] = data.cells[problem][subject];
  facts.append(element("dt", {}, "time"), element("dd", {}, duration(seconds)));
  target.replaceChildren(
    element("h3", {}, isolated(data.subjects[subject])),
    element("p", { class: "question" }, "on ", element("a", { href: back }, isolated(data.problems[problem]))),
    ...(reason ? [element("div", { class: "notice" }, element("pre", {}, reason))] : []),
    element("h4", {}, "Scores, mean over seeds"), facts,
    element("h4", {}, "Answer"),
    cell && cell[3] ? element("pre", { class: "block", tabindex: "0" }, cell[3]) : element("p", {}, "It is not in this file."),
    element("p", { class: "legend" }, "To keep this file small, only a sample of the cells is in it in full. assay serve DIR shows each of them, assay show DIR prints it.")
  );
}
