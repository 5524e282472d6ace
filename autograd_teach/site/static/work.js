// The page "Your work": what a reader has written in this browser, as one .zip, and such a file taken up again.
//
// JupyterLite keeps files in IndexedDB: a database named by the address of live/, its store `files`, path -> contents model.
// Nothing is sent anywhere. `autograd-teach update --from` reads the same file; what both must agree on is said where it stands.

const HERE = new URL(".", location.href);
const DATABASE = `JupyterLite Storage - ${HERE.pathname}`;
const STORE = "files";
const ANSWERS = `autograd_teach answers ${new URL("..", HERE).pathname}`; // as site.js has it
const ANSWERS_FILE = ".autograd_teach_answers.json";
const PROGRESS = ".autograd_teach_progress.json";
const PROGRESS_VERSION = 2;
const DELIVERED = "autograd_teach_delivered"; // in a notebook's metadata: cell id -> CRC-32 of what this site gave
const MOST_BYTES = 100e6, MOST_FILES = 2000;
const COURSE = JSON.parse(document.getElementById("notebooks").textContent); // path -> [title, address]

/** What a reader can mend: shown as it is. */
class Problem extends Error {}

// ---- the store ----

const NO_STORAGE = "This browser keeps nothing for this site (a private window, or storage is switched off): open the site in a normal window, or allow it to keep data.";

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The database, or null if there is none and `make` is not asked for. Its version is JupyterLite's affair: it takes any. */
async function opened(make, version) {
  if (!globalThis.indexedDB) throw new Problem(NO_STORAGE);
  let isNew = false;
  const database = await new Promise((resolve, reject) => {
    let request;
    try { request = indexedDB.open(DATABASE, version); } catch { reject(new Problem(NO_STORAGE)); return; }
    request.onupgradeneeded = () => {
      if (make) { if (!request.result.objectStoreNames.contains(STORE)) request.result.createObjectStore(STORE); }
      else { isNew = true; request.transaction.abort(); }
    };
    request.onblocked = () => reject(new Problem("A notebook of this site is open in another tab; close that tab and try again."));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => { if (isNew) resolve(null); else reject(new Problem(NO_STORAGE)); };
  });
  if (!database || database.objectStoreNames.contains(STORE)) return database;
  const next = database.version + 1;
  database.close();
  return make ? opened(true, next) : null;
}

async function stored() {
  const database = await opened(false);
  if (!database) return new Map();
  try {
    const store = database.transaction(STORE).objectStore(STORE);
    const [keys, models] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    return new Map(keys.map((key, place) => [String(key), models[place]]).filter(([, model]) => model && model.type !== "directory"));
  } finally { database.close(); }
}

/** Write all of them or none. */
async function store(models) {
  if (!models.length) return;
  const database = await opened(true);
  try {
    const transaction = database.transaction(STORE, "readwrite");
    for (const model of models) transaction.objectStore(STORE).put(model, model.path);
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  } catch (error) {
    if (error?.name === "QuotaExceededError") throw new Problem("This browser has no space left for the file; nothing was taken up. Free some space and try again.");
    throw error;
  } finally { database.close(); }
}

function answers() {
  try { return JSON.parse(localStorage.getItem(ANSWERS)) || {}; } catch { return {}; }
}

// ---- models and bytes ----

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function toBase64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}

function bytesOf(model) {
  const { content, format } = model;
  if (content === null || content === undefined) return new Uint8Array();
  if (typeof content !== "string") return encode(JSON.stringify(content, null, 1) + "\n");
  return format === "base64" ? fromBase64(content) : encode(content);
}

const MIME = { ipynb: "application/x-ipynb+json", json: "application/json", txt: "text/plain", csv: "text/csv", py: "text/x-python", md: "text/markdown" };

function modelOf(path, bytes) {
  const now = new Date().toISOString(), name = path.split("/").pop(), ending = name.split(".").pop();
  const model = { name, path, created: now, last_modified: now, size: bytes.length, writable: true, type: "file", mimetype: MIME[ending] || "application/octet-stream" };
  if (ending === "ipynb") return { ...model, type: "notebook", format: "json", content: JSON.parse(decode(bytes)) };
  try { return { ...model, format: "text", content: decode(bytes) }; } catch { return { ...model, format: "base64", content: toBase64(bytes) }; }
}

