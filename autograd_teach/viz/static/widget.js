// The part of a view that runs in the browser: shows the picture and the details of nodes, and steps through a backward pass.
// Hand-written: no build step, nothing from the network. All texts about a graph come from Python (view.py). Texts enter the
// page as text, never as markup.
//
// If Python cannot lay out a picture, Graphviz does it here, as WebAssembly: the view asks its kernel for the code.
// If the model changes its traits `view` and `svg`, the view draws again in the same place.

const SVG = "http://www.w3.org/2000/svg";
const MILLISECONDS_A_STEP = 1400;
const MOST_PIXELS = 640; // the height of a picture on a laptop's screen
const LEAST_SCALE = 0.68; // pixels per point of the picture; the text is hard to read at a smaller scale
const NEARLY = 1.15; // a picture up to this factor larger than its place is still shown as a whole
const PLAYED_SCALE = 1; // a player's camera follows the nodes, so they can be larger
const NARROW = 600; // pixels; a narrower stage shows the whole width with smaller text, if it is still readable
const AROUND_A_PLAYER = 240; // pixels that the notebook, the buttons and the caption take from the window's height
const OVERLAY = 316; // pixels of the picture that the details may cover
const TRAVEL = 550; // milliseconds that a value or a gradient takes along its edge
const MOST_TRAVELLING = 12; // edges of one step along which something moves
const HEAT_WIDTH = 150, HEAT_HEIGHT = 110; // pixels
const MOST_CANVAS = 16_000; // pixels per side
const LEAST_DRAG = 4; // pixels; a smaller movement is a click
const UNFOLDING = 5_000; // milliseconds within which a running kernel answers

const LEGEND = [
  ["output", "output: where backward starts (double line)"],
  ["operation", "operation: recorded in the forward pass, runs in the backward pass (=: its value)"],
  ["leaf", "leaf with requires_grad=True: collects .grad (thick, round)"],
  ["fold", "equal repetitions folded into one box (a stack); a number at an edge is the number of edges that it stands for"],
  ["constant", "does not require grad (dashed)"],
];
const PLAYED = [
  ["now", "runs at this step (thickest)"],
  ["ready", "has all its gradients, can run (thick)"],
  ["waits", "waits for another gradient (dashed)"],
  ["idle", "has not run yet (pale)"],
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

// The signs are drawn because not every font has them.
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

// A page loads Graphviz once for all its views. The kernel of the first view that asks sends the code; a page without a kernel
// contains it (`engine`). Each notebook's kernel is asked once, and again later if it does not answer.
const GRAPHVIZ = Symbol.for("autograd_teach: Graphviz in this page");
const ROOM = 'margin="0.2,0.06"'; // inches around every label: this Graphviz does not have fonts and guesses the width of a text
const PATIENCE = 20_000; // milliseconds until the reader is told that there is no answer

async function start(code) {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return await (await import(url)).instance();
  } finally {
    URL.revokeObjectURL(url);
  }
}

function graphviz(model) {
  const here = (globalThis[GRAPHVIZ] ||= { asked: new WeakSet() });
  const engine = here.engine ||= new Promise((resolve, reject) => {
    here.fails = (why) => { here.engine = null; here.asked = new WeakSet(); reject(new Error(why)); };
    here.came = (code) => start(code).then((engine) => { here.ready = true; resolve(engine); }, (error) => here.fails(error.message));
  });
  if (here.ready) return engine;
  const carried = model.get("engine"), kernel = model.widget_manager || model;
  if (carried) {
    here.came(Uint8Array.from(atob(carried), (byte) => byte.charCodeAt(0)));
  } else if (!model.send) {
    here.fails("there is no kernel to send Graphviz");
  } else if (!here.asked.has(kernel)) {
    here.asked.add(kernel);
    setTimeout(() => here.asked.delete(kernel), PATIENCE);
    model.on("msg:custom", (message, buffers) => {
      if (message.type !== "engine") return;
      if (buffers?.length) here.came(buffers[0]);
      else here.fails(message.error || "the kernel sent nothing");
    });
    model.send({ type: "engine" });
  }
  return engine;
}

