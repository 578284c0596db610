"use strict";
// The page of a case: keys, and votes that are saved at once, kept here until they are, and sent again where they were
// not. The same vote carries the same nonce however often it is sent, and so it counts once.
(() => {
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const every = (selector) => [...document.querySelectorAll(selector)];
  const KEPT = "snellen-review:";
  const FIRST_WAIT = 1000;
  const LONGEST_WAIT = 30000;

  // A browser that keeps nothing still lets one vote: what was not sent is then lost on reload, as it says itself.
  const recall = (storage, key) => {
    try { return JSON.parse(window[storage].getItem(KEPT + key)); } catch { return null; }
  };
  const keep = (storage, key, value) => {
    try {
      if (value === null) window[storage].removeItem(KEPT + key);
      else window[storage].setItem(KEPT + key, JSON.stringify(value));
    } catch { say("This browser keeps nothing: do not reload before a vote is saved.", true); }
  };

  root.dataset.script = "ran";
  const theme = recall("localStorage", "theme");
  if (theme) root.dataset.theme = theme;

  const say = (words, bad = false) => {
    const place = at("said");
    if (!place) return;
    place.textContent = words;
    place.classList.toggle("bad", bad);
  };
  const nonce = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

  let form = null;
  let fields = [];
  let marks = null;
  let viewer = null;
  let draft = null;
  let timer = 0;
  let wait = FIRST_WAIT;
  let busy = false;
  let since = 0;

  // What is answered ---------------------------------------------------------------------------------------------

  const said = (field) => {
    if (field.dataset.kind === "marks") return marks.value();
    if (field.dataset.kind === "words") return field.querySelector("textarea").value.trim() || undefined;
    return field.querySelector("input:checked")?.value || undefined;
  };

  const answers = () => Object.fromEntries(
    fields.map((field) => [field.dataset.field, said(field)]).filter(([, value]) => value !== undefined),
  );

  const fill = (value) => {
    for (const field of fields) {
      const given = value[field.dataset.field];
      if (field.dataset.kind === "marks") marks.fill(given);
      else if (field.dataset.kind === "words") field.querySelector("textarea").value = given ?? "";
      else for (const each of field.querySelectorAll("input")) each.checked = each.value === (given ?? "");
    }
  };

  const spent = () => draft.spent + (since ? (performance.now() - since) / 1000 : 0);
  const remember = () => keep("sessionStorage", draft.case, { ...draft, spent: spent() });

  // An answer that is not the one that was sent is another vote.
  const changed = () => {
    if (!draft) return;
    draft.value = answers();
    if (draft.sent && JSON.stringify(draft.sent.value) !== JSON.stringify(draft.value)) {
      draft.sent = null;
      clearTimeout(timer);
      waiting(false);
      problem("You have changed your answer. Save it.");
    } else if (!draft.sent) problem("");
    remember();
  };

  const problem = (words) => { const place = at("problem"); if (place && place.textContent !== words) place.textContent = words; };

  // Saving -------------------------------------------------------------------------------------------------------

  const post = (path, body, csrf) => {
    const text = JSON.stringify(body);
    return fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json", "X-CSRF": csrf }, body: text, keepalive: text.length < 30000,
    });
  };
  const secret = () => document.querySelector("input[name=csrf]")?.value ?? "";

  const label = (words, key) => {
    const button = at("save");
    if (!button) return;
    const hint = document.createElement("kbd");
    hint.textContent = key ?? "";
    button.replaceChildren(words, ...(key ? [" ", hint] : []));
  };
  const waiting = (on) => label(on ? "Try again now" : "Save", "Enter");

  const later = () => {
    problem("Not saved yet: the server cannot be reached. Your answer is kept here and sent again by itself.");
    say("Not saved yet.", true);
    waiting(true);
    clearTimeout(timer);
    timer = setTimeout(send, wait);
    wait = Math.min(LONGEST_WAIT, wait * 2);
  };

  const refusal = async (answer) => {
    try { return (await answer.json()).error; } catch { return `The server answered with ${answer.status}. Reload the page.`; }
  };
  const passing = (answer) => !answer || answer.status >= 500 || [408, 429].includes(answer.status);

  const send = async () => {
    if (busy || !draft?.sent) return;
    clearTimeout(timer);
    busy = true;
    form.setAttribute("aria-busy", "true");
    label("Saving…");
    const { case: id, sent } = draft;
    let answer = null;
    let part = "";
    try {
      answer = await post("/vote", { case: id, ...sent }, secret());
      if (answer.ok) part = await answer.text();
    } catch { answer = null; }
    busy = false;
    form.removeAttribute("aria-busy");
    if (passing(answer)) return later();
    wait = FIRST_WAIT;
    if (answer.ok) {
      keep("sessionStorage", id, null);
      return show(part, sent.value === null ? "Skipped." : "Saved.");
    }
    draft.sent = null;
    remember();
    waiting(false);
    problem(await refusal(answer));
    say("Not saved.", true);
  };

  const cast = (value) => {
    if (busy) return;
    if (!draft.sent || JSON.stringify(draft.sent.value) !== JSON.stringify(value)) {
      draft.sent = { value, nonce: draft.nonce, seconds: Math.round(10 * spent()) / 10 };
      draft.nonce = nonce();
    }
    remember();
    send();
  };

  const save = () => {
    const empty = fields.filter((field) => "required" in field.dataset && said(field) === undefined);
    if (!empty.length) return cast(answers());
    const names = empty.map((field) => (field.querySelector("legend b") ?? field.querySelector("legend, label")).textContent.trim());
    problem(`No answer yet: ${names.join(" · ")}`);
    focus(empty[0]);
  };

  // Votes on other cases that were not known to be saved when the page was left.
  const catchUp = async () => {
    const left = Object.keys(sessionStorage).filter((key) => key.startsWith(KEPT)).map((key) => key.slice(KEPT.length));
    for (const key of left) {
      const other = recall("sessionStorage", key);
      if (key === draft?.case || !other?.sent) continue;
      try {
        const answer = await post("/vote", { case: other.case, ...other.sent }, secret());
        if (answer.ok || answer.status === 422) keep("sessionStorage", key, null);
        if (answer.ok) say("Your earlier vote was saved.");
        else if (!passing(answer)) say(`An earlier vote was not saved. ${await refusal(answer)}`, true);
      } catch { /* it stays, and the next page tries again */ }
    }
  };

  const takeBack = async () => {
    const undo = at("undo");
    if (busy || !undo || at("take-back")?.disabled !== false) return;
    if (draft?.sent) return problem("Your answer is not saved yet. Undo works once it is.");
    busy = true;
    let part = null;
    let words = "Not taken back: the server cannot be reached. Try again.";
    try {
      const answer = await post("/undo", { nonce: undo.elements.nonce.value }, secret());
      if (answer.ok) part = await answer.text();
      else if (!passing(answer)) words = await refusal(answer);
    } catch { /* said below */ }
    busy = false;
    if (part === null) problem(words);
    else show(part, "Your last vote is taken back.");
  };

  // What is shown ------------------------------------------------------------------------------------------------

  const show = (part, words) => {
    at("main").innerHTML = part;
    if (location.pathname !== "/") history.replaceState(null, "", "/");
    begin();
    say(`${words} ${at("done")?.textContent ?? ""}`.trim());
    scrollTo(0, 0);
    at("case").focus({ preventScroll: true });
  };

  const begin = () => {
    clearTimeout(timer);
    wait = FIRST_WAIT;
    form = at("vote");
    const title = document.querySelector("h1")?.textContent;
    document.title = `${title} · Review`;
    const images = document.querySelector(".viewer");
    viewer = images ? viewerIn(images) : null;
    fields = form ? [...form.querySelectorAll(".field")] : [];
    const marked = fields.find((field) => field.dataset.kind === "marks");
    marks = marked ? marksIn(marked, document.querySelector(".text.marked"), changed) : null;
    marks?.fill(JSON.parse(marked.dataset.marks) ?? undefined);
    draft = null;
    if (!form) return;
    const kept = recall("sessionStorage", form.dataset.case);
    draft = { case: form.dataset.case, value: answers(), nonce: form.elements.nonce.value, sent: null, spent: 0, ...kept };
    since = document.hidden ? 0 : performance.now();
    if (kept) fill(draft.value);
    form.addEventListener("input", changed);
    form.addEventListener("change", changed);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter?.name === "skip") cast(null);
      else save();
    });
    at("undo").addEventListener("submit", (event) => { event.preventDefault(); takeBack(); });
    for (const button of every(".take")) button.addEventListener("click", () => take(button));
    send();
  };

  const take = (button) => {
    const field = form.elements[form.dataset.candidates];
    field.value = button.closest(".passage").querySelector(".text").textContent;
    changed();
    field.focus();
  };

  document.addEventListener("visibilitychange", () => {
    if (!draft) return;
    draft.spent = spent();
    since = document.hidden ? 0 : performance.now();
    if (document.hidden) remember();
  });
  window.addEventListener("online", () => send());

  // Keys ---------------------------------------------------------------------------------------------------------

  const chosen = (field) => ["choice", "scale", "marks"].includes(field.dataset.kind);

  const focus = (field) => {
    field.tabIndex = -1;
    const inside = field.querySelector("input:checked") ?? field.querySelector("input, textarea");
    (field.dataset.kind === "marks" ? field : inside).focus();
    field.scrollIntoView({ block: "nearest" });
  };

  const choose = (number) => {
    const choices = fields.filter(chosen);
    if (!choices.length) return every(".take")[number]?.click();
    const here = document.activeElement.closest(".field");
    const field = choices.includes(here) ? here
      : choices.length === 1 ? choices[0]
        : choices.find((each) => said(each) === undefined);
    if (!field) return;
    if (field.dataset.kind === "marks") return marks.choose(number);
    const input = field.querySelectorAll("input")[number];
    if (!input?.value) return;
    input.checked = true;
    changed();
    if (choices.length === 1) return;
    const next = choices[choices.indexOf(field) + 1];
    if (next) focus(next);
    else at("save").focus();
  };

  const follow = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();
  const help = () => { at("help").showModal(); at("help-title").focus(); };

  const DO = {
    s: () => cast(null), 0: () => cast(null), u: takeBack, backspace: takeBack, "?": help,
    arrowleft: () => follow("prev"), arrowright: () => follow("next"),
    m: () => marks?.focus(), t: () => document.querySelector(".field textarea")?.focus(),
  };
  const NEEDS_CASE = new Set(["s", "0", "m", "t"]);

  const pressed = (event) => {
    const key = event.key.toLowerCase();
    const target = event.target;
    if (marks?.key(event) || viewer?.key(event)) return true;
    if (target.matches("input[type=range]")) return false;
    if (target.matches("input[type=radio]") && key.startsWith("arrow")) return false;
    if (target.closest(".frame, .text") && key.startsWith("arrow")) return false;
    if (event.repeat) return false;
    if (key === "enter") {
      if (!draft || target.closest("button, a, summary, label")) return false;
      save();
      return true;
    }
    if (/^[1-9]$/.test(key)) {
      if (draft) choose(Number(key) - 1);
      return Boolean(draft);
    }
    if (!DO[key] || (NEEDS_CASE.has(key) && !draft)) return false;
    DO[key]();
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || at("help")?.open) return;
    const typing = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=range])");
    if (typing) {
      if (event.key === "Escape") at("case").focus();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (recall("localStorage", "single") === false && event.key.length === 1) return;
    if (pressed(event)) event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", () => {
    const dark = () => getComputedStyle(root).colorScheme === "dark"
      || (getComputedStyle(root).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    const name = () => { at("theme").textContent = dark() ? "Light" : "Dark"; };
    name();
    at("theme").addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      keep("localStorage", "theme", root.dataset.theme);
      name();
    });
    at("keys").addEventListener("click", help);
    at("single").checked = recall("localStorage", "single") !== false;
    at("single").addEventListener("change", (event) => keep("localStorage", "single", event.target.checked));
    begin();
    catchUp();
  });
})();
