// A predict-first question: radio buttons, a button, and the explanation that belongs to the answer checked.
// Needs no kernel once shown; `picked` is kept in the model so that a second view of the output agrees.

let views = 0;

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function rich(tag, attributes, html) {
  const node = element(tag, attributes);
  node.innerHTML = html; // made and escaped by predict.py from the course's own question file
  return node;
}

function render({ model, el }) {
  const question = model.get("question");
  const group = `agt-predict-${++views}`;
  // JupyterLab would take Enter and the arrow keys for itself; it looks for this mark on what has the focus.
  const own = { "data-lm-suppress-shortcuts": "true" };
  const form = element("form", { class: "agt-predict" });
  const choices = question.choices.map((choice) => {
    const radio = element("input", { type: "radio", name: group, value: choice.letter, ...own });
    const text = rich("span", { class: "agt-predict-text" }, choice.text);
    return element("label", {}, radio, element("b", {}, choice.letter), text);
  });
  const legend = rich("legend", {}, question.text);
  legend.prepend(element("span", { class: "agt-predict-badge" }, "Predict"));
  const button = element("button", { type: "submit", ...own }, "Check my prediction");
  const verdict = element("div", { class: "agt-predict-verdict", role: "status", "aria-live": "polite" });
  form.append(element("fieldset", {}, legend, ...choices), button, verdict);

  function clear() {
    for (const label of choices) label.classList.remove("agt-predict-right", "agt-predict-wrong");
    verdict.className = "agt-predict-verdict";
    verdict.replaceChildren();
  }

  function show() {
    const choice = question.choices.find((c) => c.letter === model.get("picked"));
    clear();
    if (!choice) return;
    const state = choice.right ? "agt-predict-right" : "agt-predict-wrong";
    const label = choices[question.choices.indexOf(choice)];
    label.classList.add(state);
    label.querySelector("input").checked = true;
    const head = choice.right ? "✓ Right." : "✗ Not so.";
    const rest = choice.right ? "" : "<p>Think again, pick another, or run the next cell.</p>";
    verdict.className = `agt-predict-verdict ${state}`;
    verdict.append(element("strong", {}, `${head} (${choice.letter})`), rich("div", {}, choice.why + rest));
  }

  form.addEventListener("change", clear); // a verdict on another answer than the one picked would mislead
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const checked = form.querySelector("input:checked");
    if (!checked) {
      verdict.className = "agt-predict-verdict";
      verdict.textContent = "Pick one of the answers first.";
      return;
    }
    model.set("picked", checked.value);
    model.save_changes();
    show();
  });
  model.on("change:picked", show);
  el.append(form);
  show();
  return () => model.off("change:picked", show);
}

export default { render };
