// What is shown follows from the address alone: #TRACK-SECTION?choices, so that every view can be linked to.
const tracks = new Map();
const views = Array.from(document.querySelectorAll(".view"));

for (const block of document.querySelectorAll("script.data")) {
  const slug = block.dataset.track;
  let read = null;
  tracks.set(slug, { slug, get data() { return (read ??= JSON.parse(block.textContent)); } });
}

function address(slug, section, choices) {
  const chosen = Object.entries(choices).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = chosen.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return `#${slug}-${section}${query ? `?${query}` : ""}`;
}

function readAddress() {
  const [id, query] = splitOnce(location.hash.slice(1), "?");
  const options = new Map();
  for (const part of query.split("&").filter(Boolean)) {
    const [name, value] = splitOnce(part, "=");
    options.set(decoded(name), decoded(value));
  }
  return { id, options };
}

function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function show() {
  const { id, options } = readAddress();
  if (id === "main") return;
  const inside = document.getElementById(id);
  const current = (inside && inside.closest(".view")) || views[0];
  for (const view of views) view.classList.toggle("current", view === current);
  const holder = current.closest(".track");
  for (const part of document.querySelectorAll(".track")) part.classList.toggle("current", part === holder);
  for (const link of document.querySelectorAll("nav.tracks a")) {
    mark(link, holder ? link.dataset.track === holder.dataset.track : link.getAttribute("href") === "#overview");
  }
  const part = current.dataset.section === "cell" ? `${holder.dataset.track}-problems` : current.id;
  for (const link of document.querySelectorAll("nav.sections a")) mark(link, link.getAttribute("href") === `#${part}`);
  if (holder) fill(tracks.get(holder.dataset.track), current, options);
  if (inside && inside !== current) inside.scrollIntoView();
  else if (!options.size) scrollTo(0, 0); // a new page starts at its top; a choice on it moves nothing
}

function mark(link, isCurrent) {
  if (!isCurrent) {
    link.removeAttribute("aria-current");
    return;
  }
  link.setAttribute("aria-current", "page");
  const bar = link.parentElement; // on a phone the row of tabs is longer than the screen
  bar.scrollLeft += link.getBoundingClientRect().left - bar.getBoundingClientRect().left - 16;
}

function fill(track, section, options) {
  const kind = section.dataset.section;
  if (kind === "leaderboard") showBoard(section, options.get("tag") || "");
  if (kind === "problems") showProblems(track, section, options);
  if (kind === "compare") {
    const names = track.data.pairs.subjects;
    const place = (key, other) => (options.has(key) ? names.indexOf(options.get(key)) : other);
    const [first, second] = track.data.contenders;
    showPair(track, section, place("a", first ?? 0), place("b", second ?? 1));
  }
  if (kind === "cell") showCell(track, section, options);
  if (kind === "subject") showSubject(track, section, options.get("s"));
}

function showSubject(track, section, name) {
  const select = section.querySelector(".pick-subject");
  if (!select) return;
  const place = track.data.subjects.indexOf(name);
  const index = place < 0 ? (track.data.contenders[0] ?? 0) : place;
  select.value = String(index);
  for (const part of section.querySelectorAll(".profile")) part.classList.toggle("current", part.dataset.subject === String(index));
}

function go(track, section, choices, replace = false) {
  const hash = address(track.slug, section, choices);
  if (replace) {
    history.replaceState(null, "", hash);
    show();
  } else {
    location.hash = hash;
  }
}

// Choices change the address, and the address changes the page.
for (const holder of document.querySelectorAll(".track")) {
  const track = tracks.get(holder.dataset.track);
  const on = (selector, kind, act) => {
    for (const control of holder.querySelectorAll(selector)) control.addEventListener(kind, () => act(control));
  };
  on(".board-filter", "change", (select) => go(track, "leaderboard", { tag: select.value }));
  on(".pick-subject", "change", (select) => go(track, "subject", { s: track.data.subjects[Number(select.value)] }));
  const pair = (turned) => {
    const picked = [".pick-a", ".pick-b"].map((name) => track.data.pairs.subjects[Number(holder.querySelector(name).value)]);
    const [a, b] = turned ? [picked[1], picked[0]] : picked;
    go(track, "compare", { a, b });
  };
  on(".pick-a, .pick-b", "change", () => pair(false));
  on(".swap", "click", () => pair(true));
  const problems = (replace) => {
    const section = holder.querySelector('[data-section="problems"]');
    const metric = Number(section.querySelector(".pick-metric").value);
    const choices = { q: section.querySelector(".find").value, metric: metric ? track.data.metrics[metric].name : "" };
    for (const select of section.querySelectorAll(".tag-filter")) choices[`tag.${select.dataset.tag}`] = select.value;
    go(track, "problems", choices, replace);
  };
  on(".find", "input", () => problems(true));
  on(".pick-metric, .tag-filter", "change", () => problems(false));
}

// Left and right walk through the sections, as in a row of tabs.
for (const bar of document.querySelectorAll("nav.sections, nav.tracks")) {
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const links = Array.from(bar.querySelectorAll("a"));
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[(at + step + links.length) % links.length].focus();
  });
}

document.documentElement.classList.add("js");
sortable(document);
addEventListener("hashchange", show);
addEventListener("load", show); // after the browser's own jump to the address
show();