// As layout.py does with its pictures: give the background the class `agt-page`.
async function layOut(view, model) {
  const engine = await graphviz(model);
  const svg = parse(engine.renderString(view.dot.replace(/margin="[^"]*"/, ROOM), { format: "svg" }));
  svg.querySelector("g.graph > polygon")?.classList.add("agt-page");
  return svg;
}

function parse(svg) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (root.nodeName !== "svg") return null;
  root.querySelector("style")?.remove(); // here the page's style sheet applies
  for (const name of ["class", "style"]) root.removeAttribute(name);
  return document.importNode(root, true);
}

// Zoom and pan change the viewBox, never the picture. A picture that is too large to read as a whole starts with the part
// around its first output, and the camera follows the player and the keyboard. `kept`: the camera of an earlier picture of
// this view. `changed` is called when the camera may start or stop showing the whole picture.
function camera(svg, stage, first, playing, kept, changed) {
  const [, , width, height] = svg.getAttribute("viewBox").split(/[ ,]+/).map(Number);
  const whole = { x: 0, y: 0, w: width, h: height };
  // The buttons must stay visible beside the picture. Some front ends show each output in a separate frame of small height.
  const window_ = window.innerHeight > 500 ? window.innerHeight : screen.availHeight;
  const most = playing ? Math.min(Math.max(window_ - AROUND_A_PLAYER, 340), MOST_PIXELS) : MOST_PIXELS;
  const naturalHeight = (height * 4) / 3; // Graphviz counts in points
  const middle = first ? Number(first.querySelector("text").getAttribute("x")) : width / 2;
  let view = { ...whole }, cropped = false, holding = false;
  const gone = new AbortController(), { signal } = gone; // the stage of `viz.live` outlives its pictures
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
  svg.removeAttribute("width");
  svg.removeAttribute("height");

  const high = (pixels) => { stage.style.height = `${Math.round(Math.min(Math.max(pixels + 24, 150), most))}px`; };
  function scaleIn(across) {
    const usual = playing ? PLAYED_SCALE : LEAST_SCALE, whole = across / width;
    return across < NARROW && whole >= LEAST_SCALE / NEARLY ? Math.min(whole, usual) : usual;
  }

  // Show as much of the picture as is readable in a stage of this width, with the first output visible.
  function settle() {
    const across = stage.clientWidth || MOST_PIXELS, scale = scaleIn(across);
    const mostPoints = { w: across / scale, h: most / scale };
    if (!playing && height <= mostPoints.h * NEARLY) mostPoints.h = height; // smaller text is better than hidden leaves
    cropped = width > mostPoints.w || height > mostPoints.h;
    const w = Math.min(width, mostPoints.w);
    view = { x: Math.min(Math.max(middle - w / 2, 0), width - w), y: 0, w, h: Math.min(height, mostPoints.h) };
    svg.style.maxWidth = `${Math.round((view.w * 4) / 3)}px`;
    high(across < NARROW ? view.h * Math.min(across / view.w, 4 / 3) : naturalHeight);
    changed();
  }
  let chosen = kept?.chosen; // by the reader: "fit", or "place"
  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const free = () => { chosen = "place"; svg.style.maxWidth = "none"; };
  const within = (start, length, all) => Math.min(Math.max(start, 0), Math.max(all - length, 0));
  function zoom(factor, centre = { x: view.x + view.w / 2, y: view.y + view.h / 2 }) {
    const w = Math.min(Math.max(view.w * factor, width / 20), width * 4);
    const real = w / view.w;
    view = { x: centre.x - (centre.x - view.x) * real, y: centre.y - (centre.y - view.y) * real, w, h: view.h * real };
    free();
    apply();
  }
  function fit() {
    view = { ...whole };
    chosen = "fit";
    svg.style.maxWidth = `${Math.round((width * 4) / 3)}px`;
    cropped = false;
    apply();
    changed();
  }
  const xy = ({ x, y }) => ({ x, y });
  let followed = null;
  function at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  }
  function follow(group) {
    followed = group;
    const matrix = svg.getScreenCTM();
    if (!matrix || !group) return;
    const box = group.getBoundingClientRect();
    const { x, y } = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(matrix.inverse());
    // Leave space below a running node for the nodes that its gradients go to.
    const inside = x > view.x && x < view.x + view.w && y > view.y + 20 && y < view.y + view.h * (playing ? 0.7 : 0.9);
    if (inside) return;
    view = { ...view, x: within(x - view.w / 2, view.w, width), y: within(y - view.h / 3, view.h, height) };
    apply();
  }
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at(event));
  }, { passive: false, signal });
  let grip = null;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("input")) return;
    grip = { ...xy(at(event)), clientX: event.clientX, clientY: event.clientY };
  }, { signal });
  stage.addEventListener("pointermove", (event) => {
    if (!grip || !(event.buttons & 1)) { grip = null; return; }
    if (!stage.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(event.clientX - grip.clientX, event.clientY - grip.clientY) < LEAST_DRAG) return; // still a click
      stage.setPointerCapture(event.pointerId);
      chosen = "place";
    }
    const now = at(event);
    view = { ...view, x: view.x + grip.x - now.x, y: view.y + grip.y - now.y };
    apply();
  }, { signal });
  stage.addEventListener("pointerup", () => { grip = null; }, { signal });
  // Shift the view so that `element` lies where it was. A slider takes its value from the pointer's place on it, so a slider
  // that is dragged must not move.
  function hold(element, was, scale) {
    holding = true;
    svg.style.maxWidth = "none";
    view = { ...view, w: svg.clientWidth / scale, h: svg.clientHeight / scale };
    apply();
    const corner = ({ x, y }) => at({ clientX: x, clientY: y });
    const from = corner(was), to = corner(element.getBoundingClientRect());
    view = { ...view, x: view.x + to.x - from.x, y: view.y + to.y - from.y };
    apply();
  }
  function rest() {
    holding = false;
    settle();
    if (chosen === "fit") fit();
    apply();
  }
  rest();
  if (chosen === "place") {
    view = { ...kept.view, x: within(kept.view.x, kept.view.w, width), y: within(kept.view.y, kept.view.h, height) };
    free();
    apply();
  }
  // Some front ends set the width of a view after it is made, and readers resize the window.
  let known = stage.clientWidth;
  const watcher = new ResizeObserver(() => {
    if (stage.clientWidth === known) return;
    known = stage.clientWidth;
    if (chosen || holding) return;
    settle();
    apply();
    follow(followed);
  });
  watcher.observe(stage);
  signal.addEventListener("abort", () => watcher.disconnect());
  return {
    zoom, fit, follow, hold, cropped: () => cropped, keep: () => ({ chosen, view }), whole,
    rest: () => { if (chosen !== "place") rest(); }, leave: () => gone.abort(),
  };
}

// Not <dl> and <h4>: notebooks have their own style rules for them.
function pairs(rows) {
  const list = make("div", "agt-rows");
  for (const [head, body] of rows) {
    const said = make("span", "agt-said");
    said.append(body.heat ? heatMap(body.heat) : body);
    list.append(make("span", "agt-head", head), said);
  }
  return list;
}

// A row of the details as one line of text; its body is a text or a heat map.
const asText = ([head, body]) => `${head}: ${body.heat ? `${body.heat.shape}, ${body.heat.range}` : body}`;

// Blue below zero, white at zero, orange above. A short line marks negative values, hatching marks NaN.
function heatMap(heat) {
  const columns = Math.max(1, ...heat.values.map((row) => row.length));
  const side = Math.min(18, HEAT_WIDTH / columns, HEAT_HEIGHT / Math.max(1, heat.values.length));
  const most = Math.max(Math.abs(heat.low), Math.abs(heat.high)) || 1;
  const [width, height] = [columns * side, heat.values.length * side];
  const exact = heat.values.length === heat.rows && columns === heat.columns;
  const svg = draw("svg", {
    class: "agt-heat", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `heat map, ${heat.shape}, ${heat.range}`,
  });
  heat.values.forEach((row, i) => row.forEach((value, j) => {
    const number = value === null ? NaN : Number(value); // JSON does not have NaN; infinities come as "inf" and "-inf"
    const sign = { inf: 1, "-inf": -1 }[value] ?? Math.min(Math.max(number / most, -1), 1);
    const [x, y] = [j * side, i * side];
    const cell = draw("rect", { class: "agt-cell", x, y, width: side, height: side, fill: Number.isNaN(sign) ? "#fff" : heatColour(sign) });
    if (exact) cell.append(draw("title", {}, `[${heat.rows > 1 ? `${i}, ` : ""}${j}] ${value === null ? "nan" : value}`));
    svg.append(cell);
    if (Number.isNaN(sign)) {
      svg.append(draw("path", { class: "agt-no-number", d: `M${x} ${y + side}l${side} ${-side}M${x} ${y + side / 2}l${side / 2} ${-side / 2}M${x + side / 2} ${y + side}l${side / 2} ${-side / 2}` }));
    } else if (sign < 0 && side >= 8) {
      svg.append(draw("path", { class: sign < -0.6 ? "agt-minus agt-minus-pale" : "agt-minus", d: `M${x + side * 0.32} ${y + side / 2}h${side * 0.36}` }));
    }
  }));
  const box = make("span", "agt-heat-box");
  const told = make("span", "agt-heat-told", `${heat.shape}\n${heat.range}`);
  box.append(svg, told);
  return box;
}

