// The browser's half of a view: shows the picture, tells what is under the pointer, steps through a backward pass.
// Hand-written and complete: no build step, no import, nothing from the network. All words come from Python (view.py);
// all text enters the page as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const MILLISECONDS_A_STEP = 1400;
const MOST_PIXELS = 640; // the height of a picture on a laptop's screen
const LEAST_SCALE = 0.68; // pixels a point of the picture; smaller than that its text is hard to read
const PLAYED_SCALE = 1; // a player's camera follows the nodes, so that they may be larger
const AROUND_A_PLAYER = 240; // pixels that the notebook, the buttons and the caption take from the window's height
const MOST_CARRIED = 3; // edges of one step that are labelled

const LEGEND = [
  ["output", "output: where backward starts (double line)"],
  ["operation", "operation: recorded in the forward pass, runs in the backward pass (=: its forward result)"],
  ["leaf", "leaf with requires_grad=True: collects .grad (thick, round)"],
  ["constant", "takes no gradient (dashed)"],
];
const PLAYED = [
  ["ready", "has all its gradients, may run (thick)"],
  ["now", "runs at this step (thickest)"],
  ["waits", "waits for a further gradient (dashed)"],
  ["ran", "has run (pale)"],
];

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Signs are drawn: not every font has them.
const SIGNS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 3v10l9-5z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

function sign(button, name) {
  const svg = draw("svg", { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" });
  svg.append(draw("path", { d: SIGNS[name], fill: "currentColor" }));
  button.replaceChildren(svg);
  button.title = name;
  button.setAttribute("aria-label", name);
}

function control(name, act) {
  const element = button(name, "", act);
  sign(element, name);
  return element;
}

function button(label, text, act) {
  const element = make("button", "agt-button", text);
  element.type = "button";
  element.title = label;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", act);
  return element;
}

// The place of the layout in the browser (Graphviz as WebAssembly): DOT text in, SVG text out, null while there is none.
function layOut(_dot) {
  return null;
}

function parse(svg) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (root.nodeName !== "svg") return null;
  root.querySelector("style")?.remove(); // the page's style sheet dresses it here
  root.removeAttribute("class");
  return document.importNode(root, true);
}

// Zoom and pan by the viewBox: the picture is laid out once and never changed. A picture too large to be read as a whole
// starts with the part around its first output, and the camera goes along with the player and the keyboard.
function camera(svg, stage, first, playing) {
  const [, , width, height] = svg.getAttribute("viewBox").split(/[ ,]+/).map(Number);
  const whole = { x: 0, y: 0, w: width, h: height };
  // The buttons must stay in sight while the picture is read. A front end may show each output in a low frame of its own.
  const window_ = window.innerHeight > 500 ? window.innerHeight : screen.availHeight;
  const most = playing ? Math.min(Math.max(window_ - AROUND_A_PLAYER, 340), MOST_PIXELS) : MOST_PIXELS;
  const scale = playing ? PLAYED_SCALE : LEAST_SCALE;
  const mostPoints = { w: MOST_PIXELS / scale, h: most / scale };
  const cropped = width > mostPoints.w || height > mostPoints.h;
  const w = Math.min(width, mostPoints.w);
  const middle = first ? Number(first.querySelector("text").getAttribute("x")) : width / 2;
  let view = { x: Math.min(Math.max(middle - w / 2, 0), width - w), y: 0, w, h: Math.min(height, mostPoints.h) };
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const naturalHeight = (height * 4) / 3; // Graphviz counts in points
  stage.style.height = `${Math.round(Math.min(Math.max(naturalHeight + 24, 150), most))}px`;
  svg.style.maxWidth = `${Math.round((view.w * 4) / 3)}px`;

  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const free = () => { svg.style.maxWidth = "none"; };
  function zoom(factor, centre = { x: view.x + view.w / 2, y: view.y + view.h / 2 }) {
    const w = Math.min(Math.max(view.w * factor, width / 20), width * 4);
    const real = w / view.w;
    view = { x: centre.x - (centre.x - view.x) * real, y: centre.y - (centre.y - view.y) * real, w, h: view.h * real };
    free();
    apply();
  }
  function fit() {
    view = { ...whole };
    svg.style.maxWidth = `${Math.round((width * 4) / 3)}px`;
    apply();
  }
  function at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  }
  function follow(group) {
    const matrix = svg.getScreenCTM();
    if (!matrix || !group) return;
    const box = group.getBoundingClientRect();
    const { x, y } = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(matrix.inverse());
    // Below a running node must be room for the nodes to which its gradients go.
    const inside = x > view.x && x < view.x + view.w && y > view.y + 20 && y < view.y + view.h * (playing ? 0.7 : 0.9);
    if (inside) return;
    const within = (start, length, all) => Math.min(Math.max(start, 0), Math.max(all - length, 0));
    view = { ...view, x: within(x - view.w / 2, view.w, width), y: within(y - view.h / 3, view.h, height) };
    apply();
  }
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at(event));
  }, { passive: false });
  let grip = null;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    grip = at(event);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!grip || !(event.buttons & 1)) { grip = null; return; }
    if (!stage.hasPointerCapture(event.pointerId)) stage.setPointerCapture(event.pointerId);
    const now = at(event);
    view = { ...view, x: view.x + grip.x - now.x, y: view.y + grip.y - now.y };
    apply();
  });
  stage.addEventListener("pointerup", () => { grip = null; });
  apply();
  return { zoom, fit, follow, cropped };
}

