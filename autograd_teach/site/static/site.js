// The script of the site's pages: interactive views, stored answers, light and dark colours. Hand-written: no build step,
// nothing from elsewhere. Without it, a page shows the same pictures, questions and explanations.

const root = document.documentElement;

// ---- light and dark ----

const THEME = "autograd_teach theme";
const LOOKS = {
  dark: ["Use light colours", "M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6 13 13M3 13l1.4-1.4M11.6 4.4 13 3M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6z"],
  light: ["Use dark colours", "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z"],
};

function theme() {
  return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function showTheme(button) {
  const [label, path] = LOOKS[theme()];
  button.title = label;
  button.setAttribute("aria-label", label);
  button.innerHTML = `<svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="${path}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

const button = document.getElementById("theme");
button.hidden = false;
showTheme(button);
button.addEventListener("click", () => {
  root.dataset.theme = theme() === "dark" ? "light" : "dark";
  keep(THEME, root.dataset.theme);
  showTheme(button);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTheme(button));

// ---- storage in this browser ----

// If storage is forbidden or full, a page still works, but it does not remember anything.
function kept(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

function keep(key, value) {
  try { localStorage.setItem(key, value); } catch { /* see above */ }
}

// Several courses may be on one server, so answers are stored by the address of the site and of the page.
const SITE = new URL("..", import.meta.url).pathname;
const ANSWERS = `autograd_teach answers ${SITE}`;
const PAGE = decodeURI(location.pathname).slice(SITE.length);

function allAnswers() {
  try { return JSON.parse(kept(ANSWERS)) || {}; } catch { return {}; }
}

// ---- views and questions ----

// Each is a widget of the notebook: a module with a function `render` that takes a model. Here the page contains the model.
function modelOf({ state, asked }, picture) {
  const listeners = {}, place = `${PAGE} ${asked}`;
  if (picture) state.svg = picture;
  if (state.questions) state.answers = allAnswers()[place] || state.answers;
  return {
    get: (name) => state[name],
    set(name, value) { state[name] = value; for (const act of listeners[`change:${name}`] || []) act(); },
    on: (event, act) => { (listeners[event] ||= []).push(act); },
    off: (event, act) => { listeners[event] = (listeners[event] || []).filter((one) => one !== act); },
    save_changes() {
      if (state.questions) keep(ANSWERS, JSON.stringify({ ...allAnswers(), [place]: state.answers }));
    },
  };
}

// The page contains the picture once; its ids there have a prefix, so that they are unique on the page.
function pictureIn(el, name) {
  const svg = el.querySelector("svg");
  return svg ? new XMLSerializer().serializeToString(svg).replaceAll(` id="${name}-`, ' id="') : "";
}

async function bringToLife(el, models) {
  const name = el.dataset.model, told = models[name], model = modelOf(told, pictureIn(el, name));
  try {
    const { default: widget } = await import(`./${told.code}`);
    const shown = document.createElement("div");
    widget.render({ model, el: shown });
    el.replaceChildren(shown);
    // Python would have to compute the new numbers, and it does not run on this page.
    if (told.needsPython) for (const input of el.querySelectorAll(".agt-knob input, .agt-transport .agt-number")) input.disabled = true;
  } catch (error) {
    console.error(error); // the static picture or the text stays
  }
}

function pointToPython() {
  const { run, install } = document.getElementById("main").dataset;
  for (const note of document.querySelectorAll(".needs-python")) {
    const link = Object.assign(document.createElement("a"), { href: run || install, textContent: run ? "Run this lesson" : "Install the course" });
    note.replaceChildren(link, " to change the values. This page shows only one state.");
  }
}

pointToPython();
const models = JSON.parse(document.getElementById("models")?.textContent || "{}");
await Promise.all([...document.querySelectorAll("[data-model]")].map((el) => bringToLife(el, models)));

// Interactive views have other heights than their pictures, so scroll to the anchor of the address again.
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

// ---- reading ----

// Boxes that scroll sideways can be reached by keyboard, and show on which sides there is more.
const SCROLLS = "pre, .table, .picture, .formula, .figure";

function showMore(box) {
  const after = box.scrollWidth - box.clientWidth - box.scrollLeft > 1;
  const more = [...(box.scrollLeft > 1 ? ["before"] : []), ...(after ? ["after"] : [])].join(" ");
  if (more) box.dataset.more = more;
  else delete box.dataset.more;
}

function reachable() {
  const wide = [...document.querySelectorAll(SCROLLS)].map((box) => [box, box.scrollWidth > box.clientWidth]);
  for (const [box, scrolls] of wide) {
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    showMore(box);
  }
}
new ResizeObserver(reachable).observe(document.body);
document.addEventListener("scroll", ({ target }) => { if (target !== document && target.matches(SCROLLS)) showMore(target); }, { capture: true, passive: true });

// Mark the current section in the list beside the text.
const entries = new Map([...document.querySelectorAll(".contents a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
if (entries.size) {
  const heads = [...entries.keys()].map((id) => document.getElementById(id));
  const mark = () => {
    const now = heads.findLast((head) => head.getBoundingClientRect().top < 120) || heads[0];
    for (const [id, link] of entries) {
      if (id === now.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

// Open all folded parts for printing.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of folded) each.open = false; });

root.dataset.ready = "";
