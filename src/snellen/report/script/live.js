"use strict";
/* Asks for the status every two seconds and shows it. Whatever comes from a model is set as text. */
(() => {
  const EVERY = 2000;
  const at = (id) => document.getElementById(id);
  let tag = "";

  function say(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function show(node, shown) {
    if (node.hidden === shown) node.hidden = !shown;
  }

  /* The children of a node, one for each entry: kept where they are there, so that focus and scrolling stay. */
  function each(parent, entries, make, fill) {
    while (parent.children.length > entries.length) parent.lastElementChild.remove();
    entries.forEach((entry, place) => {
      const node = parent.children[place] ?? parent.appendChild(make());
      fill(node, entry);
    });
  }

  function made(name, className, ...children) {
    const node = document.createElement(name);
    if (className) node.className = className;
    node.append(...children);
    return node;
  }

  function fillBar(bar, entry, label) {
    const most = Math.max(1, entry.wanted);
    if (bar.max !== most) bar.max = most;
    if (bar.value !== entry.stored) bar.value = entry.stored;
    if (bar.getAttribute("aria-label") !== label) bar.setAttribute("aria-label", label);
  }

  function table(headings, className) {
    const row = made("tr");
    headings.forEach(([words, kind]) => {
      const cell = made("th", kind, words);
      cell.scope = "col";
      row.append(cell);
    });
    const drawn = made("table", `plain ${className}`, made("thead", "", row), made("tbody"));
    return made("section", "of-pair", made("h3"), made("p", "whole"), made("div", "wide", drawn));
  }

  function cells(count) {
    const head = made("th");
    head.scope = "row";
    const row = made("tr", "", head);
    for (let number = 1; number < count; number += 1) row.append(made("td"));
    return row;
  }

  function labelled(cell, label, text, kind) {
    if (cell.className !== kind) cell.className = kind;
    if (cell.dataset.label !== label) cell.dataset.label = label;
    say(cell, text);
  }

  const PROGRESS = [["condition", ""], ["responses", "bar"], ["", "figure"], ["failed", "figure"], ["not applicable", "figure"]];

  function fillProgress(section, group) {
    const [heading, whole] = section.children;
    say(heading, group.heading);
    if (!whole.firstChild) whole.append(made("progress"), made("span"));
    fillBar(whole.children[0], group, `${group.heading}: responses`);
    say(whole.children[1], group.said);
    each(section.querySelector("tbody"), group.rows, () => cells(5), (row, entry) => {
      const [name, bar, said, failed, without] = row.children;
      say(name, entry.condition);
      if (!bar.firstChild) bar.append(made("progress"));
      bar.className = "bar";
      fillBar(bar.firstChild, entry, `${entry.condition}: responses`);
      labelled(said, "", entry.said, "figure");
      labelled(failed, "failed", entry.failed, "figure");
      labelled(without, "not applicable", entry.inapplicable, "figure");
    });
  }

  const ESTIMATES = [["condition", ""], ["so far", "figure"], ["95% CI", "figure"], ["items", "figure"],
    ["change from original (95% CI)", "figure"], ["items with both", "figure"]];

  function fillEstimates(section, group) {
    const [heading, measure] = section.children;
    say(heading, group.heading);
    say(measure, group.measure);
    each(section.querySelector("tbody"), group.rows, () => cells(6), (row, entry) => {
      const [name, value, between, n, change, pairs] = row.children;
      say(name, entry.condition);
      labelled(value, "so far", entry.value, "figure");
      labelled(between, "95% CI", entry.interval, "figure");
      labelled(n, "items", entry.n, "figure");
      labelled(change, "change from original", entry.change, "figure");
      labelled(pairs, "items with both", entry.pairs, "figure");
    });
  }

  function quote() {
    return made("li", "", made("p", "whose"), made("blockquote"));
  }

  function fillQuote(node, parts, text) {
    each(node.children[0], parts, () => made("span"), say);
    say(node.children[1], text);
  }

  function fill(status) {
    show(at("problem"), Boolean(status.problem));
    say(at("problem"), status.problem ?? "");
    if (!status.state) return;
    document.title = `${status.state}: ${status.title} — Snellen`;
    say(at("title"), status.title);
    say(at("study"), status.study);
    say(at("sentence"), status.sentence);
    fillBar(at("overall"), status, "Responses in all");
    each(at("facts"), Object.entries(status.facts), () => made("div", "", made("dt"), made("dd")), (node, [name, value]) => {
      say(node.children[0], name);
      say(node.children[1], value);
    });
    show(at("ended"), status.state !== "running");
    show(at("under-way"), status.state === "running");
    each(at("progress-groups"), status.progress, () => table(PROGRESS, "progress"), fillProgress);
    const found = status.estimates;
    if (found) {
      say(at("note"), found.note);
      show(at("note"), Boolean(found.note));
      say(at("of"), found.problem || `From ${found.of}.`);
      each(at("estimate-groups"), found.groups, () => table(ESTIMATES, "estimates"), fillEstimates);
      each(at("tokens"), found.tokens, () => made("li"), say);
    }
    show(at("no-failures"), !status.failures.length);
    each(at("failure-list"), status.failures, quote, (node, entry) =>
      fillQuote(node, [entry.model, entry.kind, `${entry.count} ×`], entry.message));
    show(at("no-newest"), !status.newest.length);
    each(at("newest-list"), status.newest, quote, (node, entry) =>
      fillQuote(node, [entry.model, entry.condition, entry.item, entry.outcome, entry.came], entry.text));
  }

  async function look() {
    try {
      const reply = await fetch("/status.json", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
      if (reply.status === 200) {
        fill(await reply.json());
        tag = reply.headers.get("ETag") ?? "";
      }
    } catch {
      say(at("problem"), "snellen view does not answer; it may have been stopped. Trying again.");
      show(at("problem"), true);
      tag = "";
    }
    setTimeout(look, EVERY);
  }

  look();
})();
