// The list of problems: found by name and tags, scored by the chosen metric; and one problem in full.
const SHADES = 6;

function showProblems(track, section, options) {
  const table = section.querySelector("table.grid");
  if (!table) return;
  const { data } = track;
  const metric = Math.max(data.metrics.findIndex((entry) => entry.name === options.get("metric")), 0);
  const words = (options.get("q") || "").toLowerCase();
  section.querySelector(".find").value = options.get("q") || "";
  section.querySelector(".pick-metric").value = String(metric);
  const chosen = [];
  for (const select of section.querySelectorAll(".tag-filter")) {
    const value = options.get(`tag.${select.dataset.tag}`) || "";
    select.value = Array.from(select.options, (option) => option.value).includes(value) ? value : "";
    if (select.value) chosen.push([select.dataset.tag, select.value]);
  }
  const more = section.querySelector(".more-filters"); // nine filters must not stand before the data
  if (more && chosen.length) more.open = true;
  let matches = 0;
  for (const row of table.tBodies[0].rows) {
    const index = Number(row.dataset.problem);
    const fits = chosen.every(([tag, value]) => data.tags[tag][index] === value);
    row.hidden = !(fits && data.problems[index].toLowerCase().includes(words));
    matches += !row.hidden;
  }
  section.querySelector(".found").textContent = `${matches} of ${data.problems.length} shown`;
  if (metric !== (track.metric || 0)) fillGrid(track, table, metric, section);
  else if (!track.linked) fillGrid(track, table, metric, section);
  const problem = data.problems.indexOf(options.get("p"));
  const card = section.querySelector(".problem-card");
  card.hidden = problem < 0;
  card.replaceChildren(...(problem < 0 ? [] : problemCard(track, problem)));
  for (const row of table.tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.problem) === problem);
  sortable(card);
}

function fillGrid(track, table, metric, section) {
  const { data } = track;
  const { name, goal } = data.metrics[metric];
  track.metric = metric;
  track.linked = true;
  section.querySelector(".grid-title").textContent = `${name} ${goal === "max" ? "↑" : "↓"} per problem`;
  const [low, high] = reach(data.scores[metric].flat());
  for (const row of table.tBodies[0].rows) {
    const index = Number(row.dataset.problem);
    data.subjects.forEach((_, subject) => {
      const [records, failed] = data.cells[index][subject];
      if (!records) return;
      const value = data.scores[metric][subject][index];
      const cell = row.cells[subject + 1];
      cell.className = `shade-${shade(value, low, high, goal)}`;
      cell.dataset.sort = value === null ? "" : String(value);
      cell.replaceChildren(inside(track, index, subject, number(value)), ...(failed ? [" ", element("span", { class: "aside failed" }, `${failed} failed`)] : []));
    });
  }
}

// Every score leads to its answer: on a page of its own where a server gives it out, else inside this file.
function inside(track, problem, subject, words, place = 0) {
  const { data, slug } = track;
  const [seed, key] = data.keys ? data.keys[problem][subject][place] : [data.seeds[problem]?.[subject]?.[place] ?? ""];
  const href = key ? `cell/${key}` : address(slug, "cell", { p: data.problems[problem], s: data.subjects[subject], seed: place ? seed : "" });
  return element("a", { href, title: `what ${data.subjects[subject]} answered, seed ${seed}` }, words);
}

function shade(value, low, high, goal) {
  if (value === null) return 0;
  const share = finite(value) ? Math.min(Math.max((value - low) / (high - low), 0), 1) : value === "inf" ? 1 : 0;
  return 1 + Math.min(Math.floor((goal === "max" ? share : 1 - share) * SHADES), SHADES - 1);
}

function problemCard(track, problem) {
  const { data, slug } = track;
  const facts = element("dl", { class: "facts" });
  const say = (label, ...text) => facts.append(element("dt", {}, label), element("dd", {}, ...text));
  const untold = data.truth_hidden ? "hidden in this report" : "the records of this track do not tell it in words";
  say("truth", element("span", { class: "truth" }, data.truths[problem] || untold));
  const tags = Object.entries(data.all_tags[problem]);
  say("tags", tags.map(([name, value]) => `${name} = ${value}`).join(", ") || "none");
  say("digest", element("code", {}, data.digests[problem]));
  const head = element("tr", {});
  const metrics = data.metrics.map((entry) => `${entry.name} ${entry.goal === "max" ? "↑" : "↓"}`);
  for (const title of ["subject", "look inside", ...metrics, "failed", "time"]) {
    head.append(element("th", { scope: "col", class: title === "subject" ? "text name" : "" }, element("button", { type: "button" }, title)));
  }
  const body = element("tbody", {});
  const notes = [];
  data.subjects.forEach((subject, index) => {
    const [records, failed, seconds, reason] = data.cells[problem][index];
    if (!records) return;
    const link = element("a", { href: address(slug, "subject", { s: subject }) }, isolated(subject));
    const row = element("tr", {}, element("td", { class: "text name" }, link));
    const own = data.keys ? data.keys[problem][index].map(([seed]) => seed) : data.seeds[problem][index];
    const seeds = own.flatMap((seed, place) => [inside(track, problem, index, `seed ${seed}`, place), " "]);
    row.append(element("td", {}, ...seeds));
    for (const scores of data.scores) {
      const value = scores[index][problem];
      row.append(element("td", { "data-sort": value === null ? "" : String(value) }, number(value)));
    }
    row.append(element("td", failed ? { class: "failed" } : {}, String(failed)));
    row.append(element("td", { "data-sort": seconds === null ? "" : String(seconds) }, duration(seconds)));
    body.append(row);
    const remarks = [reason ? `failed: ${reason}` : "", (data.details[problem] || [])[index] || ""].filter(Boolean).join("\n");
    if (remarks) notes.push(element("details", {}, element("summary", {}, isolated(subject)), element("pre", {}, remarks)));
  });
  const close = element("a", { href: address(slug, "problems", {}), class: "close", "aria-label": "Close this problem" }, "✕");
  const parts = [
    close,
    element("h4", {}, isolated(data.problems[problem])),
    facts,
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Scores on this problem" }, element("table", { class: "one-problem" }, element("thead", {}, head), body)),
  ];
  if (notes.length) parts.push(element("h5", {}, "What examination noted"), element("div", { class: "notes" }, ...notes));
  if (!(data.details[problem] || []).length && data.details_left_out) {
    parts.push(element("p", { class: "legend" }, `The details of ${data.details_left_out} problems are left out to keep this file small; they are in the exports and in assay show.`));
  }
  return parts;
}