const folderModel = (path) => {
  const now = new Date().toISOString();
  return { name: path.split("/").pop(), path, created: now, last_modified: now, size: 0, writable: true, type: "directory", format: "json", mimetype: "", content: null };
};

// ---- notebooks ----

function notebookOf(bytes) {
  let notebook;
  try { notebook = JSON.parse(decode(bytes)); } catch { return null; }
  return Array.isArray(notebook?.cells) && notebook.nbformat === 4 && notebook.cells.every((cell) => cell && typeof cell === "object") ? notebook : null;
}

const source = (cell) => (Array.isArray(cell.source) ? cell.source.join("") : String(cell.source ?? "")).replace(/[ \t\r\n]+$/, "");
const written = (notebook) => JSON.stringify(notebook.cells.map((cell) => [cell.cell_type, source(cell)]));

/** A notebook as this site gives it, or null if it gives none of that name. */
const given = (() => {
  const known = new Map();
  return (path) => {
    if (!Object.hasOwn(COURSE, path)) return Promise.resolve(null);
    if (!known.has(path)) {
      const address = new URL(`files/${path.split("/").map(encodeURIComponent).join("/")}`, HERE);
      known.set(path, fetch(address).then(async (answer) => (answer.ok ? notebookOf(new Uint8Array(await answer.arrayBuffer())) : null)).catch(() => null));
    }
    return known.get(path);
  };
})();

/** Whether its reader wrote something in it, beyond opening and running it. */
async function isChanged(path, notebook) {
  const original = await given(path);
  if (original && written(original) === written(notebook)) return false;
  const noted = notebook.metadata?.[DELIVERED];
  const ids = noted && typeof noted === "object" ? Object.keys(noted) : [];
  return !(ids.length && ids.length === notebook.cells.length && notebook.cells.every((cell) => noted[cell.id] === crc(encode(source(cell)))));
}

async function withNote(path, notebook) {
  const original = await given(path);
  if (!original) return notebook;
  const noted = Object.fromEntries(original.cells.map((cell) => [cell.id, crc(encode(source(cell)))]));
  return { ...notebook, metadata: { ...notebook.metadata, [DELIVERED]: noted } };
}

/** Where a single notebook belongs: to the course's notebook that shares most of its cells. */
async function placeOf(name, notebook) {
  const plain = name.replace(/( ?\([^()]*\))+(?=\.ipynb$)/, "");
  const named = Object.keys(COURSE).filter((path) => path.endsWith(`/${plain}`));
  const ids = new Set(notebook.cells.map((cell) => cell.id).filter(Boolean));
  let best = "", most = 0;
  for (const path of named.length ? named : Object.keys(COURSE)) {
    const cells = (await given(path))?.cells || [];
    const shared = cells.filter((cell) => ids.has(cell.id)).length;
    if (shared > most && 2 * shared >= Math.min(cells.length, ids.size)) [best, most] = [path, shared];
  }
  return best || name;
}

// ---- progress: as course/progress_file.py merges it ----

const isEntry = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function progressOf(bytes) {
  let content;
  try { content = JSON.parse(decode(bytes)); } catch { return null; }
  if (!isEntry(content) || content.version > PROGRESS_VERSION) return null;
  for (const part of ["exercises", "predictions"]) {
    if (!isEntry(content[part] ?? {}) || !Object.values(content[part] ?? {}).every(isEntry)) return null;
  }
  return content;
}

function mergedProgress(mine, other) {
  const result = { ...other, ...mine, version: PROGRESS_VERSION };
  for (const part of ["exercises", "predictions"]) {
    const entries = { ...mine[part] };
    for (const [id, entry] of Object.entries(other[part] ?? {})) entries[id] = both(entries[id] ?? {}, entry);
    result[part] = Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return result;
}

function both(mine, other) {
  const entry = { ...other, ...mine };
  if (other.passed === true && mine.passed !== true) for (const key of ["passed", "checks", "attempted"]) if (key in other) entry[key] = other[key];
  if (String(other.when ?? "") > String(mine.when ?? "") && typeof mine.last === "string" && typeof other.last === "string") Object.assign(entry, { last: other.last, when: other.when });
  for (const key of ["tries", "hints"]) if (key in entry) entry[key] = Math.max(Number.isInteger(mine[key]) ? mine[key] : 0, Number.isInteger(other[key]) ? other[key] : 0);
  return entry;
}

// ---- zip ----

const TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
  return number;
});

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Little-endian fields: [value, bytes] each. */
function packed(...fields) {
  const bytes = [];
  for (const [value, size] of fields) for (let place = 0; place < size; place++) bytes.push(Math.floor(value / 2 ** (8 * place)) & 0xff);
  return Uint8Array.from(bytes);
}