function heatColour(sign) {
  const end = sign < 0 ? [0, 114, 178] : [213, 94, 0];
  return `rgb(${end.map((part) => Math.round(255 + (part - 255) * Math.abs(sign))).join(" ")})`;
}

// A note; what stands between backticks is code.
function sentence(note) {
  const element = make("p", "agt-note");
  element.append(...note.split("`").map((part, i) => i % 2 ? make("code", "", part) : part));
  return element;
}

function heading(text) {
  const element = make("div", "agt-heading", text);
  element.setAttribute("role", "heading");
  element.setAttribute("aria-level", "4");
  return element;
}

function legend(kinds, playing, more) {
  const list = make("ul", "agt-legend");
  const entries = LEGEND.filter(([kind]) => kinds.has(kind));
  if (playing) entries.push(...PLAYED);
  entries.push(...more);
  for (const [kind, text] of entries) {
    const item = make("li");
    item.append(make("span", `agt-swatch agt-swatch-${kind}`), make("span", "", text));
    item.firstChild.setAttribute("aria-hidden", "true");
    list.append(item);
  }
  const arrows = make("li");
  arrows.append(make("span", "agt-arrow", "→"), make("span", "", "the direction in which gradients flow: next_functions"));
  arrows.firstChild.setAttribute("aria-hidden", "true");
  list.append(arrows);
  return list;
}

// The first cell of a row is its heading.
function table(caption, heads, rows) {
  const element = make("table", "agt-table");
  element.createCaption().textContent = caption;
  const top = element.createTHead().insertRow();
  for (const head of heads) {
    const cell = make("th", "", head);
    cell.scope = "col";
    top.append(cell);
  }
  const body = element.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((text, i) => {
      const cell = make(i ? "td" : "th", "", text);
      if (!i) cell.scope = "row";
      line.append(cell);
    });
  }
  return element;
}

function nodeTable(view) {
  const titles = new Map(view.nodes.map((node) => [node.id, node.title]));
  const cell = (node, ...heads) => {
    const found = node.rows.find(([name]) => heads.includes(name));
    return found ? asText(found).slice(found[0].length + 2) : "";
  };
  return table(view.title, ["node", "shape", "value", "gradient", "gradients go to"], view.nodes.map((node) => [
    node.title, cell(node, "shape"), cell(node, "value", "result"), cell(node, "gradient"),
    view.edges.filter(([, source]) => source === node.id).map(([, , target]) => titles.get(target)).join("; "),
  ]));
}

function stepTable(view) {
  return table(`The backward pass step by step. ${view.title}`, ["step", "what happens"], view.steps.map((step, i) => [
    String(i + 1),
    [step.caption, ...step.rows.map(asText)].join("\n"),
  ]));
}

// Two bars for each element of a leaf: its `.grad` before, from the zero line, and what arrives, from the end of the first bar.
function bars(step) {
  const totals = step.bars.flatMap(([before, arriving]) => [before, before + arriving]);
  const low = Math.min(0, ...totals), high = Math.max(0, ...totals);
  const scale = 196 / (high - low || 1);
  const place = (value) => 2 + (value - low) * scale;
  const height = 18 * step.bars.length;
  const svg = draw("svg", { class: "agt-bars", viewBox: `0 0 200 ${height}`, role: "img", "aria-label": "bars: grad before, and what arrives" });
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

// The whole picture in its current state and in light colours, for slides. The page's styles are copied into the picture,
// so that it looks the same everywhere.
const GIVEN = {
  text: ["fill", "stroke", "stroke-width", "paint-order", "font-family", "font-size", "font-weight", "font-style", "text-anchor"],
  shape: ["fill", "stroke", "stroke-width", "stroke-dasharray"],
};

function onPaper(svg, whole, root, title) {
  const copy = svg.cloneNode(true), paper = make("div", "agt agt-paper"), stage = make("div", "agt-stage");
  for (const marked of copy.querySelectorAll(".agt-on, .agt-from")) marked.classList.remove("agt-on", "agt-from");
  for (const ghost of copy.querySelectorAll(".agt-ghost")) ghost.remove();
  // A field becomes its number, on the line that it covers.
  const fields = svg.querySelectorAll("foreignObject input[type=number]");
  copy.querySelectorAll("foreignObject").forEach((frame, i) => {
    copy.querySelectorAll(`[id="${frame.dataset.node}"] > text`)[frame.dataset.line].textContent = `${frame.dataset.entry}= ${fields[i].value}`;
    frame.remove();
  });
  stage.append(copy);
  paper.append(stage);
  root.append(paper);
  const plain = plainColours();
  for (const element of copy.querySelectorAll("g, text, path, polygon, polyline, ellipse")) {
    const style = getComputedStyle(element), group = element.tagName === "g";
    if (style.opacity !== "1") element.setAttribute("opacity", style.opacity);
    const names = group ? [] : element.tagName === "text" ? GIVEN.text : GIVEN.shape;
    for (const name of names) element.setAttribute(name, plain(style.getPropertyValue(name)));
  }
  paper.remove();
  for (const element of copy.querySelectorAll("[aria-label]")) element.prepend(draw("title", {}, element.getAttribute("aria-label")));
  for (const element of copy.querySelectorAll("g, text, path, polygon, polyline, ellipse")) {
    for (const name of ["class", "role", "tabindex", "data-state", "aria-label"]) element.removeAttribute(name);
  }
  for (const name of ["style", "class"]) copy.removeAttribute(name);
  const [width, height] = [whole.w, whole.h].map((points) => Math.round((points * 4) / 3));
  for (const [name, value] of Object.entries({
    width, height, viewBox: `0 0 ${whole.w} ${whole.h}`, role: "img", "aria-label": title,
  })) copy.setAttribute(name, value);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

// Colours in a form that other programs understand: a browser may return `color(srgb 0.1 0.2 0.3)`.
function plainColours() {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  return (value) => {
    if (!value.startsWith("color(")) return value;
    if (!known.has(value)) {
      canvas.fillStyle = value;
      canvas.fillRect(0, 0, 1, 1);
      known.set(value, `rgb(${[...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).join(",")})`);
    }
    return known.get(value);
  };
}

async function savePng({ text, width, height }) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const scale = Math.min(2, MOST_CANVAS / width, MOST_CANVAS / height);
  const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => download(blob, "graph.png"), "image/png");
}

