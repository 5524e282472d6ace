// An extension of JupyterLite 0.7, hand-written, no build step; part of every site, and of nothing else. It mends five things.
// 1. Notebooks are stored every two minutes, and whoever closes the browser before that loses what a check has already praised.
//    This stores them when nothing has changed for a moment, and when the page is left.
// 2. Its kernels never answer which widgets they have. Views of a notebook that is opened again wait for that answer and say
//    "Loading widget...". A kernel that has just been connected has none: with this answer their saved forms are shown.
// 3. A browser's Python cannot be interrupted, and the button does nothing. This says what helps.
// 4. Loading Python takes its time, and nothing says so. This does, until Python answers.
// 5. On a telephone the word "Not Trusted" would cover the menus.
"use strict";

(() => {
  const A_MOMENT = 1_000; // milliseconds
  // JupyterLab cuts what is longer than 140 letters.
  const NO_INTERRUPT = "Python cannot be interrupted here. Kernel → Restart Kernel stops it; your text and progress stay. "
    + "Then run the cells again.";

  const LOADING = "Python is being loaded, which takes up to a minute the first time. Read on: cells run once it is there.";

  function storeSoon(panel) {
    const { context } = panel;
    let timer = null, isStoring = false;
    // One at a time. What fails is told by JupyterLab itself, and tried again after the next change.
    const store = async () => {
      clearTimeout(timer);
      if (panel.isDisposed || isStoring || !context.model?.dirty || context.model.readOnly) return;
      isStoring = true;
      try { await context.save(); } catch { /* told */ } finally { isStoring = false; }
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
