// Questions that are answered before they are explained: one (predict), or several in turn (review, quiz).
// Works without a kernel once shown. `answers` (question id -> first, last, sure, tries) is kept in the model, so all views
// of the output agree, and a kernel can store it. The page shows an explanation only after an answer.

const DONT_KNOW = "?";
const CONFIDENCE = [[1, "a guess"], [2, "fairly sure"], [3, "certain"]];
const BADGE = { predict: "Predict", review: "Review", quiz: "Quiz" };
// JupyterLab handles Enter and the arrow keys itself, unless the element with the focus has this attribute.
const OWN_KEYS = { "data-lm-suppress-shortcuts": "true" };
let groups = 0;

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function rich(tag, attributes, html) {
  const node = element(tag, attributes);
  node.innerHTML = html; // made and escaped by rich_text.py from the course's own question file
  return node;
}

function button(label, act) {
  const node = element("button", { type: "button", ...OWN_KEYS }, label);
  node.addEventListener("click", act);
  return node;
}

function answerTo(model, question) {
  return model.get("answers")[question.id];
}

function rightOf(question) {
  return question.choices.find((choice) => choice.right);
}

function isDone(question, answer) {
  return Boolean(answer) && [DONT_KNOW, rightOf(question).letter].includes(answer.last);
}

function isRightAtFirst(question, answer) {
  return answer?.first === rightOf(question).letter;
}

// The first answer counts. Once the right one is known, further choices only show their explanation.
function give(model, question, letter, sure = null) {
  const before = answerTo(model, question);
  if (isDone(question, before)) return;
  const answer = before
    ? { ...before, last: letter, tries: before.tries + (letter === before.last ? 0 : 1) }
    : { first: letter, last: letter, sure, tries: 1 };
  model.set("answers", { ...model.get("answers"), [question.id]: answer });
  model.save_changes();
  awaitStored(model);
}

// The kernel confirms that it has stored an answer. A kernel that was restarted does not know this cell and is silent.
const STORING = 4_000; // milliseconds
const waiting = new WeakMap();

function awaitStored(model) {
  if (!model.send) return; // a page without a kernel stores nothing
  const notes = waiting.get(model);
  clearTimeout(notes?.timer);
  if (notes) notes.timer = setTimeout(() => { for (const note of notes.shown) note.hidden = false; }, STORING);
}

function storedNote(model) {
  const note = element("p", { class: "agt-predict-unstored", role: "status" }, "This answer is not stored: Python was restarted, or is busy. If this stays, run this cell again and answer once more.");
  note.hidden = true;
  if (!waiting.has(model)) waiting.set(model, { timer: null, shown: new Set() });
  const notes = waiting.get(model);
  notes.shown.add(note);
  const heard = (message) => {
    if (message.type !== "stored") return;
    clearTimeout(notes.timer);
    for (const one of notes.shown) one.hidden = true;
  };
  model.on("msg:custom", heard);
  return { note, leave: () => { notes.shown.delete(note); model.off("msg:custom", heard); } };
}

// One question in its own form; `show` updates it from the model.
function ask(model, question, badge, changed = () => {}) {
  const group = `agt-predict-${++groups}`;
  const radio = (name, value) => element("input", { type: "radio", name: `${group}-${name}`, value, ...OWN_KEYS });
  const choices = question.choices.map((choice) => {
    const text = rich("span", { class: "agt-predict-text" }, choice.text);
    return element("label", {}, radio("choice", choice.letter), element("b", {}, choice.letter), text);
  });
  const legend = rich("legend", {}, question.text);
  if (badge) legend.prepend(element("span", { class: "agt-predict-badge" }, badge));
  const scale = CONFIDENCE.map(([value, word]) => element("label", {}, radio("sure", value), word));
  const sure = element("fieldset", { class: "agt-predict-sure" }, element("legend", {}, "How sure are you? (optional)"), ...scale);
  const check = element("button", { type: "submit", class: "agt-predict-check", ...OWN_KEYS });
  const giveUp = button("I don't know", () => answer(DONT_KNOW));
  const verdict = element("div", { class: "agt-predict-verdict", role: "status", "aria-live": "polite" });
  const bar = element("div", { class: "agt-predict-bar" }, check, giveUp);
  const form = element("form", {}, element("fieldset", {}, legend, ...choices), sure, bar, verdict);

  function answer(letter) {
    const rating = form.querySelector(`input[name="${group}-sure"]:checked`);
    give(model, question, letter, rating && letter !== DONT_KNOW ? Number(rating.value) : null);
    show(letter);
    changed();
  }

  function clear() {
    for (const label of choices) label.classList.remove("agt-predict-right", "agt-predict-wrong");
    verdict.className = "agt-predict-verdict";
    verdict.replaceChildren();
  }

  function show(letter = answerTo(model, question)?.last) {
    const given = answerTo(model, question);
    clear();
    const done = isDone(question, given);
    check.textContent = done ? "Show why for another answer" : given ? "Check this answer" : badge ? "Check my prediction" : "Check my answer";
    check.classList.toggle("agt-predict-quiet", done); // what was asked for is done
    sure.hidden = Boolean(given);
    giveUp.hidden = Boolean(given);
    if (!given) return;
    const shown = letter === DONT_KNOW ? rightOf(question) : question.choices.find((c) => c.letter === letter);
    if (!shown) return;
    const state = shown.right ? "agt-predict-right" : "agt-predict-wrong";
    const label = choices[question.choices.indexOf(shown)];
    label.classList.add(state);
    label.querySelector("input").checked = letter !== DONT_KNOW;
    const head = letter === DONT_KNOW ? "The answer is" : shown.right ? "✓ Right." : "✗ Not so.";
    verdict.classList.add(state);
    verdict.append(element("strong", {}, `${head} (${shown.letter})`), rich("div", {}, shown.why));
    if (done && question.explanation) verdict.append(rich("div", { class: "agt-predict-explanation" }, question.explanation));
    if (!done) {
      const giveIn = button("Show the explanation", () => answer(DONT_KNOW));
      verdict.append(element("p", {}, "Think again and pick another answer, or ", giveIn));
    }
    const first = firstAnswer(given, question);
    if (first) verdict.append(element("p", { class: "agt-predict-first" }, first));
  }

  form.addEventListener("change", (event) => {
    if (event.target.name === `${group}-choice`) clear(); // the old verdict is about another answer
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const picked = form.querySelector(`input[name="${group}-choice"]:checked`);
    if (picked) {
      answer(picked.value);
      return;
    }
    clear();
    verdict.textContent = "Pick one of the answers first.";
  });
  show();
  return { node: form, show };
}

