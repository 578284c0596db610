"use strict";
// Marks on a response: words that are selected and what they show. Places are counted in characters of the text as it
// is stored: a character that is spelled out on the page counts once, one outside the first plane too.
const marksIn = (field, passage, changed) => {
  const SPELLED = /⟨U\+[0-9A-F]+⟩|\n/gu;
  const names = new Map([...field.querySelectorAll(".pattern[data-tag]")].map(
    (button, place) => [button.dataset.tag, { place, label: button.querySelector("b").textContent }],
  ));
  const hint = field.querySelector(".selected");
  const advice = hint.textContent;
  let marks = [];
  let none = false;
  let selected = null;
  let nodes = [];

  // What is shown, in runs: of plain text, or of characters that are spelled out, two for a line feed.
  const counts = (run, piece) => (run.odd && piece === "\n" ? 2 : 1);
  const length = (run) => (run.odd ? run.pieces.reduce((sum, piece) => sum + counts(run, piece), 0) : run.pieces.length);
  const runs = [];
  let total = 0;
  for (const node of passage ? passage.childNodes : []) {
    const odd = node.nodeType === Node.ELEMENT_NODE;
    const run = { odd, pieces: odd ? node.textContent.match(SPELLED) ?? [] : [...node.textContent], start: total };
    runs.push(run);
    total += length(run);
  }

  // The pieces of a run from one character to another; both are counted in the whole text.
  const cut = (run, start, end) => {
    if (!run.odd) return run.pieces.slice(Math.max(0, start - run.start), Math.max(0, end - run.start));
    let at = run.start;
    return run.pieces.filter((piece) => {
      const here = at;
      at += counts(run, piece);
      return here >= start && here < end;
    });
  };

  const text = (start, end) => runs.flatMap((run) => cut(run, start, end)).join("");

  // The text again, with marks around what they cover; where several do, one stands in the other.
  const draw = () => {
    if (!passage) return;
    const spans = marks.filter((mark) => mark.start !== undefined);
    const edges = [...new Set(spans.flatMap((mark) => [mark.start, mark.end]))].sort((a, b) => a - b);
    const made = document.createDocumentFragment();
    nodes = [];
    for (const run of runs) {
      const end = run.start + length(run);
      const inner = edges.filter((edge) => edge > run.start && edge < end);
      [run.start, ...inner].forEach((from, place) => {
        const until = inner[place] ?? end;
        const pieces = cut(run, from, until);
        if (!pieces.length) return;
        let parent = made;
        for (const mark of spans.filter((each) => each.start <= from && until <= each.end)) {
          parent = parent.appendChild(document.createElement("mark"));
          parent.className = `tag-${names.get(mark.tag).place}`;
          if (until === mark.end) parent.dataset.name = names.get(mark.tag).label;
        }
        if (run.odd) {
          parent = parent.appendChild(document.createElement("i"));
          parent.className = "odd";
        }
        const node = parent.appendChild(document.createTextNode(pieces.join("")));
        nodes.push({ node, run: { odd: run.odd, pieces, start: from } });
      });
    }
    passage.replaceChildren(made);
  };

  // The character that a place in the page is at. Within one that is spelled out: its begin, or for an end its end.
  const character = (node, offset, isEnd) => {
    const own = nodes.find((each) => each.node === node);
    if (own) {
      if (!own.run.odd) return own.run.start + [...node.data.slice(0, offset)].length;
      let [at, seen] = [own.run.start, 0];
      for (const piece of own.run.pieces) {
        if (isEnd ? seen >= offset : seen + piece.length > offset) break;
        seen += piece.length;
        at += counts(own.run, piece);
      }
      return at;
    }
    const point = document.createRange();
    point.setStart(node, offset);
    return nodes.find((each) => point.comparePoint(each.node, 0) >= 0)?.run.start ?? total;
  };

  // Where a character is in the page.
  const place = (at) => {
    const found = nodes.findLast((each) => each.run.start <= at) ?? nodes[0];
    return [found.node, cut(found.run, 0, at).join("").length];
  };

  const trimmed = (start, end) => {
    const counted = runs.flatMap((run) => cut(run, start, end).map((piece) => ({ piece, count: counts(run, piece) })));
    while (counted.length && !counted[0].piece.trim()) start += counted.shift().count;
    while (counted.length && !counted.at(-1).piece.trim()) end -= counted.pop().count;
    return start < end ? { start, end } : null;
  };

  const tell = () => {
    const words = selected && text(selected.start, selected.end);
    hint.textContent = selected ? `Selected: “${words.length > 90 ? `${words.slice(0, 60)} … ${words.slice(-25)}` : words}”` : advice;
    hint.classList.toggle("some", selected !== null);
  };

  const select = (start, end) => {
    getSelection().setBaseAndExtent(...place(start), ...place(end));
  };

  const list = field.querySelector(".made");
  const show = () => {
    list.replaceChildren(...marks.map((mark, number) => {
      const { place: colour, label } = names.get(mark.tag);
      const item = document.createElement("li");
      item.className = `tag-${colour}`;
      const name = item.appendChild(document.createElement("b"));
      name.textContent = label;
      const words = mark.start === undefined ? "the whole response" : `“${text(mark.start, mark.end)}”`;
      const quote = item.appendChild(document.createElement("span"));
      quote.textContent = words.length > 120 ? `${words.slice(0, 85)} … ${words.slice(-30)}` : words;
      const remove = item.appendChild(document.createElement("button"));
      remove.type = "button";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", `Remove ${label}: ${quote.textContent}`);
      remove.addEventListener("click", () => {
        marks = marks.toSpliced(number, 1);
        update();
        (list.querySelectorAll("button")[Math.min(number, marks.length - 1)] ?? field.querySelector(".pattern")).focus();
      });
      return item;
    }));
    for (const button of field.querySelectorAll(".pattern[data-tag]")) {
      button.classList.toggle("used", marks.some((mark) => mark.tag === button.dataset.tag));
    }
    field.querySelector(".nothing").setAttribute("aria-pressed", none);
    draw();
    tell();
  };

  const update = () => {
    show();
    changed();
  };

  const same = (one, other) => one.tag === other.tag && one.start === other.start && one.end === other.end;

  const choose = (tag) => {
    watch();
    if (tag === undefined) {
      none = !none;
      if (none) marks = [];
    } else {
      const mark = selected ? { tag, ...selected } : { tag };
      if (marks.some((each) => same(each, mark))) marks = marks.filter((each) => !same(each, mark));
      else marks = [...marks, mark];
      none = false;
    }
    selected = null;
    getSelection().removeAllRanges();
    update();
  };

  const patterns = [...field.querySelectorAll(".pattern")];
  for (const button of patterns) {
    button.addEventListener("pointerdown", (event) => event.preventDefault());
    button.addEventListener("click", () => choose(button.dataset.tag));
  }

  const watch = () => {
    const selection = getSelection();
    if (!passage?.isConnected) return document.removeEventListener("selectionchange", watch);
    if (selection.rangeCount === 0 || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(passage)) return;
    const start = character(range.startContainer, range.startOffset, false);
    const end = character(range.endContainer, range.endOffset, true);
    selected = start < end ? trimmed(start, end) : null;
    tell();
  };
  document.addEventListener("selectionchange", watch);
  passage?.addEventListener("pointerdown", () => { selected = null; tell(); });

  // Words by keys: where one is, and where one began.
  let words = null;
  let [from, at] = [-1, -1];
  const step = (key, more) => {
    words ??= [...text(0, total).matchAll(/\S+/gu)].map((found) => found);
    if (!words.length) return;
    const begins = (number) => number === 0 || /[.!?:;]["”)]?$/u.test(words[number - 1][0]) ||
      words[number].input.slice(words[number - 1].index, words[number].index).includes("\n");
    const last = words.length - 1;
    if (key === "ArrowRight") at += 1;
    else if (key === "ArrowLeft") at -= 1;
    else if (key === "Home") at = 0;
    else if (key === "End") at = last;
    else do at += key === "ArrowDown" ? 1 : -1; while (at > 0 && at < last && !begins(at));
    at = Math.min(last, Math.max(0, at));
    if (!more || from < 0) from = at;
    const [first, final] = [words[Math.min(from, at)], words[Math.max(from, at)]];
    select(stored(first.index), stored(final.index + final[0].length));
    getSelection().focusNode.parentElement?.scrollIntoView({ block: "nearest" });
  };
  // From a place in what is shown to the character of the text.
  const stored = (shown) => {
    let [seen, count] = [0, 0];
    for (const run of runs) {
      for (const piece of run.pieces) {
        if (seen >= shown) return count;
        seen += piece.length;
        count += counts(run, piece);
      }
    }
    return total;
  };

  return {
    value: () => (marks.length || none ? marks : undefined),
    fill: (given) => {
      marks = (given ?? []).filter((mark) => names.has(mark.tag));
      none = Array.isArray(given) && marks.length === 0;
      show();
    },
    choose: (number) => patterns[number] && choose(patterns[number].dataset.tag),
    // Whether a key was meant for the words.
    key: (event) => {
      if (event.key === "Escape" && selected) {
        selected = null;
        getSelection().removeAllRanges();
        tell();
        return true;
      }
      if (event.target !== passage) return false;
      if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return false;
      step(event.key, event.shiftKey);
      return true;
    },
    focus: () => passage?.focus(),
  };
};
