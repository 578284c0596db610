"use strict";
// The images of a case: fitted, zoomed, moved, windowed and inverted; side by side, or as a stack.
const viewerIn = (viewer) => {
  const MOST = 24;
  const STEP = 1.25;
  const SIDE_BY_SIDE = 4;
  const SVG = "http://www.w3.org/2000/svg";
  const find = (name) => viewer.querySelector(name);
  const panes = [...viewer.querySelectorAll(".pane")];
  const frames = panes.map((pane) => pane.querySelector(".frame"));
  const images = panes.map((pane) => pane.querySelector("img"));
  const fresh = () => ({ scale: 1, x: 0, y: 0, brightness: 0, contrast: 0, inverted: false });
  const views = panes.map(fresh);
  let active = 0;
  let stacked = false;
  let together = false;

  // A stack is looked at with one view; so are images side by side that are to be treated alike.
  const view = () => views[active];
  const alike = () => stacked || together;

  const level = (of) => 127.5 * (1 - of.brightness / 100);
  const width = (of) => 255 * 2 ** (-of.contrast / 25);

  const filters = document.createElementNS(SVG, "svg");
  filters.setAttribute("class", "filters");
  filters.setAttribute("aria-hidden", "true");
  const functions = images.map((_, place) => {
    const filter = filters.appendChild(document.createElementNS(SVG, "filter"));
    filter.id = `window-${place}`;
    filter.setAttribute("color-interpolation-filters", "sRGB");
    const transfer = filter.appendChild(document.createElementNS(SVG, "feComponentTransfer"));
    return ["R", "G", "B"].map((channel) => {
      const made = transfer.appendChild(document.createElementNS(SVG, `feFunc${channel}`));
      made.setAttribute("type", "linear");
      return made;
    });
  });
  viewer.append(filters);

  const draw = (place) => {
    const of = views[place];
    const image = images[place];
    image.style.transform = `translate(${of.x}px, ${of.y}px) scale(${of.scale})`;
    frames[place].style.touchAction = of.scale > 1 ? "none" : "pan-y";
    frames[place].classList.toggle("zoomed", of.scale > 1);
    const plain = of.brightness === 0 && of.contrast === 0 && !of.inverted;
    const slope = 255 / width(of);
    const intercept = 0.5 - level(of) / width(of);
    for (const each of functions[place]) {
      each.setAttribute("slope", of.inverted ? -slope : slope);
      each.setAttribute("intercept", of.inverted ? 1 - intercept : intercept);
    }
    image.style.filter = plain ? "" : `url(#window-${place})`;
  };

  const tell = () => {
    const of = view();
    const { clientWidth, clientHeight } = frames[active];
    const image = images[active];
    const fitted = Math.min(clientWidth / image.width0, clientHeight / image.height0);
    find(".zoom").textContent = `${Math.round(100 * fitted * of.scale)}%`;
    find(".brightness").value = of.brightness;
    find(".contrast").value = of.contrast;
    find(".window").textContent = `Window ${Math.round(width(of))}, level ${Math.round(level(of))}`;
    find("[data-do=invert]").setAttribute("aria-pressed", of.inverted);
    panes.forEach((pane, place) => pane.classList.toggle("active", panes.length > 1 && !stacked && place === active));
  };

  const within = (of, frame) => {
    of.x = Math.min(0, Math.max(frame.clientWidth * (1 - of.scale), of.x));
    of.y = Math.min(0, Math.max(frame.clientHeight * (1 - of.scale), of.y));
  };

  const changed = () => {
    within(view(), frames[active]);
    views.forEach((of, place) => {
      if (place !== active && alike()) Object.assign(of, view());
      if (place === active || alike()) draw(place);
    });
    tell();
  };

  const zoom = (factor, at) => {
    const of = view();
    const frame = frames[active];
    const point = at ?? { x: frame.clientWidth / 2, y: frame.clientHeight / 2 };
    const scale = Math.min(MOST, Math.max(1, of.scale * factor));
    of.x = point.x - ((point.x - of.x) * scale) / of.scale;
    of.y = point.y - ((point.y - of.y) * scale) / of.scale;
    of.scale = scale;
    changed();
  };

  const go = (place) => {
    active = Math.min(panes.length - 1, Math.max(0, place));
    if (stacked) {
      panes.forEach((pane, each) => { pane.hidden = each !== active; });
      for (const near of [active - 2, active - 1, active, active + 1, active + 2]) {
        if (images[near]) images[near].loading = "eager";
      }
      find(".place").value = active + 1;
      find(".where").textContent = `${active + 1} of ${panes.length}`;
      draw(active);
    }
    tell();
  };

  const stack = (on) => {
    stacked = on;
    viewer.classList.toggle("stacked", on);
    find("[data-do=stack]")?.setAttribute("aria-pressed", on);
    const through = find(".through");
    if (through) through.hidden = !on;
    panes.forEach((pane) => { pane.hidden = false; });
    if (on) for (const of of views) Object.assign(of, view());
    go(active);
    views.forEach((_, place) => draw(place));
  };

  const doing = {
    in: () => zoom(STEP),
    out: () => zoom(1 / STEP),
    fit: () => { Object.assign(view(), { scale: 1, x: 0, y: 0 }); changed(); },
    reset: () => { Object.assign(view(), fresh()); changed(); },
    invert: () => { view().inverted = !view().inverted; changed(); },
    together: () => {
      together = !together;
      find("[data-do=together]").setAttribute("aria-pressed", together);
      changed();
    },
    stack: () => stack(!stacked),
  };

  find(".buttons").addEventListener("click", (event) => doing[event.target.closest("button")?.dataset.do]?.());
  for (const name of ["brightness", "contrast"]) {
    find(`.${name}`).addEventListener("input", (event) => { view()[name] = Number(event.target.value); changed(); });
  }
  find(".place")?.addEventListener("input", (event) => go(Number(event.target.value) - 1));

  const inside = (frame, event) => {
    const box = frame.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  frames.forEach((frame, place) => {
    const fingers = new Map();
    let rolled = 0;
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `${images[place].alt}: plus and minus zoom, arrows move`);
    images[place].width0 = Number(images[place].getAttribute("width")) || 1;
    images[place].height0 = Number(images[place].getAttribute("height")) || 1;

    frame.addEventListener("focus", () => { if (!stacked) go(place); });
    frame.addEventListener("contextmenu", (event) => event.preventDefault());
    frame.addEventListener("dblclick", (event) => {
      if (view().scale > 1) doing.fit();
      else zoom(3, inside(frame, event));
    });
    frame.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (!stacked) go(place);
      if (!stacked || event.ctrlKey) return zoom(2 ** (-event.deltaY / (event.deltaMode ? 10 : 300)), inside(frame, event));
      rolled += event.deltaY * (event.deltaMode ? 40 : 1);
      if (Math.abs(rolled) >= 40) {
        go(active + Math.sign(rolled));
        rolled = 0;
      }
    }, { passive: false });
    frame.addEventListener("pointerdown", (event) => {
      if (!stacked) go(place);
      fingers.set(event.pointerId, { ...inside(frame, event), windowing: event.button === 2 });
      frame.setPointerCapture(event.pointerId);
    });
    frame.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = { ...inside(frame, event), windowing: before.windowing };
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      const of = view();
      if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
        const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
        zoom(apart(now) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
        of.x += dx / 2;
        of.y += dy / 2;
      } else if (now.windowing) {
        of.contrast = Math.min(100, Math.max(-50, of.contrast - dx / 4));
        of.brightness = Math.min(100, Math.max(-100, of.brightness - dy / 4));
      } else {
        of.x += dx;
        of.y += dy;
      }
      fingers.set(event.pointerId, now);
      changed();
    });
    for (const over of ["pointerup", "pointercancel"]) {
      frame.addEventListener(over, (event) => fingers.delete(event.pointerId));
    }
  });

  new ResizeObserver(() => frames.forEach((frame, place) => {
    within(views[place], frame);
    draw(place);
    tell();
  })).observe(viewer);
  if (panes.length > SIDE_BY_SIDE) stack(true);
  else go(0);

  const MOVES = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const KEYS = { "+": "in", "=": "in", "-": "out", "−": "out", f: "fit", i: "invert", r: "reset" };
  return {
    // Whether a key was meant for the images.
    key: (event) => {
      const doable = doing[KEYS[event.key.toLowerCase()]];
      const move = MOVES[event.key];
      if (doable) doable();
      else if (stacked && event.key === "PageDown") go(active + 1);
      else if (stacked && event.key === "PageUp") go(active - 1);
      else if (move && event.target.closest?.(".frame") && view().scale > 1) {
        view().x += move[0];
        view().y += move[1];
        changed();
      } else return false;
      return true;
    },
  };
};