/** A .zip without compression: [name, bytes] each. */
function zipped(entries, now = new Date()) {
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  const files = [], directory = [];
  let offset = 0, length = 0;
  for (const [name, bytes] of entries) {
    const called = encode(name);
    const common = [[20, 2], [0x0800, 2], [0, 2], [time, 2], [date, 2], [crc(bytes), 4], [bytes.length, 4], [bytes.length, 4], [called.length, 2], [0, 2]];
    const head = packed([0x04034b50, 4], ...common);
    files.push(head, called, bytes);
    const entry = packed([0x02014b50, 4], [0x0314, 2], ...common, [0, 2], [0, 2], [0, 2], [0o100644 * 65536, 4], [offset, 4]);
    directory.push(entry, called);
    offset += head.length + called.length + bytes.length;
    length += entry.length + called.length;
  }
  const end = packed([0x06054b50, 4], [0, 2], [0, 2], [entries.length, 2], [entries.length, 2], [length, 4], [offset, 4], [0, 2]);
  return new Blob([...files, ...directory, end], { type: "application/zip" });
}

const DAMAGED = "The file is damaged, and nothing was taken up: download it again where it was made.";
const TOO_LARGE = `The file holds more than ${MOST_BYTES / 1e6} MB, which is no work on this course; choose another.`;

/** What is in a .zip: name -> bytes. All of it is examined before anything is used. */
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 65557) && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw new Problem(DAMAGED);
  const count = view.getUint16(end + 10, true);
  if (count > MOST_FILES) throw new Problem(`The file holds ${count} files, which is no work on this course; choose another.`);
  const work = new Map();
  let place = view.getUint32(end + 16, true), left = MOST_BYTES;
  for (let number = 0; number < count; number++) {
    if (view.getUint32(place, true) !== 0x02014b50) throw new Problem(DAMAGED);
    const [flags, method] = [view.getUint16(place + 8, true), view.getUint16(place + 10, true)];
    const [sum, packedSize, size] = [16, 20, 24].map((at) => view.getUint32(place + at, true));
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((at) => view.getUint16(place + at, true));
    const [attributes, local] = [38, 42].map((at) => view.getUint32(place + at, true));
    const name = decode(bytes.subarray(place + 46, place + 46 + nameSize));
    place += 46 + nameSize + extraSize + commentSize;
    const isLink = ((attributes >>> 28) & 0xf) === 0xa;
    if (isOutside(name.replace(/\/$/, "")) || isLink) throw new Problem(`The file holds “${name}”, a name or a link that leads out of its folder; nothing was taken up.`);
    if (flags & 1) throw new Problem("The file is protected with a password; make one without.");
    if (name.endsWith("/") || isPassedOver(name)) continue;
    if (work.has(name)) throw new Problem(`The file holds ${name} twice; nothing was taken up.`);
    left -= size;
    if (left < 0) throw new Problem(TOO_LARGE);
    if (view.getUint32(local, true) !== 0x04034b50) throw new Problem(DAMAGED);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const stored = bytes.subarray(start, start + packedSize);
    if (stored.length !== packedSize || (method !== 0 && method !== 8)) throw new Problem(DAMAGED);
    const content = method ? await inflated(stored, size) : stored;
    if (content.length !== size || crc(content) !== sum) throw new Problem(DAMAGED);
    work.set(name, content);
  }
  return withoutTop(work);
}

/** Unpacked, or refused as soon as it is larger than it says. */
async function inflated(bytes, size) {
  const result = new Uint8Array(size), reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return result.subarray(0, filled);
    if (filled + value.length > size) { await reader.cancel(); throw new Problem(DAMAGED); }
    result.set(value, filled);
    filled += value.length;
  }
}

// These three as course/take_up.py has them.
const PASSED_OVER = ["__MACOSX", ".ipynb_checkpoints", "__pycache__"];
const isOutside = (name) => /[\x00-\x1f\x7f\\:]/.test(name) || name.split("/").some((part) => part === "" || part === "." || part === "..");

