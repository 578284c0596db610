"use strict";
// The page itself: marks the chapter in sight, filters what is shown, sorts tables, opens what a link leads to, prints.
(() => {
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const markPlace = () => {
    const links = [...document.querySelectorAll("nav a")];
    const places = links.map((link) => document.getElementById(link.hash.slice(1)));
    const mark = () => {
      const passed = places.filter((place) => place && place.getBoundingClientRect().top < innerHeight / 3);
      const bottom = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
      const here = bottom ? places[places.length - 1] : passed[passed.length - 1] || places[0];
      links.forEach((link, at) => {
        if (places[at] === here) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    };
    let waiting = false;
    addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; mark(); });
    }, { passive: true });
    mark();
  };

  const equipFilters = () => {
    const form = document.querySelector(".show-only");
    const apply = () => {
      const chosen = new FormData(form);
      const models = form.querySelector("[name=model]") ? new Set(chosen.getAll("model")) : null;
      const only = { benchmark: chosen.get("benchmark"), condition: chosen.get("condition"), verdict: chosen.get("verdict") };
      for (const each of document.querySelectorAll("main [data-model], main [data-benchmark], main [data-condition], main [data-verdict]")) {
        const of = each.dataset;
        const hidden = (models && of.model !== undefined && !models.has(of.model)) ||
          Object.entries(only).some(([name, value]) => value && of[name] !== undefined && of[name] !== value);
        each.classList.toggle("filtered", Boolean(hidden));
      }
      for (const test of document.querySelectorAll("main .test")) {
        const found = [...test.querySelectorAll(".verdicts > li")];
        test.classList.toggle("filtered", found.length > 0 && found.every((each) => each.classList.contains("filtered")));
      }
    };
    form.parentElement.hidden = false;
    form.parentElement.open = matchMedia("(min-width: 64rem)").matches;
    form.addEventListener("input", apply);
    form.addEventListener("reset", () => requestAnimationFrame(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
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

  markPlace();
  equipFilters();
  for (const table of document.querySelectorAll("table.sortable")) sortable(table);
  for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());
  addEventListener("hashchange", arrive);
  arrive();
  document.documentElement.dataset.script = "ran";
})();