function download(blob, name) {
  const url = URL.createObjectURL(blob);
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

// The places of a player. 0 is the start of the backward pass, 1 to B are its steps. Negative places are the forward pass, if it
// is known: at `first` only the leaves have values, and each further place computes one operation.
function stages(view) {
  const forward = view.forward ?? [];
  const first = forward.length ? -forward.length - 1 : 0;
  const computed = (place) => Math.min(forward.length, place - first);
  const at = (place) => place > 0 ? view.steps[place - 1] : place < 0 && place > first ? forward[place - first - 1] : null;
  return { forward, first, last: view.steps.length, computed, at };
}

// Shows a place of the player in the picture. The picture was laid out as it is at the end, with all numbers; what has not
// happened yet is hidden or replaced.
function stagehand(view, groups, edges) {
  const { forward, computed, at } = stages(view);
  const kinds = new Map(view.nodes.map((node) => [node.id, node.kind]));
  const actors = new Map(), outputs = [];
  for (const step of view.steps) {
    const lines = [...groups.get(step.node).querySelectorAll("text")];
    const state = lines.at(-1), grad = step.line === undefined ? null : lines.at(-2);
    state.classList.add("agt-state");
    actors.set(step.node, { state, end: state.textContent, grad, before: view.before[step.node], after: grad?.textContent });
  }
  const values = new Map(forward.map(({ node, value: [before, after] }) => {
    const line = [...groups.get(node).querySelectorAll("text")].find((text) => text.textContent === after);
    return [node, { line, before, after }];
  }));
  // An output has the value of the operation below it.
  for (const [, source, target] of view.edges) {
    if (kinds.get(source) !== "output" || !values.has(target)) continue;
    const line = groups.get(source).querySelectorAll("text")[1];
    if (line) outputs.push({ line, after: line.textContent, target });
  }
  const sentAt = new Map();
  view.steps.forEach((step, i) => step.edges.forEach((id) => sentAt.set(id, i + 1)));
  const atStart = { ...view.waiting };
  for (const [id, source, target] of view.edges) {
    if (kinds.get(source) !== "output") continue;
    atStart[target] -= 1;
    sentAt.set(id, 0);
  }
  const travellers = traffic(edges);

  return (place, moving) => {
    const missing = { ...atStart }, ran = new Set(), made = new Set(forward.slice(0, computed(place)).map(({ node }) => node));
    view.steps.slice(0, Math.max(place, 0)).forEach((step) => { ran.add(step.node); Object.assign(missing, step.missing); });
    const now = at(place);
    for (const [id, { state, end, grad, before, after }] of actors) {
      const all = view.waiting[id], arrived = all - missing[id], value = values.get(id);
      if (value?.line) value.line.textContent = made.has(id) ? value.after : value.before || "…";
      if (grad) grad.textContent = ran.has(id) ? after : before;
      if (place < 0) {
        groups.get(id).dataset.state = now?.node === id ? "now" : made.has(id) || !value ? "ran" : "idle";
        state.textContent = !value ? "" : now?.node === id ? "computed now" : made.has(id) ? "computed" : "not computed yet";
        continue;
      }
      const is = now?.node === id ? "now" : ran.has(id) ? "ran" : missing[id] === 0 ? "ready" : arrived ? "waits" : "idle";
      groups.get(id).dataset.state = is;
      state.textContent = ran.has(id) ? end : is === "ready" ? "ready to run" : `${arrived} of ${all} gradient${all === 1 ? "" : "s"}`;
    }
    for (const { line, after, target } of outputs) line.textContent = made.has(target) ? after : "…";
    for (const [id, group] of edges) {
      group.classList.toggle("agt-flows", Boolean(now?.edges.includes(id)));
      group.classList.toggle("agt-unsent", sentAt.has(id) && !(place >= sentAt.get(id)));
    }
    travellers(now && moving ? now : null, place > 0);
  };
}

// Dots that move along the edges of a step: gradients down from a node, values up into it. For readers who prefer reduced
// motion, only the thick edges show it.
function traffic(edges) {
  let dots = [], frame = 0;
  return (step, down) => {
    cancelAnimationFrame(frame);
    for (const { dot } of dots) dot.remove();
    dots = [];
    if (!step || step.edges.length > MOST_TRAVELLING || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    dots = step.edges.map((id) => {
      const path = edges.get(id).querySelector("path"), dot = draw("circle", { class: "agt-dot", r: 4.5 });
      edges.get(id).append(dot);
      return { dot, path, length: path.getTotalLength() };
    });
    let begun = null;
    const move = (time) => {
      begun ??= time;
      const part = Math.min((time - begun) / TRAVEL, 1);
      for (const { dot, path, length } of dots) {
        const { x, y } = path.getPointAtLength(length * (down ? part : 1 - part));
        dot.setAttribute("cx", x);
        dot.setAttribute("cy", y);
      }
      if (part < 1) { frame = requestAnimationFrame(move); return; }
      for (const { dot } of dots) dot.remove();
      dots = [];
    };
    frame = requestAnimationFrame(move);
  };
}

function player(view, model, groups, edges, { side, lens, listing }) {
  const { forward, first, last, at } = stages(view);
  const show = groups.size ? stagehand(view, groups, edges) : () => {};
  const caption = make("p", "agt-caption");
  caption.setAttribute("aria-live", "polite");
  const panel = make("div", "agt-step");
  const slider = make("input", "agt-slider");
  Object.assign(slider, { type: "range", min: first, max: last, step: 1 });
  slider.setAttribute("aria-label", forward.length ? "step of the forward and the backward pass" : "step of the backward pass");
  const counter = make("span", "agt-counter");
  let place = null, timer = null;

  function said() {
    const press = " Press an arrow button or key.";
    if (place < 0 && place === first) return `Before the start: the leaves have their values, nothing is computed.${press}`;
    if (place) return at(place).caption;
    return (forward.length ? "All values are computed; now backward" : "Before the start")
      + ": each node shows how many of its gradients have arrived. It can run when all have arrived. This is a recording: it does not change your .grad."
      + (forward.length ? "" : press);
  }
  function counted() {
    if (!forward.length) return `${place} / ${last}`;
    return place < 0 ? `forward ${place - first} / ${forward.length}` : `backward ${place} / ${last}`;
  }
  function go(to, moving = false) {
    place = Math.min(Math.max(to, first), last);
    const step = at(place);
    slider.value = place;
    slider.setAttribute("aria-valuetext", counted());
    counter.textContent = counted();
    caption.textContent = said();
    panel.replaceChildren(...(step ? [heading(step.title), pairs(step.rows), ...(step.bars?.length ? [bars(step)] : [])] : []));
    if (step?.asks && model.send) {
      const ask = button("ask this node for its whole Jacobian", "Show its Jacobian", () => { ask.textContent = "Asking…"; model.send({ type: "jacobian", id: step.node }); });
      panel.append(ask);
    }
    show(place, moving);
    if (step) { lens.follow(groups.get(step.node)); side.beside(groups.get(step.node)); }
    listing?.mark(step?.node ?? null);
    side.show();
    // Not `disabled`: such a button would lose the focus, and key presses with it.
    controls.forEach((one, i) => one.setAttribute("aria-disabled", String(i < 2 ? place === first : i > 2 && place === last)));
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
    timer = setInterval(() => go(place + 1, true), MILLISECONDS_A_STEP);
    go(place === last ? first : place + 1, true);
    if (timer) sign(controls[2], "pause");
  }
  const by = (to) => () => { stop(); const from = place; go(to(), to() === from + 1); };
  const controls = [
    control("first", by(() => first)), control("back", by(() => place - 1)), control("play", toggle),
    control("forward", by(() => place + 1)), control("last", by(() => last)),
  ];
  controls[2].classList.add("agt-play");
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });

  const bar = make("div", "agt-transport");
  bar.append(...controls, slider, counter);
  side.node.prepend(panel);
  go(model.get("step") || 0);
  return { bar, caption, stop, go, running: () => at(place)?.node, first, last, place: () => place, next: by(() => place + 1), back: by(() => place - 1), to: (to) => by(() => to)() };
}