// No <dl> and no <h4>: notebooks have style rules of their own for those.
function pairs(rows) {
  const list = make("div", "agt-rows");
  for (const [head, body] of rows) list.append(make("span", "agt-head", head), make("span", "agt-said", body));
  return list;
}

function heading(text) {
  const element = make("div", "agt-heading", text);
  element.setAttribute("role", "heading");
  element.setAttribute("aria-level", "4");
  return element;
}

function legend(kinds, playing) {
  const list = make("ul", "agt-legend");
  const entries = LEGEND.filter(([kind]) => kinds.has(kind));
  if (playing) entries.push(...PLAYED);
  for (const [kind, text] of entries) {
    const item = make("li");
    item.append(make("span", `agt-swatch agt-swatch-${kind}`), make("span", "", text));
    item.firstChild.setAttribute("aria-hidden", "true");
    list.append(item);
  }
  const arrows = make("li");
  arrows.append(make("span", "agt-arrow", "→"), make("span", "", "the way gradients flow: next_functions"));
  arrows.firstChild.setAttribute("aria-hidden", "true");
  list.append(arrows);
  return list;
}

function table(heads, rows) {
  const element = make("table", "agt-table");
  const top = element.createTHead().insertRow();
  for (const head of heads) {
    const cell = make("th", "", head);
    cell.scope = "col";
    top.append(cell);
  }
  const body = element.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const text of row) line.insertCell().textContent = text;
  }
  return element;
}

function nodeTable(view) {
  const titles = new Map(view.nodes.map((node) => [node.id, node.title]));
  const cell = (node, ...heads) => (node.rows.find(([name]) => heads.includes(name)) || ["", ""])[1];
  return table(["node", "shape", "value", "gradient", "gradients go to"], view.nodes.map((node) => [
    node.title, cell(node, "shape"), cell(node, "value", "result"), cell(node, "gradient"),
    view.edges.filter(([, source]) => source === node.id).map(([, , target]) => titles.get(target)).join("; "),
  ]));
}

function stepTable(view) {
  return table(["step", "what happens"], view.steps.map((step, i) => [
    String(i + 1),
    [step.caption, ...step.rows.map(([head, body]) => `${head}: ${body}`)].join("\n"),
  ]));
}

// What a leaf had and what arrives, one bar an element, from the zero line; signs may differ, so the second starts where the first ends.
function bars(step) {
  const totals = step.bars.flatMap(([before, arriving]) => [before, before + arriving]);
  const low = Math.min(0, ...totals), high = Math.max(0, ...totals);
  const scale = 196 / (high - low || 1);
  const place = (value) => 2 + (value - low) * scale;
  const height = 18 * step.bars.length;
  const svg = draw("svg", { class: "agt-bars", viewBox: `0 0 200 ${height}`, role: "img", "aria-label": "grad before, and what arrives, as bars" });
  step.bars.forEach(([before, arriving], i) => {
    const bar = (from, to, y, name) => draw("rect", {
      class: name, x: place(Math.min(from, to)), y, width: Math.max(Math.abs(to - from) * scale, 0), height: 6,
    });
    if (step.had) svg.append(bar(0, before, 18 * i + 2, "agt-bar-before"));
    svg.append(bar(before, before + arriving, 18 * i + 9, "agt-bar-arriving"));
    svg.append(draw("line", { class: "agt-bar-after", x1: place(before + arriving), x2: place(before + arriving), y1: 18 * i + 1, y2: 18 * i + 16 }));
  });
  svg.append(draw("line", { class: "agt-bar-zero", x1: place(0), x2: place(0), y1: 0, y2: height }));
  const box = make("div", "agt-bars-box");
  const key = make("div", "agt-bars-key");
  for (const [name, text] of [["before", "grad before"], ["arriving", "arriving"], ["after", "grad after"]]) {
    if (name === "before" && !step.had) continue;
    key.append(make("span", `agt-key agt-key-${name}`), make("span", "", text));
  }
  box.append(svg, key);
  return box;
}

