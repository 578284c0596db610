"use strict";
// The page itself: sorts tables, opens what a link leads to, prints.
(() => {
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const arrive = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    if (target.closest("details")) target.scrollIntoView();
  };

  const sortable = (table) => {
    const body = table.tBodies[0];
    const key = (row, at) => {
      const cell = row.cells[at];
      return cell.dataset.order === undefined ? (at ? -Infinity : cell.textContent) : Number(cell.dataset.order);
    };
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      if ("fixed" in head.dataset) return;
      const button = element("button", { type: "button" }, ...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].sort((one, two) => {
          const [first, second] = [key(one, at), key(two, at)];
          return (first < second ? -1 : first > second ? 1 : 0) * (down ? -1 : 1);
        });
        body.append(...rows);
      });
    });
  };

  for (const table of document.querySelectorAll("table.sortable")) sortable(table);
  for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());
  addEventListener("hashchange", arrive);
  arrive();
  document.documentElement.dataset.script = "ran";
})();