function isPassedOver(name) {
  const parts = name.split("/"), last = parts.pop();
  return parts.some((part) => PASSED_OVER.includes(part) || part.startsWith(".")) || (last.startsWith(".") && last !== PROGRESS && last !== ANSWERS_FILE);
}

function withoutTop(work) {
  const names = [...work.keys()], tops = new Set(names.map((name) => name.split("/")[0])), [top] = tops;
  const inside = names.map((name) => name.slice(top?.length + 1));
  const isWrapped = tops.size === 1 && !["lessons", "exercises"].includes(top) && inside.some((name) => /^(lessons|exercises)\//.test(name)) && !inside.includes("");
  return isWrapped ? new Map(names.map((name, place) => [inside[place], work.get(name)])) : work;
}

// ---- download ----

async function download() {
  const entries = [];
  for (const [path, model] of await stored()) {
    const bytes = bytesOf(model), notebook = path.endsWith(".ipynb") && notebookOf(bytes);
    entries.push([path, notebook ? encode(JSON.stringify(await withNote(path, notebook), null, 1) + "\n") : bytes]);
  }
  const told = answers();
  if (Object.keys(told).length) entries.push([ANSWERS_FILE, encode(JSON.stringify(told, null, 1) + "\n")]);
  const address = URL.createObjectURL(zipped(entries));
  const link = Object.assign(document.createElement("a"), { href: address, download: `autograd-work-${today()}.zip` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  say([`${link.download} has been made, with ${counted(entries.length, "file")}.`]);
}

const today = (now = new Date()) => [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

// ---- take up ----

async function workIn(file) {
  if (file.size > MOST_BYTES) throw new Problem(TOO_LARGE);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    try { return await unzipped(bytes); } catch (error) { throw error instanceof Problem ? error : new Problem(DAMAGED); }
  }
  const notebook = notebookOf(bytes);
  if (!notebook) throw new Problem(`${file.name} is neither a .zip with work on this course nor a notebook; choose another file.`);
  return new Map([[await placeOf(file.name.replace(/[\\/:]/g, "_"), notebook), bytes]]);
}

async function takeUp(file) {
  const work = await workIn(file), here = await stored(), models = new Map(), lines = [];
  const taken = [], same = [];

  for (const [path, bytes] of work) {
    const old = models.get(path) || here.get(path), name = path.split("/").pop();
    if (path === ANSWERS_FILE) {
      const told = progressOf(bytes);
      if (told) try { localStorage.setItem(ANSWERS, JSON.stringify({ ...told, ...answers() })); } catch { /* the pages forget, as they always do there */ }
    } else if (name === PROGRESS) {
      const other = progressOf(bytes), mine = old ? progressOf(bytesOf(old)) : {};
      if (!other || !mine) { lines.push(`The progress in ${path} was left out: ${other ? "what this browser has" : "it"} cannot be read, or belongs to a newer version of the course.`); continue; }
      const text = JSON.stringify(mergedProgress(mine, other), null, 1) + "\n";
      models.set(path, { ...modelOf(path, encode(text)), ...(old ? { created: old.created } : {}) });
    } else if (path.endsWith(".ipynb")) {
      const notebook = notebookOf(bytes);
      if (!notebook) { lines.push(`${path} was left out: it is not a valid notebook.`); continue; }
      const mine = old && notebookOf(bytesOf(old));
      if (old && mine && written(mine) === written(notebook)) same.push(path);
      else if (!(await isChanged(path, notebook))) same.push(path);
      else if (!old || (mine && !(await isChanged(path, mine)))) { models.set(path, modelOf(path, bytes)); taken.push(path); }
      else beside(path, bytes, (model) => { const there = notebookOf(bytesOf(model)); return there && written(there) === written(notebook); });
    } else if (!old) { models.set(path, modelOf(path, bytes)); taken.push(path); }
    else beside(path, bytes, (model) => crc(bytesOf(model)) === crc(bytes));
  }

  function beside(path, bytes, isSame) {
    if (!path.endsWith(".ipynb") && isSame(here.get(path))) { same.push(path); return; }
    const [, stem, ending] = /^(.*?)(\.[^./]*)?$/s.exec(path);
    for (let number = 1; ; number++) {
      const name = `${stem} (taken up ${today()}${number > 1 ? `, ${number}` : ""})${ending || ""}`;
      const there = here.get(name) || models.get(name);
      if (there && isSame(there)) { same.push(path); return; }
      if (there) continue;
      models.set(name, modelOf(name, bytes));
      lines.push(`You have written in ${path} here too: that stays as it is, and the file's version is beside it as “${name.split("/").pop()}”.`);
      return;
    }
  }

  // A folder that the site does not have is known to JupyterLite by an entry of its own.
  const folders = new Set([...models.keys()].flatMap((path) => path.split("/").slice(0, -1).map((_, place, parts) => parts.slice(0, place + 1).join("/"))));
  const missing = [...folders].filter((folder) => !Object.keys(COURSE).some((path) => path.startsWith(`${folder}/`)));
  await store([...missing.map(folderModel), ...models.values()]);
  if (taken.length) lines.unshift(`Taken up: ${taken.join(", ")}.`);
  if (same.length) lines.push(`${counted(same.length, "file")} brought nothing new.`);
  if (!work.size) lines.push(`There is no notebook and no progress in ${file.name}; choose another file.`);
  else if (!lines.length) lines.push(`The progress in ${file.name} was taken up.`);
  if (models.size) lines.push("If one of these notebooks is open in another tab, reload that tab.");
  return lines;
}

// ---- the page ----

const at = (id) => document.getElementById(id);

function say(lines, isProblem = false) {
  at("status").replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line, className: isProblem ? "problem" : "" })));
}

