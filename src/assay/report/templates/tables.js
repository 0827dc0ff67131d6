// A click on a heading sorts its table; a second click turns the order. Undefined values stay last.
function sortKey(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const value = text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  return text === "" ? null : Number.isNaN(value) ? text : value;
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a < b ? -1 : 1;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortBodies(header, order) {
  const sign = order === "ascending" ? 1 : -1;
  for (const body of header.closest("table").tBodies) {
    const rows = Array.from(body.rows, (row) => ({ row, key: sortKey(row, header.cellIndex) }));
    rows.sort((a, b) =>
      a.key === null || b.key === null ? (a.key === null) - (b.key === null) : sign * compareKeys(a.key, b.key)
    );
    body.append(...rows.map((entry) => entry.row));
  }
}

function sortable(root) {
  for (const button of root.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const header = button.closest("th");
      const order = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", order);
      sortBodies(header, order);
    });
  }
}

// The leaderboard on one tag's value: its rows were computed with the report and stand ready.
function showBoard(section, tag) {
  const select = section.querySelector(".board-filter");
  if (!select) return;
  const values = Array.from(select.options, (option) => option.value);
  const value = values.includes(tag) ? tag : "";
  select.value = value;
  const note = section.querySelector(".filter-note");
  note.textContent = "";
  for (const body of section.querySelector("table.leaderboard").tBodies) {
    body.hidden = body.dataset.filter !== value;
    if (!body.hidden && value) {
      note.textContent = `Means, intervals and places over the ${body.dataset.problems} problems with ${value}.`;
    }
  }
}