function download(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const link = make("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Arrow keys go from a node to the nearest one in their direction.
function neighbour(groups, from, key) {
  const centre = (group) => { const b = group.getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; };
  const here = centre(from);
  const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  let best = null, least = Infinity;
  for (const group of groups) {
    if (group === from) continue;
    const there = centre(group);
    const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
    const aside = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
    if (along > 2 && along + 2 * aside < least) { least = along + 2 * aside; best = group; }
  }
  return best;
}

// The player's place in the picture: a line in each node says what it waits for, classes say what ran. Steps are changes,
// replayed from the start.
function stagehand(view, groups, edges) {
  const kinds = new Map(view.nodes.map((node) => [node.id, node.kind]));
  const actors = new Map();
  for (const step of view.steps) {
    const lines = [...groups.get(step.node).querySelectorAll("text")];
    const state = lines.at(-1), grad = step.line === undefined ? null : lines.at(-2);
    state.classList.add("agt-state");
    actors.set(step.node, { state, grad, before: grad?.textContent, after: step.line });
  }
  const atStart = { ...view.waiting };
  for (const [, source, target] of view.edges) if (kinds.get(source) === "output") atStart[target] -= 1;

  // What travels is written beside its edge: to the left of the left ones, to the right of the others.
  function carry(step) {
    for (const [, group] of edges) group.querySelector(".agt-carried")?.remove();
    if (!step || step.edges.length > MOST_CARRIED) return;
    const lines = step.edges.map((id) => {
      const path = edges.get(id).querySelector("path");
      const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
      return { id, x, y };
    }).sort((a, b) => a.x - b.x);
    lines.forEach(({ id, x, y }, i) => {
      const left = i < Math.floor(lines.length / 2);
      edges.get(id).append(draw("text", {
        class: "agt-carried", x: x + (left ? -7 : 7), y: y + 3.5, "text-anchor": left ? "end" : "start", "font-size": 10,
      }, step.carried[id]));
    });
  }

  return (place) => {
    const missing = { ...atStart }, ran = new Set();
    view.steps.slice(0, place).forEach((step) => { ran.add(step.node); Object.assign(missing, step.missing); });
    const now = place > 0 ? view.steps[place - 1] : null;
    for (const [id, { state, grad, before, after }] of actors) {
      const all = view.waiting[id], arrived = all - missing[id];
      const is = now?.node === id ? "now" : ran.has(id) ? "ran" : missing[id] === 0 ? "ready" : arrived ? "waits" : "idle";
      groups.get(id).dataset.state = is;
      state.textContent = { now: "runs now", ran: "done", ready: "ready to run" }[is] || `${arrived} of ${all} gradient${all === 1 ? "" : "s"}`;
      if (grad) grad.textContent = ran.has(id) ? after : before;
    }
    for (const [id, group] of edges) group.classList.toggle("agt-flows", Boolean(now?.edges.includes(id)));
    carry(now);
  };
}

function player(view, model, groups, edges, side, lens) {
  const last = view.steps.length;
  const show = groups.size ? stagehand(view, groups, edges) : () => {};
  const caption = make("p", "agt-caption");
  caption.setAttribute("aria-live", "polite");
  const panel = make("div", "agt-step"), room = make("div");
  room.append(panel);
  const slider = make("input", "agt-slider");
  Object.assign(slider, { type: "range", min: 0, max: last, step: 1 });
  slider.setAttribute("aria-label", "step of the backward pass");
  const counter = make("span", "agt-counter");
  let place = 0, timer = null, tallest = 0;

  function go(to) {
    place = Math.min(Math.max(to, 0), last);
    const step = place ? view.steps[place - 1] : null;
    slider.value = place;
    counter.textContent = `${place} / ${last}`;
    caption.textContent = step ? step.caption
      : "Before the start: each node shows how many of its gradients have arrived. It may run when all have. Press an arrow button or key.";
    panel.replaceChildren(...(step ? [pairs(step.rows), ...(step.bars?.length ? [bars(step)] : [])] : []));
    // What stands below must not jump from step to step.
    tallest = Math.max(tallest, panel.offsetHeight);
    room.style.minHeight = `${tallest}px`;
    show(place);
    if (step) lens.follow(groups.get(step.node));
    // A button that is really disabled would lose the focus, and the keys with it.
    controls.forEach((one, i) => one.setAttribute("aria-disabled", String(i < 2 ? place === 0 : i > 2 && place === last)));
    if (place === last) stop();
    if (model.get("step") !== place) {
      model.set("step", place);
      model.save_changes();
    }
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    sign(controls[2], "play");
  }
  function toggle() {
    if (timer) { stop(); return; }
    go(place === last ? 0 : place + 1);
    timer = setInterval(() => go(place + 1), MILLISECONDS_A_STEP);
    sign(controls[2], "pause");
  }
  const by = (to) => () => { stop(); go(to()); };
  const controls = [
    control("first", by(() => 0)), control("back", by(() => place - 1)), control("play", toggle),
    control("forward", by(() => place + 1)), control("last", by(() => last)),
  ];
  controls[2].classList.add("agt-play");
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  model.on("change:step", () => { if (model.get("step") !== place) go(model.get("step")); });

  const bar = make("div", "agt-transport");
  bar.append(...controls, slider, counter);
  side.prepend(room);
  go(model.get("step") || 0);
  return { bar, caption, stop, go, place: () => place };
}

function render({ model, el }) {
  const view = model.get("view");
  const root = make("div", `agt agt-${view.kind}-view`);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", view.title);
  root.tabIndex = -1; // a click anywhere in the view gives it the keys
  el.append(root);
  for (const note of view.notes) root.append(make("p", "agt-note", note));

  const drawn = view.nodes.length ? model.get("svg") || layOut(view.dot) : null;
  const svg = drawn ? parse(drawn) : null;
  if (!svg) {
    if (view.nodes.length) root.append(make("pre", "agt-text", view.text));
    return undefined;
  }
  const top = make("div", "agt-top"), tools = make("div", "agt-tools");
  const body = make("div", "agt-body"), stage = make("div", "agt-stage"), side = make("div", "agt-side");
  stage.append(svg);
  body.append(stage, side);
  root.append(top, body);

  svg.setAttribute("role", "group");
  for (const title of svg.querySelectorAll("title")) title.remove();
  const groups = new Map(), edges = new Map();
  for (const node of view.nodes) groups.set(node.id, svg.querySelector(`[id="${node.id}"]`));
  for (const [id] of view.edges) edges.set(id, svg.querySelector(`[id="${id}"]`));
  const lens = camera(svg, stage, groups.get(view.nodes[0].id), Boolean(view.steps));

  const details = make("div", "agt-details");
  details.append(make("p", "agt-hint", "Point at a node, or Tab to the picture and use the arrow keys."
    + (lens.cropped ? " This picture is large: drag it to see the rest, or press Fit to see all of it." : "")));
  side.append(details);
  root.append(legend(new Set(view.nodes.map((node) => node.kind)), Boolean(view.steps)));

  function tell(node) {
    for (const [id, group] of groups) group.classList.toggle("agt-on", id === node.id);
    for (const [id, source] of view.edges) edges.get(id).classList.toggle("agt-from", source === node.id);
    details.replaceChildren(heading(node.title), pairs(node.rows));
  }
  view.nodes.forEach((node, i) => {
    const group = groups.get(node.id);
    group.setAttribute("tabindex", i === 0 ? "0" : "-1");
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", [node.title, ...node.rows.map(([head, text]) => `${head}: ${text}`)].join(", "));
    group.addEventListener("pointerenter", () => tell(node));
    group.addEventListener("focus", () => {
      for (const other of groups.values()) other.setAttribute("tabindex", other === group ? "0" : "-1");
      lens.follow(group);
      tell(node);
    });
  });

  const steps = view.steps?.length ? player(view, model, groups, edges, side, lens) : null;
  if (steps) top.append(steps.bar);
  let sheet = null;
  const toTable = button("table", "Table", () => {
    if (!sheet) { sheet = make("div", "agt-sheet"); sheet.append(steps ? stepTable(view) : nodeTable(view)); sheet.hidden = true; root.append(sheet); }
    sheet.hidden = !sheet.hidden;
    toTable.setAttribute("aria-expanded", String(!sheet.hidden));
  });
  toTable.setAttribute("aria-expanded", "false");
  tools.append(
    button("zoom out", "−", () => lens.zoom(1.3)), button("zoom in", "+", () => lens.zoom(1 / 1.3)),
    button("fit", "Fit", () => lens.fit()), toTable, button("save as SVG", "SVG", () => download(model.get("svg"), "graph.svg")),
  );
  top.append(tools);
  if (steps) body.before(steps.caption);

  root.addEventListener("keydown", (event) => {
    const onNode = event.target.closest?.(".agt-node");
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    const arrow = event.key.startsWith("Arrow");
    if (!plain || !(arrow || ["Home", "End", " ", "Enter"].includes(event.key))) return;
    event.stopPropagation(); // the notebook would move to another cell
    if (event.target.tagName === "INPUT") return; // the slider moves by itself
    const to = { ArrowLeft: () => steps.place() - 1, ArrowRight: () => steps.place() + 1, Home: () => 0, End: () => view.steps.length }[event.key];
    if (steps && to) { event.preventDefault(); steps.stop(); steps.go(to()); return; }
    if (onNode && arrow) { event.preventDefault(); neighbour([...groups.values()], onNode, event.key)?.focus(); }
  });
  return () => steps?.stop();
}

export default { render };
