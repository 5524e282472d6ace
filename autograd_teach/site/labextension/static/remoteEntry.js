// An extension of JupyterLite 0.7, hand-written, without a build step; only for sites. It corrects five things.
// 1. JupyterLite saves notebooks every two minutes. A reader who closes the browser before that loses answers that have passed.
//    The extension saves a notebook when nothing has changed for a moment, and when the page is left.
// 2. JupyterLite's kernels do not answer the question which widgets they have. Views of a notebook that is opened again wait for
//    the answer and show "Loading widget...". The extension answers "none" for a new kernel, and the saved forms are shown.
// 3. A browser's Python cannot be interrupted, and the button does nothing. The extension says what to do.
// 4. Loading Python takes a while, and JupyterLite does not say so. The extension does, until Python answers.
// 5. On a phone, the text "Not Trusted" would cover the menus; it is hidden.
"use strict";

(() => {
  const A_MOMENT = 1_000; // milliseconds
  // JupyterLab cuts notifications longer than 140 characters.
  const NO_INTERRUPT = "Python cannot be interrupted here. Kernel → Restart Kernel stops it; your text and progress stay. "
    + "Then run the cells again.";

  const LOADING = "Python is being loaded, which takes up to a minute the first time. Cells run after that.";

  function storeSoon(panel) {
    const { context } = panel;
    let timer = null, isStoring = false;
    // One at a time. JupyterLab reports a failure, and the next change tries again.
    const store = async () => {
      clearTimeout(timer);
      if (panel.isDisposed || isStoring || !context.model?.dirty || context.model.readOnly) return;
      isStoring = true;
      try { await context.save(); } catch { /* JupyterLab reports it */ } finally { isStoring = false; }
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => (isStoring ? later() : store()), A_MOMENT);
    };
    const leave = () => document.hidden && store();
    context.ready.then(() => context.model.contentChanged.connect(later));
    document.addEventListener("visibilitychange", leave);
    panel.disposed.connect(() => { clearTimeout(timer); document.removeEventListener("visibilitychange", leave); });
  }

  function answerForKernels(kernels) {
    const connectTo = kernels.connectTo.bind(kernels);
    kernels.connectTo = (options) => {
      const kernel = connectTo(options);
      kernel.requestCommInfo = async () => ({ content: { status: "ok", comms: {} } });
      return kernel;
    };
  }

  function sayWhatInterrupts(commands) {
    commands.commandExecuted.connect((_, { id }) => {
      if (!["notebook:interrupt-kernel", "kernelmenu:interrupt"].includes(id)) return;
      commands.execute("apputils:notify", { message: NO_INTERRUPT, type: "info", options: { autoClose: 20_000 } });
    });
  }

  async function sayThatPythonIsLoaded(panel, commands) {
    const shown = await commands.execute("apputils:notify", { message: LOADING, type: "in-progress", options: { autoClose: false } });
    await panel.sessionContext.ready;
    await panel.sessionContext.session?.kernel?.info;
    commands.execute("apputils:dismiss-notification", { id: shown });
  }

  const plugin = {
    id: "autograd-teach-site:notebooks",
    autoStart: true,
    activate: (app) => {
      const style = document.createElement("style");
      style.textContent = "@media (max-width: 600px) { .jp-NotebookTrustedStatus { display: none; } }";
      document.head.append(style);
      answerForKernels(app.serviceManager.kernels);
      sayWhatInterrupts(app.commands);
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel) => {
          storeSoon(panel);
          app.restored.then(() => sayThatPythonIsLoaded(panel, app.commands));
        },
      });
    },
  };

  window._JUPYTERLAB ||= {};
  window._JUPYTERLAB["autograd-teach-site"] = { init: () => {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
