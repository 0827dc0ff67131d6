// Two subjects: the numbers were computed with the report; the scatter is drawn here from the scores per problem.
const SIDE = 440, EDGE = 64, MOST_LISTED = 6;

function showPair(track, section, a, b) {
  const target = section.querySelector(".pair");
  if (!target) return;
  const names = track.data.pairs.subjects;
  if (a < 0) a = 0;
  if (b < 0 || b === a) b = a === 0 ? 1 : 0;
  section.querySelector(".pick-a").value = String(a);
  section.querySelector(".pick-b").value = String(b);
  const pair = track.data.pairs.found.find((entry) => entry[0] === a && entry[1] === b);
  const [, , difference, problems, wins, ties, losses, p, corrected, sure, tooFew] = pair;
  const metric = track.data.metrics[0];
  const gain = metric.goal === "max" ? "higher" : "lower";
  const facts = element("dl", { class: "facts" });
  const say = (label, ...text) => facts.append(element("dt", {}, label), element("dd", {}, ...text));
  say(`${metric.name}, a - b`, element("strong", {}, difference), ` (${gain} is better)`);
  say("problems", `${problems}`);
  say("a won, tied, lost", `${wins}, ${ties}, ${losses}`);
  say("p", `${p}; ${corrected} after correction`);
  const verdict = sure
    ? "Unlikely to be chance."
    : tooFew || "This may be chance: the two cannot be told apart on these problems.";
  target.replaceChildren(
    element("p", { class: "versus" }, element("strong", {}, isolated(names[a])), " against ", element("strong", {}, isolated(names[b]))),
    element("div", { class: "pair-parts" }, element("div", {}, facts, outcomeBar(wins, ties, losses), outcomeWords(wins, ties, losses), element("p", { class: "sureness" }, verdict), farthest(track, a, b)), scatter(track, a, b))
  );
}

// The problems on which the two differ most, whoever is better there.
function farthest({ data, slug }, a, b) {
  const metric = data.metrics[0], [first, second] = [data.scores[0][a], data.scores[0][b]];
  const differences = data.problems
    .map((problem, place) => ({ problem, place, difference: first[place] - second[place] }))
    .filter(({ place, difference }) => finite(first[place]) && finite(second[place]) && difference !== 0)
    .sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference))
    .slice(0, MOST_LISTED);
  if (!differences.length) return "";
  const rows = differences.map(({ problem, place, difference }) => {
    const link = element("a", { href: address(slug, "problems", { p: problem }) }, isolated(problem));
    const better = (metric.goal === "max") === difference > 0;
    return element("tr", {}, element("th", { scope: "row", class: "text" }, link), element("td", {}, number(first[place])), element("td", {}, number(second[place])), element("td", { class: better ? "better" : "worse" }, `${difference > 0 ? "+" : ""}${number(difference)}`));
  });
  const heads = ["differ most on", "a", "b", "a - b"].map((title, place) => element("th", { scope: "col", class: place ? "" : "text" }, title));
  return element("table", { class: "farthest" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
}

function outcomeBar(wins, ties, losses) {
  const total = Math.max(wins + ties + losses, 1);
  const svg = svgElement("svg", { class: "outcomes", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": `won ${wins}, tied ${ties}, lost ${losses}` });
  let x = 0;
  for (const [count, style] of [[wins, "win"], [ties, "tie"], [losses, "loss"]]) {
    const width = (100 * count) / total;
    svg.append(svgElement("rect", { class: style, x: x.toFixed(2), y: 0, width: width.toFixed(2), height: 8 }));
    x += width;
  }
  return svg;
}

function outcomeWords(wins, ties, losses) {
  return element("p", { class: "outcome-words" }, element("span", {}, `a won ${wins}`), element("span", {}, `tied ${ties}`), element("span", {}, `b won ${losses}`));
}

function scatter(track, a, b) {
  const { data, slug } = track;
  const metric = data.metrics[0];
  const first = data.scores[0][a], second = data.scores[0][b];
  const [low, high] = around([...first, ...second]);
  const place = (value) => (value - low) / (high - low);
  const x = (value) => EDGE + place(value) * (SIDE - EDGE - 10);
  const y = (value) => SIDE - EDGE - place(value) * (SIDE - EDGE - 10);
  const svg = svgElement("svg", { class: "scatter", viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group", "aria-label": `${metric.name} per problem: ${data.subjects[a]} across, ${data.subjects[b]} up` });
  svg.append(
    svgElement("rect", { class: "frame", x: EDGE, y: 10, width: SIDE - EDGE - 10, height: SIDE - EDGE - 10 }),
    svgElement("line", { class: "diagonal", x1: x(low), y1: y(low), x2: x(high), y2: y(high) })
  );
  for (const at of roundTicks(low, high)) {
    svg.append(
      svgElement("line", { class: "guide", x1: x(at), x2: x(at), y1: y(low), y2: y(high) }),
      svgElement("line", { class: "guide", x1: x(low), x2: x(high), y1: y(at), y2: y(at) }),
      svgElement("text", { class: "axis", x: x(at), y: SIDE - EDGE + 16, "text-anchor": "middle" }, String(at)),
      svgElement("text", { class: "axis", x: EDGE - 6, y: y(at) + 4, "text-anchor": "end" }, String(at))
    );
  }
  svg.append(
    svgElement("text", { class: "axis strong", x: (SIDE + EDGE) / 2, y: SIDE - 10, "text-anchor": "middle" }, `a: ${shorter(data.subjects[a])}`),
    svgElement("text", { class: "axis strong", x: 12, y: (SIDE - EDGE) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(SIDE - EDGE) / 2})` }, `b: ${shorter(data.subjects[b])}`)
  );
  data.problems.forEach((problem, index) => {
    const across = first[index], up = second[index];
    if (!finite(across) || !finite(up)) return;
    const gain = metric.goal === "max" ? across - up : up - across;
    const style = gain > 0 ? "win" : gain < 0 ? "loss" : "tie";
    const link = svgElement("a", { href: address(slug, "problems", { p: problem }) });
    link.append(svgElement("circle", { class: style, cx: x(across).toFixed(1), cy: y(up).toFixed(1), r: 4 }, svgElement("title", {}, `${problem}: a ${number(across)}, b ${number(up)}`)));
    svg.append(link);
  });
  const caption = `A dot per problem; on the diagonal both are equal, ${metric.goal === "max" ? "below" : "above"} it a is better.`;
  return element("figure", { class: "panel" }, svg, element("figcaption", { class: "legend" }, caption));
}

// As far as the values reach and a little further: most scores huddle in a corner of their scale.
function around(values) {
  const numbers = values.filter(finite);
  const low = Math.min(...numbers), high = Math.max(...numbers);
  const room = (high - low) * 0.05;
  return high > low ? [low - room, high + room] : range(values);
}

function shorter(name) {
  return name.length > 34 ? `${name.slice(0, 33)}…` : name;
}
