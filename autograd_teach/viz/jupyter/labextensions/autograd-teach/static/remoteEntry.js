// An extension of JupyterLab and Notebook 7, hand-written, without a build step. It corrects four things.
// 1. A saved notebook that is opened with a new kernel shows "Error displaying widget: model not found", although the output
//    also contains a picture or a text. The extension shows that. Questions are requested again from the notebook's kernel, so
//    that they can be answered, and answers come back, without running a cell. Without a kernel they stay text.
// 2. A link to a heading of a notebook that is not open opens the notebook at its top: JupyterLab 4.6 searches only the rendered
//    cells, and there are none yet. The extension searches all cells.
// 3. A link in a question would leave the page. The extension opens its notebook beside this one, like a link in a text.
// 4. A link whose text is code does not look like a link, because code has its own colour. The extension gives it the link's.
"use strict";

(() => {
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const SVG = "image/svg+xml";

  const MARKDOWN = "text/markdown";

  function savedPicture(data) {
    const box = document.createElement("div");
    const form = document.createElement(data[SVG] ? "img" : "pre");
    const said = document.createElement("p");
    if (data[SVG]) {
      form.src = `data:image/svg+xml,${encodeURIComponent(data[SVG])}`; // scripts do not run inside an img
      form.alt = data["text/plain"];
      form.style.maxWidth = "100%";
    } else {
      form.textContent = data["text/plain"];
    }
    said.textContent = "As it was saved. Run the cell for the interactive view.";
    said.style.cssText = "margin: 4px 0; font-size: 12px; opacity: 0.75;";
    box.append(form, said);
    return box;
  }

  // Uses the notebook's renderer, which sanitises untrusted text, and the notebook's typesetter for formulas.
  async function savedText(model, registry, make) {
    const renderer = make(MARKDOWN);
    await renderer.renderModel(model);
    registry.latexTypesetter?.typeset(renderer.node);
    return renderer.node;
  }

  async function savedForm(model, registry, make) {
    const isText = model.data[MARKDOWN] && !model.data[SVG];
    const form = isText ? await savedText(model, registry, make) : savedPicture(model.data);
    form.classList.add("agt-saved");
    return form;
  }

  // Python code that asks the same question again. From the notebook's file it takes only a number and a name.
  function questionAgain(view) {
    const { kind, asked } = view;
    if (!["predict", "review", "quiz"].includes(kind) || !/^\d\d(\.\w+)?$/.test(asked)) return "";
    return `__import__("autograd_teach.course.predict", fromlist=["${kind}"]).${kind}("${asked}")`;
  }

  async function askKernelAgain(panel, view) {
    const expression = questionAgain(view);
    await panel.sessionContext.ready;
    const kernel = panel.sessionContext.session?.kernel;
    if (!expression || !kernel) return null;
    const request = kernel.requestExecute({ code: "", silent: true, store_history: false, user_expressions: { again: expression } });
    const { content } = await request.done;
    const again = content.user_expressions?.again ?? (await resultOf(kernel, expression));
    return again?.status === "ok" && again.data[WIDGET] ? again.data : null;
  }

  // For kernels without user expressions, for example JupyterLite's.
  async function resultOf(kernel, expression) {
    const request = kernel.requestExecute({ code: expression, store_history: false });
    let data = {};
    request.onIOPub = ({ header, content }) => { if (header.msg_type === "execute_result") data = content.data; };
    const { content } = await request.done;
    return { status: content.status, data };
  }

  // Only views of this package are changed; they have the key `autograd_teach`.
  function withSavedForm(renderer, panel, make) {
    const render = renderer.renderModel.bind(renderer);
    const registry = panel.content.rendermime;
    const isLost = () => renderer.node.textContent.startsWith("Error displaying widget");
    renderer.renderModel = async (model) => {
      await render(model);
      const view = model.data[WIDGET];
      if (renderer.node.firstElementChild || !isLost() || !view?.autograd_teach) return;
      const saved = await savedForm(model, registry, make);
      renderer.node.replaceChildren(saved);
      const data = view.kind && (await askKernelAgain(panel, view).catch(() => null));
      if (!data || renderer.isDisposed || !saved.isConnected) return;
      saved.remove();
      await render({ data, metadata: {}, trusted: model.trusted });
      if (isLost()) renderer.node.replaceChildren(saved);
    };
    return renderer;
  }

  // Links are relative to the notebook, as in its texts. Links with a scheme keep their own behaviour: a new tab.
  function openLinkOfQuestion(event, panel, app) {
    const href = event.target.closest?.(".agt-predict a[href]")?.getAttribute("href");
    if (!href || /^[a-z]+:/i.test(href)) return;
    event.preventDefault();
    const [file, id] = href.split("#");
    const folder = panel.context.path.slice(0, panel.context.path.lastIndexOf("/") + 1);
    const path = file ? folder + decodeURIComponent(file) : panel.context.path;
    app.commands.execute("rendermime:handle-local-link", { path, id: id ? `#${id}` : "" });
  }

  function isSeen(panel, id) {
    const heading = panel.node.querySelector(`[data-jupyter-id="${CSS.escape(id)}"], [id="${CSS.escape(id)}"]`);
    if (!heading) return false;
    const [one, frame] = [heading, panel.content.node].map((node) => node.getBoundingClientRect());
    return one.height > 0 && one.top >= frame.top - 1 && one.bottom <= frame.bottom + 1;
  }

  // JupyterLab searches `#leaf` among what is on the page, and `#heading=leaf` in the texts of all cells once they exist. It does
  // not report when they do, so this tries again until the heading is visible, the reader scrolls, or ten seconds are over.
  function goToHeading(panel, fragment, goTo, tries = 40) {
    if (fragment.includes("=")) return goTo(fragment);
    let isReaders = false;
    panel.node.addEventListener("wheel", () => (isReaders = true), { once: true });
    const again = () => {
      if (panel.isDisposed || isReaders || isSeen(panel, fragment.slice(1)) || tries-- === 0) return;
      goTo(`#heading=${fragment.slice(1)}`);
      setTimeout(again, 250);
    };
    again();
  }

  const plugin = {
    id: "autograd-teach:notebooks",
    autoStart: true,
    activate: (app) => {
      const style = document.createElement("style");
      style.textContent = ".jp-RenderedHTMLCommon.jp-RenderedMarkdown a > code { color: inherit; }";
      document.head.append(style);
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel) => {
          const goTo = panel.setFragment.bind(panel);
          panel.setFragment = (fragment) => panel.revealed.then(() => goToHeading(panel, fragment, goTo));
          const registry = panel.content.rendermime;
          const make = registry.createRenderer.bind(registry);
          registry.createRenderer = (mime, ...rest) => {
            const renderer = make(mime, ...rest);
            return mime === WIDGET ? withSavedForm(renderer, panel, make) : renderer;
          };
          panel.node.addEventListener("click", (event) => openLinkOfQuestion(event, panel, app));
        },
      });
    },
  };

  window._JUPYTERLAB ||= {};
  window._JUPYTERLAB["autograd-teach"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
