// An extension of JupyterLab and Notebook 7, hand-written, no build step. Of a saved notebook that is opened again, with a
// new kernel, they show "Error displaying widget: model not found", though the output holds a picture too. This shows it.
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

  const plugin = {
    id: "autograd-teach:saved-form",
    autoStart: true,
    activate: (app) => {
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel) => {
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