// From the numbers that Graphviz wrote: a picture that is hidden or not in the page yet cannot be measured.
function boxOf(group) {
  const shape = group.querySelector("path, polygon, ellipse");
  const [cx, rx] = ["cx", "rx"].map((name) => Number(shape.getAttribute(name)));
  const numbers = (shape.getAttribute("points") || shape.getAttribute("d") || `${cx - rx},0 ${cx + rx},0`).match(/-?[\d.]+/g).map(Number);
  const across = numbers.filter((_, i) => i % 2 === 0);
  return { x: Math.min(...across), width: Math.max(...across) - Math.min(...across) };
}

// A field and a slider for one number. They outlive their picture, so that a drag, a number that is typed and the slider's range
// go on in the next one: a bench (below) seats them in its picture and sets `moved`, `began` and `ended`.
function knob(label, entry, value) {
  const frame = draw("foreignObject", { "data-entry": entry, height: 24 }), holder = make("div", "agt-knob");
  const field = Object.assign(make("input", "agt-number"), { type: "number", step: "any" });
  const slider = Object.assign(make("input", "agt-slider"), { type: "range" });
  field.setAttribute("aria-label", label);
  slider.setAttribute("aria-label", `${label}, slider`);
  const least = Math.max(1, Math.abs(value)), inputs = [field, slider];
  const made = { frame, set, pressed: false, value: () => Number(field.value), used: () => made.pressed || inputs.includes(field.getRootNode().activeElement) };
  function set(to, typed = false) {
    if (!typed) field.value = Number(to.toPrecision(6)); // do not change a number while it is typed: "1." may become "1.5"
    if (slider.max === "" || to > Number(slider.max) || to < Number(slider.min) || slider.dataset.made === undefined) {
      Object.assign(slider, { min: to - 2 * least, max: to + 2 * least, step: least / 50 });
      slider.dataset.made = "";
    }
    slider.value = to;
  }
  set(value);
  for (const input of inputs) {
    input.setAttribute("data-lm-suppress-shortcuts", "true");
    input.addEventListener("pointerdown", (event) => { event.stopPropagation(); made.began(); });
    input.addEventListener("focus", () => made.began());
  }
  slider.addEventListener("pointerdown", () => { made.pressed = true; });
  for (const end of ["pointerup", "pointercancel"]) slider.addEventListener(end, () => { made.pressed = false; made.ended(); });
  slider.addEventListener("input", () => { field.value = Number(Number(slider.value).toPrecision(4)); made.moved(); });
  field.addEventListener("input", () => { if (field.value !== "" && Number.isFinite(Number(field.value))) { set(Number(field.value), true); made.moved(); } });
  holder.append(...(entry ? [make("span", "", entry.trim())] : []), field, slider);
  frame.append(holder);
  return made;
}

