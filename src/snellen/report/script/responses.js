"use strict";
// The browser of responses: unpacked when somebody opens it or follows a link to a response. Texts of models are put
// into the page with textContent alone: none of them becomes markup, a link, or a request.
(() => {
  const LINES = 50;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const HEARD = 1, DOUBTS = 2, DOUBTS_NOT = 3;
  const MARKS = { correct: "✓", wrong: "✗" };
  const count = (number) => number.toLocaleString("en");
  const counted = (number, one) => `${count(number)} ${one}${number === 1 ? "" : "s"}`;

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  };

  const button = (words, action, attributes = {}) => {
    const made = element("button", { type: "button", ...attributes }, words);
    made.addEventListener("click", action);
    return made;
  };

  const swatch = (kind) => {
    const [svg, patch] = ["svg", "rect"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
    svg.setAttribute("class", "swatch");
    svg.setAttribute("aria-hidden", "true");
    patch.setAttribute("class", `outcome ${kind}`);
    for (const [key, value] of Object.entries({ x: 1, y: 1, width: 16, height: 12 })) patch.setAttribute(key, value);
    svg.append(patch);
    return svg;
  };

  // Markdown as formatting and nothing else -----------------------------------------------------------------------

  const INLINE = /(`+)([^`\n]+)\1|\*\*([^*\n]+)\*\*|\b__([^_\n]+)__\b|\*([^*\s][^*\n]*)\*|\b_([^_\n]+)_\b/g;

  const inline = (text, into) => {
    let done = 0;
    for (const found of text.matchAll(INLINE)) {
      into.append(text.slice(done, found.index));
      const [whole, , code, strong, alsoStrong, soft, alsoSoft] = found;
      if (code !== undefined) into.append(element("code", {}, code));
      else {
        const bold = strong ?? alsoStrong;
        into.append(inline(bold ?? soft ?? alsoSoft, element(bold === undefined ? "em" : "strong")));
      }
      done = found.index + whole.length;
    }
    into.append(text.slice(done));
    return into;
  };

  const cellsOf = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const RULED = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
  const LISTED = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(\S.*)$/;

  const tableOf = (lines) => {
    const [head, , ...body] = lines.map(cellsOf);
    const row = (cells, name) => element("tr", {}, ...cells.map((cell) => inline(cell, element(name, { dir: "auto" }))));
    return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table in the response" },
      element("table", { class: "plain" }, element("thead", {}, row(head, "th")),
        element("tbody", {}, ...body.map((cells) => row(cells, "td")))));
  };

  const listOf = (lines) => {
    const numbered = LISTED.exec(lines[0])[2] !== undefined;
    return element(numbered ? "ol" : "ul", {}, ...lines.map((line) => {
      const [, indent, number, words] = LISTED.exec(line);
      const depth = Math.min(3, Math.floor(indent.length / 2));
      return inline(words, element("li", { dir: "auto", class: depth ? `deep-${depth}` : undefined, value: number }));
    }));
  };

  const formatted = (text) => {
    const lines = text.split("\n"), made = element("div", { class: "formatted" });
    let at = 0, open = [];
    const close = () => {
      if (open.length) {
        const paragraph = element("p", { dir: "auto" });
        open.forEach((line, place) => { if (place) paragraph.append(element("br")); inline(line, paragraph); });
        made.append(paragraph);
      }
      open = [];
    };
    const take = (goesOn) => {
      const start = at;
      while (at < lines.length && goesOn(lines[at])) at += 1;
      return lines.slice(start, at);
    };
    while (at < lines.length) {
      const line = lines[at], heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line), item = LISTED.exec(line);
      const fence = /^\s*(```+|~~~+)/.exec(line);
      if (fence) {
        close();
        at += 1;
        const code = take((each) => !each.trim().startsWith(fence[1]));
        at += 1;
        made.append(element("pre", { dir: "auto" }, code.join("\n")));
      } else if (heading) {
        close();
        at += 1;
        made.append(inline(heading[1], element("p", { class: "said-heading", dir: "auto" })));
      } else if (line.includes("|") && at + 1 < lines.length && lines[at + 1].includes("|") && RULED.test(lines[at + 1])) {
        close();
        made.append(tableOf(take((each) => each.includes("|"))));
      } else if (item) {
        close();
        const numbered = item[2] !== undefined;
        made.append(listOf(take((each) => {
          const next = LISTED.exec(each);
          return next && (next[2] !== undefined) === numbered;
        })));
      } else if (!line.trim()) {
        close();
        at += 1;
      } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
        close();
        at += 1;
        made.append(element("hr"));
      } else {
        open.push(line);
        at += 1;
      }
    }
    close();
    return made;
  };

  // What is in the page ---------------------------------------------------------------------------------------------

  const held = () => {
    const archive = archiveIn("responses");
    let data, rows, ready;
    const links = new Map();

    const load = () => ready ??= archive.text("responses.json").then((text) => {
      data = JSON.parse(text);
      const columns = data.responses, names = Object.keys(columns);
      rows = columns.item.map((_, at) => {
        const row = { at };
        for (const name of names) row[name] = columns[name][at];
        row.of = data.groups[row.group];
        row.about = data.items[row.item];
        row.asked = row.about.asked[row.of.condition] ?? {};
        row.by = data.rules[row.rule];
        row.link = `${row.of.anchor}-${row.about.ordinal}-${row.run}`;
        return row;
      });
      const byItem = data.items.map(() => []);
      for (const row of rows) byItem[row.item].push(row);
      return { data, rows, byItem, byLink: new Map(rows.map((row) => [row.link, row])) };
    });

    const picture = async (image) => {
      const shown = document.getElementById(`image-${image.sha256.slice(0, 12)}`);
      if (shown) return shown.getAttribute("href");
      if (!links.has(image.file)) links.set(image.file, URL.createObjectURL(await archive.blob(image.file, image.type)));
      return links.get(image.file);
    };
    return { load, picture };
  };

  const fold = document.getElementById("browse");
  if (!fold) return;
  fold.hidden = false;
  const store = held();

  // The filters and what they leave ---------------------------------------------------------------------------------

  const CHOICES = ["model", "benchmark", "condition", "outcome", "does"];
  const SWITCHES = ["moved", "unsure"];
  let browser = null;

  const build = ({ data, rows, byItem, byLink }) => {
    const state = { model: "", benchmark: "", condition: "", outcome: "", does: "", moved: false, unsure: false, q: "" };
    let matching = rows, start = 0, current = null, plain = false, lowered = null;
    const text = (place) => data.texts[place];
    const worded = (row, name) => row.asked[name] ?? row.about[name];

    const present = new Set(rows.map((row) => row.kind));
    const options = {
      model: data.models.map((name) => [name, name]),
      benchmark: data.benchmarks.map((name) => [name, name]),
      condition: data.conditions.map((each) => [each.name, each.label]),
      outcome: data.kinds.filter((_, at) => present.has(at)).map((kind) => [kind.name, kind.words]),
      does: data.acts.filter((act) => rows.some((row) => row.acts & act.bit)).map((act) => [act.name, act.words]),
    };
    const all = { model: "all models", benchmark: "all benchmarks", condition: "all conditions", outcome: "all outcomes", does: "whatever it does" };
    const controls = {};
    const filters = element("div", { class: "tools filters", role: "search", "aria-label": "Filter the responses" });
    for (const name of CHOICES) {
      controls[name] = element("select", { name }, element("option", { value: "" }, all[name]),
        ...options[name].map(([value, label]) => element("option", { value }, label)));
      const label = element("label", {}, element("span", {}, name), controls[name]);
      label.hidden = options[name].length < 2;
      filters.append(label);
    }
    const switched = {
      moved: ["choice moved", rows.some((row) => row.moved)],
      unsure: ["unsure reading", rows.some((row) => row.by.unsure)],
    };
    for (const [name, [words, some]] of Object.entries(switched)) {
      controls[name] = element("input", { type: "checkbox", name });
      const label = element("label", { class: "switch" }, controls[name], words);
      label.hidden = !some;
      filters.append(label);
    }
    controls.q = element("input", { type: "search", name: "q", placeholder: "question, response, reasoning, item", "aria-label": "Search in question, response, reasoning and item id" });
    filters.append(element("label", { class: "search" }, element("span", {}, "search"), controls.q));
    const clear = button("Clear", () => { set({}); controls.q.focus(); });
    filters.append(clear);

    const status = element("p", { class: "quiet", role: "status" });
    const list = element("ol", { class: "lines", "aria-label": "Responses" });
    const earlier = button("Earlier", () => turn(-LINES)), later = button("Later", () => turn(LINES));
    const pages = element("div", { class: "tools pages" }, earlier, later);
    const detail = element("article", { class: "response", "aria-label": "Response" });
    detail.hidden = true;
    const keys = element("p", { class: "quiet keys" }, "Keyboard: ");
    for (const [key, words] of [["j", "next response,"], ["k", "previous,"], ["]", "next condition of the item,"], ["[", "previous,"], ["/", "search,"], ["Esc", "close"]]) {
      keys.append(element("kbd", {}, key), ` ${words} `);
    }
    const notice = element("p", { class: "note", role: "alert" });
    notice.hidden = true;
    const panel = element("div", { class: "listing" }, status, list, pages, keys);
    const whole = element("div", { class: "browser" }, filters, notice, element("div", { class: "two" }, panel, detail));

    const matches = (row, kept) =>
      (!state.model || data.models[row.of.model] === state.model) &&
      (!state.benchmark || data.benchmarks[row.of.benchmark] === state.benchmark) &&
      (!state.condition || data.conditions[row.of.condition].name === state.condition) &&
      (!state.outcome || data.kinds[row.kind].name === state.outcome) &&
      (!state.does || row.acts & data.acts.find((act) => act.name === state.does).bit) &&
      (!state.moved || row.moved) && (!state.unsure || row.by.unsure) &&
      (!kept || kept.texts.has(row.text) || kept.texts.has(row.reasoning) || kept.texts.has(worded(row, "question")) || kept.items.has(row.item));

    const searched = () => {
      const words = state.q.trim().toLowerCase();
      if (!words) return null;
      lowered ??= data.texts.map((each) => each.toLowerCase());
      return {
        texts: new Set(lowered.flatMap((each, at) => (each.includes(words) ? [at] : []))),
        items: new Set(data.items.flatMap((each, at) => (each.id.toLowerCase().includes(words) ? [at] : []))),
      };
    };

    const filter = () => {
      const kept = searched();
      matching = rows.filter((row) => matches(row, kept));
      start = 0;
      show();
    };

    const short = (words, limit) => {
      const line = words.replace(/\s+/g, " ").trim();
      return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
    };
    const tag = (row) => {
      const kind = data.kinds[row.kind];
      return element("span", { class: "tag" }, swatch(kind.name), kind.words);
    };
    const runOf = (row) => (data.several_runs ? `run ${row.run + data.first_run}` : "");
    const whose = (row, apart = {}) => [apart.model ? "" : data.models[row.of.model],
      apart.benchmark || data.benchmarks.length === 1 ? "" : data.benchmarks[row.of.benchmark],
      apart.condition ? "" : data.conditions[row.of.condition].label, runOf(row)].filter(Boolean).join(" · ");

    const lineOf = (row) => {
      const line = button("", () => open(row, "detail"), { class: "line", "data-at": row.at, "aria-current": row === current ? "true" : undefined });
      line.append(tag(row), row.moved ? element("span", { class: "tag moved" }, "moved") : "",
        whose(row, state) ? element("span", { class: "whose" }, whose(row, state)) : "", element("code", {}, row.about.id),
        element("span", { class: "begins", dir: "auto" }, short(text(row.text), 140) || "(empty)"));
      return element("li", {}, line);
    };

    const told = () => {
      const group = data.groups.find((each) => data.models[each.model] === state.model &&
        data.conditions[each.condition].name === state.condition &&
        (data.benchmarks[each.benchmark] === state.benchmark || data.benchmarks.length === 1));
      const here = group ? rows.filter((row) => row.of === group).length : 0;
      const left = group && here < group.responses
        ? ` This page holds ${count(here)} of the ${count(group.responses)} responses of ${state.model} under ${data.conditions[group.condition].label}; all are in responses.sqlite.` : "";
      const to = Math.min(start + LINES, matching.length);
      const found = matching.length ? `${count(start + 1)} to ${count(to)} of ${counted(matching.length, "response")}` : "No response matches";
      const some = rows.length < data.of_responses ? `; the study has ${count(data.of_responses)}` : "";
      const of = matching.length < rows.length || some ? ` (of ${count(rows.length)} in this page${some})` : "";
      return `${found}${of}.${left}`;
    };

    const show = () => {
      start = Math.max(0, Math.min(start, Math.floor(Math.max(0, matching.length - 1) / LINES) * LINES));
      list.replaceChildren(...matching.slice(start, start + LINES).map(lineOf));
      status.textContent = told();
      earlier.disabled = start === 0;
      later.disabled = start + LINES >= matching.length;
      pages.hidden = matching.length <= LINES;
      clear.disabled = !filtered();
      remember();
    };
    const turn = (by) => { start += by; show(); list.scrollTop = 0; };
    const filtered = () => CHOICES.some((name) => state[name]) || SWITCHES.some((name) => state[name]) || Boolean(state.q.trim());

    const set = (wanted) => {
      for (const name of CHOICES) {
        const known = options[name].some(([value]) => value === wanted[name]);
        controls[name].value = state[name] = known ? wanted[name] : "";
      }
      for (const name of SWITCHES) controls[name].checked = state[name] = Boolean(wanted[name]);
      controls.q.value = state.q = wanted.q ?? "";
      filter();
    };
    for (const [name, control] of Object.entries(controls)) {
      control.addEventListener("input", () => {
        state[name] = control.type === "checkbox" ? control.checked : control.value;
        say("");
        filter();
      });
    }

    const say = (words) => { notice.textContent = words; notice.hidden = !words; };

    const remember = () => {
      const wanted = new URLSearchParams();
      for (const name of CHOICES) if (state[name]) wanted.set(name, state[name]);
      for (const name of SWITCHES) if (state[name]) wanted.set(name, "1");
      if (state.q.trim()) wanted.set("q", state.q);
      const only = String(wanted) === "";
      if (current && !only) wanted.set("response", current.link);
      const hash = current && only ? `#reply-${current.link}` : only ? "#rows" : `#rows?${wanted}`;
      if (hash === location.hash || (notice.hidden === false)) return;
      try { history.replaceState(null, "", hash); } catch { /* a browser that forbids it for files: the link stays */ }
    };

    // One response --------------------------------------------------------------------------------------------------

    const passage = (place, asText) => {
      const words = text(place), left = data.left_off[place];
      const made = asText ? [element("pre", { dir: "auto" }, words)] : [formatted(words)];
      if (left) made.push(element("p", { class: "cut" }, `${count(left)} more characters are in responses.sqlite.`));
      return made;
    };

    const images = (row) => {
      const shown = (row.asked.images ?? []).map((at) => {
        const image = data.images[at], figure = element("figure", { class: "sent" });
        if (image.problem) figure.append(element("p", { class: "gone" }, image.problem));
        else {
          const seen = element("img", { alt: "The image as it was sent, made small", width: image.width, height: image.height });
          store.picture(image).then((link) => { seen.src = link; });
          figure.append(seen);
        }
        figure.append(element("figcaption", {}, "sha256 ", element("code", {}, image.sha256), image.about ? `, ${image.about}` : ""));
        return figure;
      });
      if (row.asked.images_sent) shown.push(element("p", { class: "quiet" }, `${row.asked.images.length} of the ${row.asked.images_sent} images that were sent, evenly over them.`));
      return element("div", { class: shown.length > 3 ? "seen several" : "seen" }, ...(shown.length ? shown : [element("p", { class: "none" }, data.conditions[row.of.condition].no_image)]));
    };

    const choices = (row) => {
      const listed = worded(row, "options"), right = worded(row, "answer");
      if (!listed.length) return "";
      return element("ol", { class: "choices" }, ...listed.map((place, at) => {
        const marks = [at === right ? "right" : "", at === row.choice ? "chosen" : ""].filter(Boolean).join(" ");
        return element("li", { class: marks || undefined, dir: "auto" }, element("b", {}, LETTERS[at]),
          text(place) === LETTERS[at] ? "" : ` ${text(place)}`,
          at === right ? element("em", {}, " right answer") : "", at === row.choice ? element("em", {}, " ← chosen") : "");
      }));
    };

    const references = (row) => {
      const listed = worded(row, "references");
      if (!listed.length) return "";
      return element("div", { class: "references" }, element("h5", {}, listed.length === 1 ? "Reference answer" : "Reference answers, each right"),
        ...listed.map((place) => element("p", { class: "words", dir: "auto" }, text(place))));
    };

    const opinions = (row) => {
      if (!row.opinions || !row.opinions.length) return "";
      return element("ul", { class: "opinions", "aria-label": "Opinions of judges" }, ...row.opinions.map(([judge, ...counts]) => {
        const said = [...data.grades, "not readable"].flatMap((grade, at) => (counts[at] ? [`${counts[at]} × ${grade}`] : []));
        return element("li", {}, element("b", {}, data.judges[judge]), `: ${said.join(", ")}`);
      }));
    };

    const modes = (row) => {
      if (row.modes) {
        return element("ul", { class: "modes" }, ...row.modes.map((at) => {
          const mode = data.modes[at];
          return element("li", {}, element("span", { class: `tag by-${mode.by}` },
            element("span", { "aria-hidden": "true" }, mode.by === "rule" ? "■" : "◇"), mode.name), ` ${mode.means} (${mode.words})`);
        }));
      }
      if (data.kinds[row.kind].name !== "wrong" || worded(row, "references").length) return "";
      return element("p", { class: "quiet" }, `Wrong, and no rule knows in which mode${row.judge === HEARD ? ", nor did the judge name one" : ": only a judge could tell"}.`);
    };

    const reading = (row) => {
      const kind = data.kinds[row.kind], rule = row.by, end = data.ends[row.end];
      const judged = row.opinions && row.opinions.length;
      if (judged) return element("p", { class: "quiet" }, "Graded ", element("b", {}, kind.words), `, by ${judged === 1 ? "the opinions of a judge" : `the mean of ${judged} judges`}.`,
        end ? ` The model stopped because of: ${end}.` : " Why the model stopped is not known.");
      const said = element("p", { class: "quiet" }, "Read as ", element("b", {}, kind.words), row.choice >= 0 ? `, option ${LETTERS[row.choice]}` : "",
        `, by the rule “${rule.words}” (`, element("code", {}, rule.rule), `) of the parser “${rule.parser}”`,
        row.quote ? `, from “${row.quote}”` : "", ".", rule.unsure ? " This reading is unsure: the rule is often wrong on labelled responses." : "",
        row.judge === DOUBTS ? " The judge says that it admits that something is missing, or doubts." : "",
        row.judge === DOUBTS_NOT ? " The judge says that it neither admits that anything is missing nor doubts." : "",
        end ? ` The model stopped because of: ${end}.` : " Why the model stopped is not known.");
      if (row.moved) said.append(` Moved: under ${data.conditions[row.of.condition].baseline} it chose another option.`);
      return said;
    };

    const prompt = (row) => {
      if (row.asked.prompt === undefined && row.asked.system === undefined) return element("p", { class: "quiet" }, "The prompt is not in the imported file.");
      const made = element("details", { class: "prompt" }, element("summary", {}, "The prompt as sent"));
      if (row.asked.system !== undefined) made.append(element("h5", {}, "System"), ...passage(row.asked.system, true));
      if (row.asked.prompt !== undefined) made.append(...passage(row.asked.prompt, true));
      return made;
    };

    const cell = (row) => {
      const kind = data.kinds[row.kind], letter = row.choice >= 0 ? LETTERS[row.choice] : "";
      const words = `${data.models[row.of.model]}, ${data.conditions[row.of.condition].label}${data.several_runs ? `, ${runOf(row)}` : ""}: ${kind.words}${letter ? `, option ${letter}` : ""}`;
      const made = button("", () => open(row, "detail"), { class: `cell ${kind.name}`, "aria-label": words, "aria-current": row === current ? "true" : undefined });
      made.append(swatch(kind.name), letter ? `${MARKS[kind.name] ?? ""} ${letter}` : MARKS[kind.name] ?? kind.words);
      return made;
    };

    const grid = (row) => {
      const those = byItem[row.item], conditions = [], found = new Map();
      for (const at of Object.keys(row.about.asked).map(Number).sort((one, two) => one - two)) conditions.push(at);
      for (const each of those) {
        const key = `${each.of.condition} ${each.of.model}`;
        found.set(key, [...(found.get(key) ?? []), each]);
      }
      const models = [...new Set(data.groups.filter((each) => each.benchmark === row.about.benchmark).map((each) => each.model))];
      const body = conditions.map((at) => {
        const condition = data.conditions[at], why = row.about.asked[at].inapplicable;
        return element("tr", { class: at === row.of.condition ? "here" : undefined }, element("th", { scope: "row" }, condition.label),
          ...models.map((model) => {
            const here = found.get(`${at} ${model}`);
            return element("td", {}, ...(here ? here.map(cell) : [element("span", { class: "quiet" }, why ? `does not apply: ${why}` : "no response")]));
          }));
      });
      return element("div", { class: "same-item" }, element("h4", {}, "The same item under every condition and model"),
        element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "The same item under every condition and model" },
          element("table", { class: "plain" }, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "condition"),
            ...models.map((model) => element("th", { scope: "col" }, ...data.models[model].split(/(?<=\/)/).flatMap((part) => [part, element("wbr")]))))), element("tbody", {}, ...body))));
    };

    const draw = () => {
      const row = current, context = worded(row, "context"), condition = data.conditions[row.of.condition];
      const heading = element("h3", { tabindex: "-1" }, element("code", {}, row.about.id), " ", tag(row), row.moved ? element("span", { class: "tag moved" }, "moved") : "");
      const steps = element("div", { class: "tools steps" },
        button("‹ Response", () => step(-1), { disabled: !beside(-1), "aria-label": "Previous response" }),
        button("Response ›", () => step(1), { disabled: !beside(1), "aria-label": "Next response" }),
        button("‹ Item", () => stepItem(-1), { disabled: !besideItem(-1), "aria-label": "Previous item" }),
        button("Item ›", () => stepItem(1), { disabled: !besideItem(1), "aria-label": "Next item" }),
        element("a", { href: `#reply-${row.link}` }, "Link"), button("Close", close, { class: "close" }));
      const asText = button("As text", () => {
        plain = !plain;
        asText.setAttribute("aria-pressed", plain);
        response.replaceChildren(...passage(row.text, plain));
      }, { "aria-pressed": String(plain), class: "small" });
      const response = element("div", { class: "said" }, ...passage(row.text, plain));
      detail.replaceChildren(steps, heading, element("p", { class: "quiet" }, whose(row)), element("p", { class: "quiet" }, condition.words),
        element("div", { class: "row" }, images(row), element("div", { class: "read" },
          text(context) ? element("p", { class: "words", dir: "auto" }, text(context)) : "",
          element("p", { class: "words", dir: "auto" }, element("strong", {}, text(worded(row, "question")))), choices(row), references(row))),
        element("div", { class: "titled" }, element("h4", {}, "Response"), asText), response,
        text(row.reasoning) ? element("details", { class: "thinking" }, element("summary", {}, `Its reasoning, ${counted(text(row.reasoning).length + (data.left_off[row.reasoning] ?? 0), "character")}`), ...passage(row.reasoning, false)) : "",
        opinions(row), modes(row), reading(row), prompt(row), grid(row));
      return heading;
    };

    const mark = () => {
      for (const line of list.querySelectorAll(".line")) {
        if (Number(line.dataset.at) === current?.at) line.setAttribute("aria-current", "true");
        else line.removeAttribute("aria-current");
      }
      return list.querySelector("[aria-current]");
    };

    const open = (row, focus) => {
      current = row;
      const heading = draw();
      detail.hidden = false;
      whole.classList.add("opened");
      const place = matching.indexOf(row);
      if (place >= 0 && (place < start || place >= start + LINES)) {
        start = Math.floor(place / LINES) * LINES;
        show();
      } else remember();
      const line = mark();
      if (line) list.scrollTop = line.offsetTop - list.clientHeight / 2;
      const to = focus === "list" && line && line.offsetParent ? line : heading;
      to.focus({ preventScroll: true });
      if (to === heading && (detail.getBoundingClientRect().top < 0 || detail.getBoundingClientRect().top > innerHeight / 2)) detail.scrollIntoView({ behavior: "instant" });
    };

    const close = () => {
      const row = current;
      current = null;
      detail.hidden = true;
      detail.replaceChildren();
      whole.classList.remove("opened");
      const line = list.querySelector("[aria-current]") ?? list.querySelector(`[data-at="${row?.at}"]`);
      mark();
      remember();
      (line ?? controls.q).focus();
    };

    // The next or the previous of the responses that match, from wherever the open one stands
    const beside = (by) => {
      if (!current) return by > 0 ? matching[start] : undefined;
      return by > 0 ? matching.find((row) => row.at > current.at) : matching.findLast((row) => row.at < current.at);
    };
    const besideItem = (by) => {
      const other = by > 0 ? matching.find((row) => row.item > current.item) : matching.findLast((row) => row.item < current.item);
      if (!other) return undefined;
      const alike = matching.filter((row) => row.item === other.item);
      return alike.find((row) => row.group === current.group && row.run === current.run) ?? alike.find((row) => row.group === current.group) ?? alike[0];
    };
    const besideCondition = (by) => {
      const alike = byItem[current.item].filter((row) => row.of.model === current.of.model && (row.run === current.run || row === current));
      return alike[alike.indexOf(current) + by];
    };
    const step = (by, focus = "detail") => { const row = beside(by); if (row) open(row, focus); };
    const stepItem = (by) => { const row = besideItem(by); if (row) open(row, "detail"); };

    const pressed = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || !fold.open) return;
      const inside = whole.contains(event.target), typing = event.target.matches?.("input, select, textarea, [contenteditable]");
      const { top, bottom } = whole.getBoundingClientRect();
      if (typing) {
        if (inside && event.key === "Escape") event.target.blur();
        return;
      }
      if (!inside && !(event.target === document.body && top < innerHeight && bottom > 0)) return;
      const listed = list.contains(event.target), focus = listed ? "list" : "detail";
      const actions = {
        j: () => step(1, focus), k: () => step(-1, focus), "/": () => controls.q.focus(),
        "[": () => current && besideCondition(-1) && open(besideCondition(-1), "detail"),
        "]": () => current && besideCondition(1) && open(besideCondition(1), "detail"),
        Escape: () => current && close(),
      };
      if (inside && !event.target.closest(".wide, .formatted, pre")) Object.assign(actions, { ArrowRight: actions.j, ArrowLeft: actions.k });
      if (listed) Object.assign(actions, { ArrowDown: actions.j, ArrowUp: actions.k });
      const action = actions[event.key];
      if (action) { event.preventDefault(); action(); }
    };
    document.addEventListener("keydown", pressed);

    // Where a link leads ----------------------------------------------------------------------------------------------

    const group = (name) => {
      const [anchor, does = ""] = name.split("--");
      const found = data.groups.find((each) => each.anchor === anchor);
      return found && { model: data.models[found.model], benchmark: data.benchmarks[found.benchmark], condition: data.conditions[found.condition].name, does };
    };
    const elsewhere = `It is in responses.sqlite; this page holds the responses to ${count(data.items.length)} of ${counted(data.of_items, "item")}.`;

    const follow = (hash) => {
      say("");
      const [name, query = ""] = [hash.slice(1).split("?")[0], hash.slice(1).split("?").slice(1).join("?")];
      if (name === "rows") {
        const wanted = Object.fromEntries(new URLSearchParams(query));
        const row = byLink.get(wanted.response);
        if (query && current && !row) close();
        if (wanted.response && !row) say(`That response is not in this page. ${elsewhere}`);
        if (query) set(wanted);
        if (row) open(row, "detail");
        return;
      }
      const reply = name.startsWith("reply-") ? name.slice("reply-".length) : "";
      const row = byLink.get(reply);
      if (row) {
        if (!matching.includes(row)) set({});
        open(row, "detail");
        return;
      }
      if (current) close();
      const from = group(reply ? reply.replace(/-\d+-\d+$/, "") : name);
      if (reply) say(from ? `That response is not in this page. ${elsewhere}` : "There is no such response in this study.");
      else if (!from) say("There are no such responses in this study.");
      set(from ?? {});
    };

    if (data.images_left_out) panel.append(element("p", { class: "quiet" }, `${counted(data.images_left_out, "image")} of these responses are not in this page, to keep it small.`));
    fold.append(whole);
    filter();
    return { follow, whole };
  };

  const failed = () => fold.append(element("p", { class: "note", role: "alert" }, "This browser cannot unpack the responses. They are in responses.sqlite beside this page."));
  const unpacked = () => browser ??= store.load().then(build, failed);
  const LINKED = /^#(rows($|[-?])|reply-)/;

  const arrive = () => {
    const hash = location.hash;
    const target = document.getElementById(hash.slice(1));
    if (!LINKED.test(hash) || (target && !target.closest("#rows"))) return;
    for (let at = fold; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    return unpacked().then((made) => {
      if (!made) return;
      const { follow, whole } = made;
      follow(hash);
      if (!whole.classList.contains("opened")) whole.querySelector(".line, [name=q]").focus({ preventScroll: true });
      if (!whole.classList.contains("opened") || whole.getBoundingClientRect().top > innerHeight / 2) document.getElementById("rows").scrollIntoView({ behavior: "instant" });
    });
  };

  fold.addEventListener("toggle", () => { if (fold.open) unpacked(); });
  addEventListener("hashchange", arrive);
  // a link that is followed twice changes no hash
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) arrive();
  });
  arrive();
})();
