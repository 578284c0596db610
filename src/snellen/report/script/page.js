"use strict";
// Filters and pages the rows of a group once it is opened, and sorts tables; without it, all rows are a plain list.
(() => {
  const PAGE = 15;

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const outcomesOf = (rows) => {
    const found = new Map();
    for (const row of rows) {
      const name = row.dataset.outcome;
      if (!found.has(name)) found.set(name, row.querySelector(".tag").textContent.trim());
    }
    return found;
  };

  const reveals = new WeakMap();

  const equip = (group) => {
    const tools = group.querySelector(".tools");
    if (tools.childElementCount) return;
    const rows = [...group.querySelectorAll(".rows > li")];
    const kind = element("select", {});
    kind.append(element("option", { value: "" }, "all replies"));
    for (const [value, label] of outcomesOf(rows)) kind.append(element("option", { value }, label));
    if (rows.some((row) => row.dataset.moved)) kind.append(element("option", { value: "moved" }, "choice moved"));
    const words = element("input", { type: "search", placeholder: "words in them" });
    const back = element("button", { type: "button" }, "Earlier");
    const on = element("button", { type: "button" }, "Later");
    const place = element("span", { role: "status" });
    tools.append(
      element("label", {}, "Show ", kind), element("label", {}, "with ", words), back, on, place,
    );
    let start = 0;
    const matching = () => rows.filter((row) =>
      (!kind.value || row.dataset.outcome === kind.value || (kind.value === "moved" && row.dataset.moved)) &&
      (!words.value || row.textContent.toLowerCase().includes(words.value.toLowerCase())));
    const show = () => {
      const found = matching();
      start = Math.max(0, Math.min(start, Math.floor(Math.max(0, found.length - 1) / PAGE) * PAGE));
      const seen = new Set(found.slice(start, start + PAGE));
      for (const row of rows) row.hidden = !seen.has(row);
      place.textContent = found.length
        ? `${start + 1} to ${Math.min(start + PAGE, found.length)} of ${found.length}` : "none";
      back.disabled = start === 0;
      on.disabled = start + PAGE >= found.length;
    };
    const turn = (by) => { start += by; show(); };
    back.addEventListener("click", () => turn(-PAGE));
    on.addEventListener("click", () => turn(PAGE));
    for (const control of [kind, words]) control.addEventListener("input", () => { start = 0; show(); });
    reveals.set(group, (row) => {
      kind.value = words.value = "";
      start = Math.floor(rows.indexOf(row) / PAGE) * PAGE;
      show();
    });
    show();
  };

  const arrive = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    if (target.classList.contains("inside")) {
      equip(target.closest(".group"));
      target.closest(".group").scrollIntoView();
    }
    if (target.matches(".rows > li")) {
      equip(target.closest(".group"));
      reveals.get(target.closest(".group"))(target);
      target.firstElementChild.open = true;
      target.scrollIntoView();
    }
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
  for (const group of document.querySelectorAll(".group")) {
    group.addEventListener("toggle", () => { if (group.open) equip(group); });
    if (group.open) equip(group);
  }
  addEventListener("hashchange", arrive);
  arrive();
  document.documentElement.dataset.script = "ran";
})();