// The controls of `viz.live`: a knob in the place of each number. The kernel answers each move with new numbers; until it
// answers, only the latest further move is kept. `kept`: the knobs of the former picture by the names of their leaves, and whether a further move is kept there.
function liveBench(view, model, svg, groups, edges, kept, { changed, tell, leave, rest }) {
  const shown = new Map([...groups].map(([id, group]) => [id, [...group.querySelectorAll("text")]]));
  const knobs = new Map();
  const caption = make("p", "agt-caption"), bar = make("div", "agt-transport");
  caption.setAttribute("aria-live", "polite");
  const laidOut = new Map(); // the text of each edge as the layout wrote it
  let now = view.numbers, before = null, waiting = null, queued = kept?.queued ?? false;

  const step = Object.assign(make("input", "agt-number"), { type: "number", min: 0, step: "any", value: view.step });
  step.setAttribute("aria-label", "how far each leaf is moved to test its gradient");
  step.setAttribute("data-lm-suppress-shortcuts", "true");
  bar.append(make("span", "", "test each gradient with a step of"), step);
  const unused = view.unused.join(", ");
  if (unused) bar.append(make("span", "agt-hint", `The result does not depend on ${unused}: ${view.unused.length > 1 ? "their gradients are" : "its gradient is"} 0.`));
  step.addEventListener("change", () => { if (Number(step.value) > 0) ask(); });

  function seat({ frame, pressed }, id, place) {
    const lines = shown.get(id), line = lines[1 + 2 * place], box = boxOf(groups.get(id));
    lines[2 + 2 * place].textContent = line.textContent = "";
    const width = pressed ? Number(frame.getAttribute("width")) : box.width - 16;
    const placed = { x: box.x + (box.width - width) / 2, y: Number(line.getAttribute("y")) - 10, width, "data-node": id, "data-line": 1 + 2 * place };
    for (const [name, value] of Object.entries(placed)) frame.setAttribute(name, value);
    frame.onpointerenter = () => tell(id);
    frame.onpointerleave = leave;
  }
  const seatAll = () => { for (const [id, { knobs: own }] of knobs) own.forEach((one, place) => seat(one, id, place)); };
  for (const [id, { name, values }] of Object.entries(view.leaves)) {
    const entry = (place) => values.length > 1 ? `[${place}]` : "", old = kept?.knobs.get(name);
    const own = old?.length === values.length ? old : values.map((value, place) => knob(name + entry(place), entry(place) && `${entry(place)} `, value));
    for (const one of own) {
      Object.assign(one, { moved: ask, began: () => { before = now; }, ended: () => { seatAll(); rest(); } });
      // A knob that is in the page already must not be moved there: that would end its drag.
      if (!svg.contains(one.frame)) svg.querySelector("g.graph").append(one.frame);
    }
    knobs.set(id, { name, knobs: own });
  }
  const all = () => [...knobs.values()].flatMap(({ knobs: own }) => own);
  for (const frame of svg.querySelectorAll("foreignObject")) if (!all().some((one) => one.frame === frame)) frame.remove();
  seatAll();

  function ask() {
    if (waiting) { queued = true; return; }
    if (!model.send) { caption.textContent = "There is no kernel here: to move the leaves, run the cell again in a notebook."; return; }
    const values = Object.fromEntries([...knobs.values()].map(({ name, knobs: own }) => [name, own.map((one) => one.value())]));
    waiting = setTimeout(() => { waiting = null; caption.textContent = "No answer yet: the kernel is busy or has stopped."; }, UNFOLDING);
    try {
      model.send({ type: "move", values, step: Number(step.value) });
    } catch { /* the kernel was restarted: the message above appears */ }
  }

  // A line that a move changed also shows its former value, in pale.
  const former = (line) => line.includes("= ") ? line.slice(line.lastIndexOf("= ") + 2) : line.replace(/^grad /, "");
  function write(lines, texts, old, from, to) {
    for (let i = from; i < to; i += 1) {
      if (!texts[i]) continue;
      texts[i].textContent = lines[i];
      texts[i].removeAttribute("textLength");
      const was = old?.[i];
      if (was && was !== lines[i]) texts[i].append(draw("tspan", { class: "agt-ghost" }, `  was ${former(was)}`));
    }
  }
  // The boxes were laid out for other numbers. If a line is too long for its box, its former value is removed; if it is still
  // too long, it is squeezed. All lines are measured before any is changed, so that the browser lays out only once for each.
  const rooms = new Map([...groups].map(([id, group]) => [id, boxOf(group).width - 8]));
  function tooLong() {
    const all = [...shown].flatMap(([id, texts]) => texts.map((text) => [text, rooms.get(id)]));
    return all.filter(([text, room]) => text.getComputedTextLength() > room);
  }
  function squeeze() {
    for (const [text] of tooLong()) text.querySelector(".agt-ghost")?.remove();
    for (const [text, room] of tooLong()) {
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
      text.setAttribute("textLength", room);
    }
  }
  function show(numbers) {
    clearTimeout(waiting);
    waiting = null;
    now = numbers;
    for (const [id, lines] of Object.entries(numbers.nodes)) {
      const texts = shown.get(id), own = knobs.get(id), first = own ? 1 + 2 * own.knobs.length : 1;
      write(lines, texts, before?.nodes[id], first, own ? first + 1 : lines.length);
      if (own) write(lines, texts, null, first + 1, lines.length);
    }
    for (const [id, [label, thickness]] of Object.entries(numbers.edges)) {
      // The last line: the first may name an output of the node.
      const text = [...(edges.get(id)?.querySelectorAll("text") ?? [])].at(-1), path = edges.get(id)?.querySelector("path");
      if (text) {
        // The text starts where it started in the layout, so that it grows to the right, away from its line.
        laidOut.has(id) || laidOut.set(id, text.textContent);
        if (text.getAttribute("text-anchor") !== "start") {
          text.textContent = laidOut.get(id);
          const { x, width } = text.getBBox();
          if (width) { // 0 as long as the picture is not displayed
            text.setAttribute("text-anchor", "start");
            text.setAttribute("x", x);
          }
        }
        text.textContent = `${"\u00a0".repeat(2 + Math.round(thickness / 2))}${label}\u00a0`; // the same distance from the line as in the layout
      }
      path?.setAttribute("stroke-width", thickness || 1);
      if (path) path.style.strokeDasharray = thickness ? "none" : "1 4";
    }
    for (const [id, { knobs: own }] of knobs) own.forEach((one, i) => { if (!one.used() && !queued) one.set(numbers.values[id][i]); });
    for (const node of view.nodes) node.rows = numbers.rows[node.id];
    caption.textContent = numbers.caption;
    caption.classList.toggle("agt-trouble", numbers.trouble);
    for (const [id, lines] of shown) for (const line of lines.slice(1)) line.classList.toggle("agt-old", numbers.trouble); // values of the last successful call
    squeeze();
    changed();
    if (queued) { queued = false; ask(); }
  }
  show(Object.keys(model.get("numbers") ?? {}).length ? model.get("numbers") : view.numbers);
  return { bar, caption, show, keep: () => ({ knobs: new Map([...knobs.values()].map(({ name, knobs: own }) => [name, own])), queued }), pressed: () => all().find((one) => one.pressed)?.frame };
}

// The details of a node, over the picture, on the side away from the node; hidden if there is nothing to show.
function overlay(frame) {
  const node = make("div", "agt-side");
  node.hidden = true;
  return {
    node,
    show() { node.hidden = [...node.children].every((child) => !child.childNodes.length); },
    // Covering the node itself counts more than covering all others.
    beside(group) {
      if (!group) return;
      const around = frame.getBoundingClientRect(), covered = [0, 0];
      for (const other of frame.querySelectorAll(".agt-node")) {
        const box = other.getBoundingClientRect(), weight = other === group ? 100 : 1;
        if (box.left < around.left + OVERLAY) covered[0] += weight;
        if (box.right > around.right - OVERLAY) covered[1] += weight;
      }
      node.classList.toggle("agt-left", covered[0] < covered[1]);
    },
  };
}

// The code that made the graph. Pointing at a line marks its nodes; pointing at a node marks its line.
function code({ first, lines, of }, groups, tell) {
  const node = make("div", "agt-code"), numbered = [];
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", "the code that made this graph");
  lines.forEach((text, i) => {
    const line = make("div", "agt-code-line"), made = Object.keys(of).filter((id) => of[id] === first + i && groups.get(id));
    line.append(make("span", "agt-code-number", String(first + i)), make("code", "", text || " "));
    if (made.length) {
      line.classList.add("agt-code-made");
      line.addEventListener("pointerenter", () => { for (const [id, group] of groups) group.classList.toggle("agt-on", made.includes(id)); });
      line.addEventListener("pointerleave", () => { for (const group of groups.values()) group.classList.remove("agt-on"); });
      line.addEventListener("click", () => tell(made[0]));
    }
    numbered.push(line);
    node.append(line);
  });
  return { node, mark(id) { numbered.forEach((line, i) => line.classList.toggle("agt-code-on", Boolean(id) && of[id] === first + i)); } };
}

