// An extension of JupyterLab and Notebook 7, hand-written, no build step. It mends four things.
// 1. Of a saved notebook that is opened again, with a new kernel, they show "Error displaying widget: model not found", though the
//    output holds a picture or a text too. This shows it. Questions are then asked for again from the notebook's kernel, so that
//    they can be answered, and answers come back, without running a cell; they stay text if there is no kernel.
// 2. A link to a heading of a notebook that is not open yet opens it at its top: they look for the heading among the cells that
//    have been rendered, and there are none (JupyterLab 4.6). This looks for it in all.
// 3. A link in a question would leave the page. This opens its notebook beside this one, as a link in a text does.
// 4. A link whose text is code does not look like a link: code has a colour of its own. This leaves it the link's.
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
      form.src = `data:image/svg+xml,${encodeURIComponent(data[SVG])}`; // in an img nothing of it can run
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

  // By the notebook's own renderer, which cleans what is not trusted; formulas are set by whoever shows the page.
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

  // Python for the same question again; nothing of the notebook's file gets into it but a number and a name.
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

  // For kernels that know no user expressions, as JupyterLite's.
  async function resultOf(kernel, expression) {
    const request = kernel.requestExecute({ code: expression, store_history: false });
    let data = {};
    request.onIOPub = ({ header, content }) => { if (header.msg_type === "execute_result") data = content.data; };
    const { content } = await request.done;
    return { status: content.status, data };
  }

  // Views of other packages are left as they are: ours are known by what they say of themselves.
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

  // Relative to the notebook, as in its texts; what leads elsewhere opens in a tab of its own, as it says itself.
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

  // `#leaf` is looked for among what is on the page, `#heading=leaf` in the texts of all cells, once these have been made. Neither
  // says when that is, so it is asked for until the heading is seen, or the reader scrolls, or ten seconds are over.
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
