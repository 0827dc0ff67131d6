"use strict";
// A click on a heading sorts its table; a second click turns the order. Undefined values stay last.
function sortKey(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const number = text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  return text === "" ? null : Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a < b ? -1 : 1;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const header = button.closest("th");
    const body = header.closest("table").tBodies[0];
    const order = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = Array.from(body.rows, (row) => ({ row, key: sortKey(row, header.cellIndex) }));
    rows.sort((a, b) =>
      a.key === null || b.key === null ? (a.key === null) - (b.key === null) : sign * compare(a.key, b.key)
    );
    body.append(...rows.map((entry) => entry.row));
  });
}