// A picture with controls comes into the place of the former picture without taking the controls, and what they lie in, out of
// the page: the browser would end a drag and take the keyboard focus away.
function pour(svg, into) {
  const [graph, old] = [svg, into].map((one) => one.querySelector("g.graph"));
  for (const child of [...old.childNodes]) if (child.tagName !== "foreignObject") child.remove();
  old.prepend(...graph.childNodes);
  old.setAttribute("transform", graph.getAttribute("transform"));
  into.setAttribute("viewBox", svg.getAttribute("viewBox"));
  return into;
}

function removeAllBut(parent, kept) {
  for (const child of [...parent.childNodes]) if (child !== kept) child.remove();
}

// Put one picture with everything around it into `root`. Returns what render() needs, also to replace it by another picture.
function stageView(view, svg, model, root, kept) {
  const top = make("div", "agt-top"), tools = make("div", "agt-tools");
  const held = kept?.held;
  const { body, frame, stage } = held ?? { body: make("div", "agt-body"), frame: make("div", "agt-frame"), stage: make("div", "agt-stage") };
  const side = overlay(frame), pristine = svg.cloneNode(true);
  if (held) {
    svg = pour(svg, held.svg);
    for (const [parent, child] of [[body, frame], [frame, stage]]) removeAllBut(parent, child);
    body.before(top);
  } else {
    stage.append(svg);
    frame.append(stage);
    body.append(frame);
    root.append(top, body);
  }
  frame.append(side.node);

  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", view.title);
  for (const title of svg.querySelectorAll("title")) title.remove();
  const groups = new Map(), edges = new Map();
  for (const node of view.nodes) groups.set(node.id, svg.querySelector(`[id="${node.id}"]`));
  for (const [id] of view.edges) edges.set(id, svg.querySelector(`[id="${id}"]`));
  let tellSize = () => {};
  const lens = camera(svg, stage, groups.get(view.nodes[0].id), Boolean(view.steps), kept?.lens, () => tellSize());

  const details = make("div", "agt-details");
  side.node.append(details);
  const listing = view.code ? code(view.code, groups, (id) => tell(view.nodes.find((node) => node.id === id))) : null;
  if (listing) body.prepend(listing.node);
  // Whether the whole picture is visible depends on the width of the view, which is not known yet.
  const large = make("p", "agt-hint agt-large", "This picture is large: drag it to see the rest, or press Fit to see the whole picture.");
  tellSize = () => { large.hidden = !lens.cropped(); };
  tellSize();
  body.after(make("p", "agt-hint", "Point at a node, or Tab to the picture and use the arrow keys."), large);
  root.append(legend(new Set(view.nodes.map((node) => node.kind)), Boolean(view.steps), view.legend ?? []));

  let steps = null, shownNode = null;
  function tell(node) {
    shownNode = node;
    for (const [id, group] of groups) group.classList.toggle("agt-on", id === node.id);
    for (const [id, source] of view.edges) edges.get(id).classList.toggle("agt-from", source === node.id);
    details.replaceChildren(heading(node.title), pairs(node.rows));
    // For a node that has run, show its step again: what came in and what went out.
    const past = steps && view.steps.findIndex((step, i) => step.node === node.id && i < steps.place() - 1);
    if (past >= 0 && steps) details.append(heading(`Step ${past + 1} of this pass`), pairs(view.steps[past].rows));
    listing?.mark(node.id);
    side.beside(groups.get(node.id));
    side.show();
    if (node.unfolds) details.append(make("p", "agt-hint", "Click, or press Enter, to unfold."));
  }
  // The details cover the picture, so they disappear when the pointer leaves a node, unless a node has the keyboard focus.
  function leave() {
    const kept = view.nodes.find(({ id }) => groups.get(id) === root.getRootNode().activeElement);
    if (kept) { tell(kept); return; }
    for (const group of groups.values()) group.classList.remove("agt-on");
    for (const edge of edges.values()) edge.classList.remove("agt-from");
    listing?.mark(steps?.running() ?? null);
    shownNode = null;
    details.replaceChildren();
    side.show();
  }
  let patience = null;
  function unfold(node) {
    tell(node);
    const said = make("p", "agt-hint");
    said.setAttribute("role", "status");
    details.lastChild.replaceWith(said);
    const needed = "unfolding needs a running kernel. Run the cell again in a notebook.";
    said.textContent = model.send ? "Unfolding…" : `There is no kernel here: ${needed}`;
    if (!model.send) return;
    model.send({ type: "unfold", id: node.id });
    clearTimeout(patience);
    patience = setTimeout(() => { said.textContent = `No answer yet: ${needed}`; }, UNFOLDING);
  }
  function named(node) {
    const told = [node.title, ...node.rows.map(asText), ...(node.unfolds ? ["Enter unfolds it"] : [])];
    groups.get(node.id).setAttribute("aria-label", told.join(", "));
  }
  view.nodes.forEach((node, i) => {
    const group = groups.get(node.id);
    group.setAttribute("tabindex", i === 0 ? "0" : "-1");
    group.setAttribute("role", node.unfolds ? "button" : "img");
    named(node);
    group.classList.toggle("agt-unfolds", Boolean(node.unfolds));
    if (node.unfolds) group.addEventListener("click", () => unfold(node));
    group.addEventListener("pointerenter", () => tell(node));
    group.addEventListener("pointerleave", () => leave());
    group.addEventListener("focus", () => {
      for (const other of groups.values()) other.setAttribute("tabindex", other === group ? "0" : "-1");
      lens.follow(group);
      tell(node);
    });
  });

  steps = view.steps?.length ? player(view, model, groups, edges, { side, lens, listing }) : null;
  const bench = view.leaves ? liveBench(view, model, svg, groups, edges, held?.bench, {
    changed() { view.nodes.forEach(named); if (shownNode) tell(shownNode); },
    tell: (id) => tell(view.nodes.find((node) => node.id === id)), leave, rest: lens.rest,
  }) : null;
  if (steps || bench) top.append((steps || bench).bar);
  let sheet = null;
  const toTable = button("table", "Table", () => {
    if (!sheet) { sheet = make("div", "agt-sheet"); sheet.append(steps ? stepTable(view) : nodeTable(view)); sheet.hidden = true; root.append(sheet); }
    sheet.hidden = !sheet.hidden;
    toTable.setAttribute("aria-expanded", String(!sheet.hidden));
  });
  toTable.setAttribute("aria-expanded", "false");
  const paper = () => onPaper(steps ? pristine : svg, lens.whole, root, view.title);
  tools.append(
    button("zoom out", "−", () => lens.zoom(1.3)), button("zoom in", "+", () => lens.zoom(1 / 1.3)),
    button("fit", "Fit", () => lens.fit()), toTable,
    button("save as SVG", "SVG", () => download(new Blob([paper().text], { type: "image/svg+xml" }), "graph.svg")),
    button("save as PNG", "PNG", () => savePng(paper())),
  );
  if (view.dot && !view.leaves) tools.append(button("save as DOT", "DOT", () => download(new Blob([view.dot], { type: "text/vnd.graphviz" }), "graph.dot")));
  if (view.refolds && model.send) tools.prepend(button("fold everything again", "Fold", () => model.send({ type: "refold" })));
  top.append(tools);
  if (steps || bench) body.before((steps || bench).caption);
  if (kept?.table) toTable.click();
  refocus(root, view, groups, kept?.focus);
  if (held?.pressed) lens.hold(held.pressed, held.place, held.scale);

  function keydown(event) {
    const onNode = event.target.closest?.(".agt-node");
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    const arrow = event.key.startsWith("Arrow");
    if (!plain || !(arrow || ["Home", "End", " ", "Enter"].includes(event.key))) return;
    event.stopPropagation(); // else the notebook would move to another cell
    if (event.target.tagName === "INPUT") return; // the browser moves the slider
    const act = steps && { ArrowLeft: steps.back, ArrowRight: steps.next, Home: () => steps.to(steps.first), End: () => steps.to(steps.last) }[event.key];
    if (act) { event.preventDefault(); act(); return; }
    if (!onNode) return;
    event.preventDefault();
    const node = view.nodes.find(({ id }) => groups.get(id) === onNode);
    if (arrow) neighbour([...groups.values()], onNode, event.key)?.focus();
    else if (node.unfolds && (event.key === "Enter" || event.key === " ")) unfold(node);
  }
  // The knob that is dragged, and where it lies.
  const grip = (pressed) => pressed && { pressed, place: pressed.getBoundingClientRect(), scale: svg.getScreenCTM().a };
  return {
    keydown,
    numbers: () => bench?.show(model.get("numbers")),
    step: (place) => { if (steps && place !== steps.place()) steps.go(place); },
    stop: () => { clearTimeout(patience); steps?.stop(); lens.leave(); },
    keep: () => ({
      lens: lens.keep(), table: Boolean(sheet && !sheet.hidden), focus: focused(root, view, groups),
      held: bench && { body, frame, stage, svg, bench: bench.keep(), ...grip(bench.pressed()) },
    }),
  };
}

