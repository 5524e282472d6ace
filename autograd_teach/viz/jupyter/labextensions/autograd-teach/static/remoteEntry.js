// An extension of JupyterLab and Notebook 7, hand-written, no build step. It mends three things.
// 1. Of a saved notebook that is opened again, with a new kernel, they show "Error displaying widget: model not found", though the
//    output holds a picture too. This shows it.
// 2. A link to a heading of a notebook that is not open yet opens it at its top: they look for the heading among the cells that
//    have been rendered, and there are none (JupyterLab 4.6). This looks for it in all.
// 3. A link whose text is code does not look like a link: code has a colour of its own. This leaves it the link's.
"use strict";

(() => {
  const WIDGET = "application/vnd.jupyter.widget-view+json";
  const SVG = "image/svg+xml";

  function savedForm(data) {
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
    box.className = "agt-saved";
    box.append(form, said);
    return box;
  }

  // Views of other packages are left as they are: ours are known by what they say of themselves.
  function withSavedForm(renderer) {
    const render = renderer.renderModel.bind(renderer);
    renderer.renderModel = async (model) => {
      await render(model);
      const lost = !renderer.node.firstElementChild && renderer.node.textContent.startsWith("Error displaying widget");
      if (lost && model.data[WIDGET]?.autograd_teach) renderer.node.replaceChildren(savedForm(model.data));
    };
    return renderer;
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
            return mime === WIDGET ? withSavedForm(renderer) : renderer;
          };
        },
      });
    },
  };

  window._JUPYTERLAB ||= {};
  window._JUPYTERLAB["autograd-teach"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