async function show() {
  const files = await stored(), told = Object.keys(answers()).length;
  const changed = [], others = [];
  let opened = 0, passed = 0, predicted = told;
  for (const [path, model] of files) {
    const bytes = bytesOf(model);
    if (path.endsWith(PROGRESS)) {
      const progress = progressOf(bytes) || {};
      passed += Object.values(progress.exercises ?? {}).filter((entry) => entry.passed === true).length;
      predicted += Object.keys(progress.predictions ?? {}).length;
    } else if (path.endsWith(".ipynb")) {
      const notebook = notebookOf(bytes);
      if (notebook && !(await isChanged(path, notebook))) opened += 1;
      else changed.push([path, model]);
    } else others.push([path, model]);
  }
  const progress = [passed && `${counted(passed, "exercise")} passed`, predicted && `${counted(predicted, "question")} answered`].filter(Boolean);
  at("progress").hidden = !progress.length;
  at("progress").textContent = `Your progress: ${progress.join(", ")}.`;
  const shown = [];
  const rows = [...changed.sort(([a], [b]) => (a < b ? -1 : 1)), ...others.sort(([a], [b]) => (a < b ? -1 : 1))].map(row);
  if (rows.length) {
    const list = Object.assign(document.createElement("ul"), { className: "files" });
    list.append(...rows);
    shown.push(list);
  } else shown.push(Object.assign(document.createElement("p"), { textContent: "You have changed no notebook in this browser yet." }));
  if (opened) shown.push(Object.assign(document.createElement("p"), { className: "small", textContent: `${counted(opened, "notebook")} saved here without a change of yours.` }));
  at("list").replaceChildren(...shown);
  at("download").disabled = !files.size && !told;
  at("file").disabled = false;
}

function row([path, model]) {
  const item = document.createElement("li"), known = COURSE[path], when = new Date(model.last_modified);
  const name = path.endsWith(".ipynb") ? document.createElement("a") : document.createElement("span");
  if (name.tagName === "A") name.href = known ? known[1] : `notebooks/index.html?path=${path.split("/").map(encodeURIComponent).join("/")}`;
  name.textContent = known ? known[0] : path;
  const time = Object.assign(document.createElement("time"), { textContent: Number.isNaN(Number(when)) ? "" : `last change ${when.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}` });
  if (time.textContent) time.dateTime = when.toISOString();
  const where = known ? [Object.assign(document.createElement("span"), { textContent: path, className: "path" })] : [];
  item.append(name, ...where, time);
  return item;
}

/** Run it; a problem becomes a sentence. */
async function attempt(act) {
  try { return await act(); } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    say([error instanceof Problem ? error.message : `Something went wrong (${error?.message || error}); what is in this browser is as it was.`], true);
    return null;
  }
}

at("download").addEventListener("click", () => attempt(download));
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (!file) return;
  say([`Reading ${file.name} …`]);
  const lines = await attempt(() => takeUp(file));
  if (lines) { say(lines); await attempt(show); }
  at("file").value = ""; // the same file may be chosen again
});
if ((await attempt(async () => { await show(); return true; })) === null) at("list").replaceChildren();
document.documentElement.dataset.work = "ready";