// The keyboard focus stays when another picture replaces this one: on the node of the same name, else on the same node id.
function focused(root, view, groups) {
  const active = root.getRootNode().activeElement;
  if (!active || !root.contains(active)) return null;
  const node = view.nodes.find(({ id }) => groups.get(id) === active);
  return node ? { id: node.id, title: node.title } : { label: active.getAttribute("aria-label"), typed: active.type === "number" ? active.value : null };
}

function refocus(root, view, groups, focus) {
  if (!focus || (root !== root.getRootNode().activeElement && root.contains(root.getRootNode().activeElement))) return;
  const same = view.nodes.find(({ title }) => title === focus.title) || view.nodes.find(({ id }) => id === focus.id);
  const control = [...root.querySelectorAll("button, input")].find((one) => one.getAttribute("aria-label") === focus.label);
  if (control && focus.typed) control.value = focus.typed; // the reader may still be typing a number
  (same ? groups.get(same.id) : control || root).focus({ preventScroll: true });
}

function render({ model, el }) {
  const root = make("div");
  root.setAttribute("role", "group");
  root.tabIndex = -1; // a click anywhere in the view gives it the keyboard focus
  el.append(root);
  let scene = null, turn = 0, due = false;

  function put(svg, told) {
    const view = model.get("view"), { held, ...kept } = scene?.keep() ?? {};
    if (held && svg && view.leaves) kept.held = held;
    scene?.stop();
    root.className = `agt agt-${view.kind}-view`;
    root.setAttribute("aria-label", view.title);
    removeAllBut(root, kept.held?.body);
    root.prepend(...view.notes.map(sentence));
    scene = svg ? stageView(view, svg, model, root, kept) : null;
    if (svg || !view.nodes.length) return;
    if (told) root.append(told);
    root.append(make("pre", "agt-text", view.text.split("\n").filter((line) => !view.notes.includes(line)).join("\n")));
  }
  async function show() {
    const view = model.get("view"), mine = ++turn, made = view.nodes.length ? model.get("svg") : "";
    if (made || !view.nodes.length || !view.drawable) {
      const svg = made ? parse(made) : null;
      if (!svg || view.nodes.every(({ id }) => svg.querySelector(`[id="${id}"]`))) put(svg);
      return; // else only one of the two traits has changed yet
    }
    const told = make("p", "agt-hint", "The browser is laying out the picture. Until then, this text shows the same graph.");
    told.setAttribute("role", "status");
    const late = setTimeout(() => { told.textContent = "Still no picture: the kernel is busy or has stopped. This text shows the same graph."; }, PATIENCE);
    if (!scene) put(null, told);
    try {
      const svg = await layOut(view, model);
      if (mine === turn) put(svg);
    } catch (error) {
      if (mine === turn) { put(null, told); told.textContent = `The browser could not lay out the picture (${error.message}). This text shows the same graph.`; }
    } finally {
      clearTimeout(late);
    }
  }
  // Both traits may change in one message: draw only once.
  const renew = () => {
    if (due) return;
    due = true;
    queueMicrotask(() => { due = false; show(); });
  };
  const follow = () => scene?.step(model.get("step"));
  const count = () => { if (!due && Object.keys(model.get("numbers") ?? {}).length) scene?.numbers(); };
  const heard = { "change:view": renew, "change:svg": renew, "change:step": follow, "change:numbers": count };
  for (const [event, act] of Object.entries(heard)) model.on(event, act);
  root.addEventListener("keydown", (event) => scene?.keydown(event));
  show();
  return () => {
    turn += 1;
    scene?.stop();
    for (const [event, act] of Object.entries(heard)) model.off(event, act);
  };
}

export default { render };