function firstAnswer(given, question) {
  const sure = CONFIDENCE.find(([value]) => value === given.sure)?.[1];
  if (given.first === given.last) {
    return sure === "certain" && given.first !== rightOf(question).letter ? "You were certain. This one is worth remembering." : "";
  }
  return `Your first answer, the one that counts: ${given.first === DONT_KNOW ? "you did not know" : given.first}${sure ? `, ${sure}` : ""}.`;
}

function one(model) {
  const { node, show } = ask(model, model.get("questions")[0], BADGE.predict);
  return { nodes: [node], show: () => show() };
}

// Several questions, one visible at a time, and a last page with the result.
function several(model) {
  const questions = model.get("questions");
  const kind = model.get("kind");
  const asked = questions.map((question) => ask(model, question, "", update));
  const place = element("span", { class: "agt-predict-place", role: "status" });
  const head = element("div", { class: "agt-predict-head" }, element("span", { class: "agt-predict-badge" }, BADGE[kind]), place);
  const summary = element("div", { class: "agt-predict-summary", tabindex: "-1" });
  const back = button("← Back", () => go(at - 1));
  const next = button("Next →", () => go(at + 1));
  const open = questions.findIndex((question) => !isDone(question, answerTo(model, question)));
  let at = open < 0 ? questions.length : open;

  function go(to) {
    at = to;
    update();
    (at === questions.length ? summary : asked[at].node.querySelector("input")).focus({ preventScroll: true });
  }

  function update() {
    const isEnd = at === questions.length;
    asked.forEach(({ node }, number) => (node.hidden = number !== at));
    summary.hidden = !isEnd;
    const from = kind === "review" && !isEnd ? `, from lesson ${questions[at].lesson}` : "";
    place.textContent = isEnd ? model.get("title") : `Question ${at + 1} of ${questions.length}${from}`;
    back.hidden = at === 0;
    next.hidden = isEnd;
    next.textContent = at === questions.length - 1 ? "Results →" : "Next →";
    next.disabled = !isEnd && !answerTo(model, questions[at]);
    if (isEnd) summary.replaceChildren(...results());
  }

  function results() {
    const missed = questions.filter((question) => !isRightAtFirst(question, answerTo(model, question)));
    const told = [element("p", {}, element("strong", {}, `${questions.length - missed.length} of ${questions.length} right at the first answer.`))];
    const files = new Map(missed.map((question) => [question.lesson, question.file]));
    if (files.size) {
      const links = [...files].flatMap(([lesson, file], n) => [n ? ", " : "", element("a", { href: file }, `lesson ${lesson}`)]);
      const again = kind === "quiz" ? "Read again what you missed: " : "To reread: ";
      told.push(element("p", {}, again, ...links, kind === "quiz" ? "." : ". Missed questions come back in later reviews."));
    } else {
      told.push(element("p", {}, kind === "quiz" ? "You know this lesson." : "Nothing to reread. On with the lesson."));
    }
    return told;
  }

  update();
  const bar = element("div", { class: "agt-predict-bar agt-predict-steps" }, back, next);
  const show = () => {
    for (const each of asked) each.show();
    update();
  };
  return { nodes: [head, ...asked.map(({ node }) => node), summary, bar], show };
}

// Shift+Enter and its like run the cell also if the focus is in its question. An answer that was picked is checked first.
function passOnRunKeys(event) {
  const cell = event.currentTarget.closest(".jp-Notebook .jp-Cell");
  if (!cell || event.key !== "Enter" || !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)) return;
  event.preventDefault(); // the browser would press the button that has the focus
  const form = event.currentTarget.querySelector("form:not([hidden])");
  const isPicked = form?.querySelector("input[name$=-choice]:checked") && !form.querySelector(".agt-predict-verdict").hasChildNodes();
  if (isPicked) {
    form.requestSubmit();
    return;
  }
  cell.focus({ preventScroll: true });
  cell.dispatchEvent(new KeyboardEvent(event.type, event));
}

function render({ model, el }) {
  const { nodes, show } = model.get("kind") === "predict" ? one(model) : several(model);
  const { note, leave } = storedNote(model);
  const box = element("div", { class: "agt-predict" }, ...nodes, note);
  box.addEventListener("keydown", passOnRunKeys);
  el.append(box);
  model.on("change:answers", show);
  return () => { leave(); model.off("change:answers", show); };
}

export default { render };
