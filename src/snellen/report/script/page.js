"use strict";
// The page itself: opens what a link leads to and moves the focus there, lets tables that scroll be reached, prints.
(() => {
  const arrive = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    // the browser of responses leads to its own
    if (!target || (target.id !== "rows" && target.closest("#rows"))) return;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    if (target.closest("details")) target.scrollIntoView();
    const to = target.localName === "details" ? target.querySelector("summary") : target;
    if (to.tabIndex < 0) to.setAttribute("tabindex", "-1");
    to.focus({ preventScroll: true });
  };

  // a table is a stop for the keyboard only where it scrolls
  const reach = () => {
    for (const each of document.querySelectorAll(".wide")) {
      if (each.scrollWidth > each.clientWidth) each.setAttribute("tabindex", "0");
      else each.removeAttribute("tabindex");
    }
  };

  for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());
  addEventListener("hashchange", arrive);
  document.addEventListener("toggle", reach, true);
  addEventListener("resize", reach);
  reach();
  arrive();
  document.documentElement.dataset.script = "ran";
})();
