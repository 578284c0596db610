"use strict";
/* Asks for the status every two seconds and shows it: parts that the server has drawn and escaped, or text. */
(() => {
  const EVERY = 2000;
  const at = (id) => document.getElementById(id);
  let tag = "";

  function say(node, text) {
    if (node.textContent !== text) node.textContent = text;
    node.hidden = !text;
  }

  /* A part that has changed; what was unfolded in it stays so. */
  function place(node, html) {
    if (node.drawn === html) return;
    const open = [...node.querySelectorAll("details")].map((each) => each.open);
    node.innerHTML = node.drawn = html;
    node.querySelectorAll("details").forEach((each, number) => { if (number in open) each.open = open[number]; });
  }

  function fill(status) {
    const problem = status.problem || status.estimates?.problem || status.report_problem || "";
    say(at("problem"), problem);
    if (!status.state) return;
    document.title = `${status.state}: ${status.title} · Snellen`;
    say(at("title"), status.title);
    say(at("sentence"), status.sentence);
    Object.assign(at("overall"), { max: Math.max(1, status.wanted), value: status.stored });
    const finished = status.state === "finished";
    at("overall").hidden = finished;
    at("report").hidden = finished;
    for (const id of ["facts", "progress", "failures", "newest"]) place(at(id), status.shown[id] ?? "");
    place(at("so-far"), finished ? "" : status.estimates?.shown ?? "");
  }

  async function look() {
    try {
      const reply = await fetch("/status.json", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
      if (reply.status === 200) {
        const status = await reply.json();
        if (status.report) return location.reload(); // all responses are there, and the report is drawn
        fill(status);
        tag = reply.headers.get("ETag") ?? "";
      }
    } catch {
      say(at("problem"), "snellen view does not answer; it may have been stopped. Trying again.");
      tag = "";
    }
    return setTimeout(look, EVERY);
  }

  look();
})();
