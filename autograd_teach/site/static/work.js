// The page "Your work": download what a reader has written in this browser as one .zip, and import such a file.
//
// JupyterLite stores files in IndexedDB: a database named after the address of live/, with a store `files`, path -> contents
// model. Nothing is sent anywhere. `autograd-teach update --from` reads the same .zip; comments mark what both must agree on.

const HERE = new URL(".", location.href);
const DATABASE = `JupyterLite Storage - ${HERE.pathname}`;
const STORE = "files";
const ANSWERS = `autograd_teach answers ${new URL("..", HERE).pathname}`; // as in site.js
const ANSWERS_FILE = ".autograd_teach_answers.json";
const PROGRESS = ".autograd_teach_progress.json";
const isProgress = (path) => path.split("/").pop() === PROGRESS;
const PROGRESS_VERSION = 2;
const DELIVERED = "autograd_teach_delivered"; // in a notebook's metadata: cell id -> CRC-32 of the cell as delivered by this site
const MOST_BYTES = 100e6, MOST_FILES = 2000; // in a file to import
const MOST_DEPTH = 100, MOST_LETTERS = 1000; // of nesting in JSON; of a path
const COURSE = JSON.parse(document.getElementById("notebooks").textContent); // path -> [title, address]

/** A problem that the reader can solve; its message is shown. */
class Problem extends Error {}

// ---- the store ----

const NO_STORAGE = "This browser does not store data for this site (a private window, or storage is switched off): open the site in a normal window, or allow it to store data.";

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The database; null if there is none and `make` is false. JupyterLite opens any version of it. */
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

/** Path -> model of each file and each folder. */
async function allIn(files) {
  const [keys, models] = await Promise.all([done(files.getAllKeys()), done(files.getAll())]);
  return new Map(keys.map((key, place) => [String(key), models[place]]).filter(([, model]) => model));
}

const isFolder = (model) => model.type === "directory";

/** Path -> model of each file. */
async function stored() {
  const database = await opened(false);
  if (!database) return new Map();
  try {
    const all = await allIn(database.transaction(STORE).objectStore(STORE));
    return new Map([...all].filter(([, model]) => !isFolder(model)));
  } finally { database.close(); }
}

/**
 * Write the models that `judge` returns for everything that is stored, in one transaction: all of them or none.
 * `judge` must not be asynchronous, because a transaction does not wait.
 */
async function change(judge) {
  const database = await opened(true);
  const transaction = database.transaction(STORE, "readwrite"), files = transaction.objectStore(STORE);
  const ended = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  try {
    for (const model of judge(await allIn(files))) files.put(model, model.path);
    await ended;
  } catch (error) {
    ended.catch(() => { /* `error` says why */ });
    try { transaction.abort(); } catch { /* it has ended */ }
    if (error?.name === "QuotaExceededError") throw new Problem("There is no space left in this browser for the file; nothing was imported. Free some space and try again.");
    throw error;
  } finally { database.close(); }
}

// ---- models and bytes ----

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes); // keep a byte order mark
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const toJson = (value) => encode(JSON.stringify(value, null, 1) + "\n");
const isSame = (bytes, others) => bytes.length === others.length && bytes.every((byte, place) => byte === others[place]);
const isEntry = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function isDeep(value, left = MOST_DEPTH) {
  return value !== null && typeof value === "object" && (left === 0 || Object.values(value).some((each) => isDeep(each, left - 1)));
}

/** The value of JSON; undefined if it is not valid, or nested so deeply that programs fail on it. */
function parsed(bytes) {
  try {
    const value = JSON.parse(decode(bytes).replace(/^\ufeff/, ""));
    return isDeep(value) ? undefined : value;
  } catch { return undefined; }
}

function toBase64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}

function bytesOf({ content, format }) {
  if (content === null || content === undefined) return new Uint8Array();
  if (typeof content !== "string") return toJson(content);
  if (format !== "base64") return encode(content);
  try { return fromBase64(content); } catch { return encode(content); } // damaged: unchanged
}

const MIME = { ipynb: "application/x-ipynb+json", json: "application/json", txt: "text/plain", csv: "text/csv", py: "text/x-python", md: "text/markdown" };

function modelOf(path, bytes) {
  const now = new Date().toISOString(), name = path.split("/").pop(), ending = name.split(".").pop();
  const model = { name, path, created: now, last_modified: now, size: bytes.length, writable: true, type: "file", mimetype: Object.hasOwn(MIME, ending) ? MIME[ending] : "application/octet-stream" };
  if (path.endsWith(".ipynb")) return { ...model, type: "notebook", format: "json", content: untrusted(parsed(bytes)) };
  try { return { ...model, format: "text", content: decode(bytes) }; } catch { return { ...model, format: "base64", content: toBase64(bytes) }; }
}

const folderModel = (path) => {
  const now = new Date().toISOString();
  return { name: path.split("/").pop(), path, created: now, last_modified: now, size: 0, writable: true, type: "directory", format: "json", mimetype: "", content: null };
};

// ---- names ----

const prefixes = (path) => path.split("/").slice(0, -1).map((_, place, parts) => parts.slice(0, place + 1).join("/"));
const splitEnding = (path) => /^(.*?)(\.[^./]*)?$/s.exec(path).slice(1).map((part) => part ?? "");

/** The name with characters that every system accepts; empty if nothing is left of it. */
function safe(name) {
  const parts = name.split("/").filter((part) => !["", ".", ".."].includes(part));
  return parts.map((part) => part.replace(/[\x00-\x1f\x7f\\:*?"<>|]/g, "_")).join("/");
}

/** The name, or the first of "name (2)", "name (3)", ... that is free. */
function free(name, isTaken) {
  const [stem, ending] = splitEnding(name);
  let each = name;
  for (let number = 2; isTaken(each); number++) each = `${stem} (${number})${ending}`;
  return each;
}

/** Each path -> its safe name. Paths that are already safe do not change. */
function safeNames(paths) {
  const names = new Map(), taken = new Set(paths.filter((path) => safe(path) === path));
  for (const path of paths) {
    const name = taken.has(path) ? path : free(safe(path) || "_", (each) => taken.has(each));
    names.set(path, name);
    taken.add(name);
  }
  return names;
}

const PASSED_OVER = ["__MACOSX", ".ipynb_checkpoints", "__pycache__"];

/** Hidden files, and files of the system's programs; the same as in `why_not` in course/work_file.py. */
function isPassedOver(name) {
  const parts = name.split("/"), last = parts.pop();
  return parts.some((part) => PASSED_OVER.includes(part) || part.startsWith(".")) || (last.startsWith(".") && last !== PROGRESS && last !== ANSWERS_FILE);
}

// ---- notebooks ----

const isString = (value) => typeof value === "string";
const isText = (value) => isString(value) || (Array.isArray(value) && value.every(isString));
const isCount = (value) => value === null || value === undefined || (Number.isInteger(value) && value >= 0);

const OUTPUTS = {
  stream: ({ name, text }) => isString(name) && isText(text),
  error: ({ ename, evalue, traceback }) => [ename, evalue].every(isString) && Array.isArray(traceback) && isText(traceback),
  display_data: ({ data, metadata }) => isEntry(data) && isEntry(metadata),
  execute_result: ({ data, metadata, execution_count }) => isEntry(data) && isEntry(metadata) && isCount(execution_count),
};
const CELLS = {
  code: ({ outputs, execution_count }) => Array.isArray(outputs) && outputs.every(isOutput) && isCount(execution_count),
  markdown: () => true,
  raw: () => true,
};
const isOne = (kinds, value, kind) => isEntry(value) && isString(kind) && Object.hasOwn(kinds, kind) && kinds[kind](value);
const isOutput = (output) => isOne(OUTPUTS, output, output?.output_type);

/** Whether the cell has the types that nbformat requires. */
function isCell(cell) {
  if (!isOne(CELLS, cell, cell?.cell_type)) return false;
  const { source, metadata, id = "", attachments = {} } = cell;
  return isText(source) && isEntry(metadata) && isString(id) && isEntry(attachments);
}

function isNotebook(value) {
  return isEntry(value) && value.nbformat === 4 && isEntry(value.metadata) && Array.isArray(value.cells) && value.cells.every(isCell);
}

/** The notebook in a file; null if it is not a notebook. */
function notebookOf(bytes) {
  const notebook = parsed(bytes);
  return isNotebook(notebook) ? notebook : null;
}

/** The notebook that is stored in this browser, or null. */
const notebookIn = ({ content, format }) => (isNotebook(content) ? content : notebookOf(bytesOf({ content, format })));

function isAlike(model, notebook) {
  const there = notebookIn(model);
  return there !== null && written(there) === written(notebook);
}

/** The notebook without the marks that let JupyterLite run its outputs as soon as it is opened. */
function untrusted(notebook) {
  const plain = (part) => {
    const metadata = Object.entries(part.metadata).filter(([name]) => name !== "trusted" && name !== "signature");
    return { ...part, metadata: Object.fromEntries(metadata) };
  };
  return { ...plain(notebook), cells: notebook.cells.map(plain) };
}

const source = (cell) => (Array.isArray(cell.source) ? cell.source.join("") : cell.source).replace(/[ \t\r\n]+$/, "");
const partsOf = (cell) => [cell.cell_type, source(cell), Object.entries(cell.attachments ?? {})];
const written = (notebook) => JSON.stringify(notebook.cells.map(partsOf));
const crcOf = (cell) => crc(encode(source(cell)));

const originals = new Map();

/** Fetch the course's notebooks with these names, for `given`. */
async function fetchOriginals(paths) {
  const missing = [...paths].filter((path) => Object.hasOwn(COURSE, path) && !originals.has(path));
  await Promise.all(missing.map(async (path) => {
    try {
      const answer = await fetch(new URL(`files/${path.split("/").map(encodeURIComponent).join("/")}`, HERE));
      if (answer.ok) originals.set(path, notebookOf(new Uint8Array(await answer.arrayBuffer())));
    } catch { /* without a network every notebook counts as changed */ }
  }));
}

/** The notebook of this site with this name, or null. */
const given = (path) => originals.get(path) ?? null;

function isAsGiven(path, notebook) {
  const original = given(path);
  return original !== null && written(original) === written(notebook);
}

/** Whether its note says that it is unchanged since another version of this site delivered it. Readers may edit the note. */
function isAsNoted(path, notebook) {
  const noted = notebook.metadata[DELIVERED];
  return Object.hasOwn(COURSE, path) && isEntry(noted) && notebook.cells.length > 0
    && Object.keys(noted).length === notebook.cells.length && notebook.cells.every((cell) => noted[cell.id] === crcOf(cell));
}

/** Whether the reader has changed it, and not only opened and run it. */
const isChanged = (path, notebook) => !isAsGiven(path, notebook) && !isAsNoted(path, notebook);

function withNote(path, notebook) {
  const original = given(path);
  if (!original) return notebook;
  const noted = Object.fromEntries(original.cells.map((cell) => [cell.id, crcOf(cell)]));
  return { ...notebook, metadata: { ...notebook.metadata, [DELIVERED]: noted } };
}

/** The path for a single notebook: the course's notebook that shares most of its cells. */
async function placeOf(name, notebook) {
  const plain = name.replace(/( ?\([^()]*\))+(?=\.ipynb$)/, "");
  const named = Object.keys(COURSE).filter((path) => path.endsWith(`/${plain}`));
  const ids = new Set(notebook.cells.map((cell) => cell.id).filter(Boolean));
  await fetchOriginals(named.length ? named : Object.keys(COURSE));
  let best = "", most = 0;
  for (const path of named.length ? named : Object.keys(COURSE)) {
    const cells = given(path)?.cells || [];
    const shared = cells.filter((cell) => ids.has(cell.id)).length;
    if (shared > most && 2 * shared >= Math.min(cells.length, ids.size)) [best, most] = [path, shared];
  }
  return best || name;
}

// ---- progress, merged as in course/progress_file.py ----

/** The content of a progress file; null if it cannot be read, or belongs to a newer version. */
function progressOf(bytes) {
  const content = parsed(bytes);
  if (!isEntry(content)) return null;
  const { version = 1 } = content;
  if (!Number.isInteger(version) || version < 1 || version > PROGRESS_VERSION) return null;
  const isSound = (part) => isEntry(part ?? {}) && Object.values(part ?? {}).every(isEntry);
  return isSound(content.exercises) && isSound(content.predictions) ? content : null;
}

function mergedProgress(mine, other) {
  const result = { ...mine, ...other, ...mine, version: PROGRESS_VERSION }; // the order of `mine`
  for (const part of ["exercises", "predictions"]) {
    const entries = new Map(Object.entries(mine[part] ?? {}));
    for (const [id, entry] of Object.entries(other[part] ?? {})) entries.set(id, both(entries.get(id) ?? {}, entry));
    result[part] = Object.fromEntries([...entries].sort(byName));
  }
  return result;
}

const stamp = ({ when }) => (isString(when) ? when : "");
const count = (value) => (Number.isInteger(value) ? value : 0);

function both(mine, other) {
  const entry = { ...mine, ...other, ...mine };
  const take = (keys) => { for (const key of keys) if (Object.hasOwn(other, key)) entry[key] = other[key]; };
  if (other.passed === true && mine.passed !== true) take(["passed", "checks", "attempted"]);
  if (stamp(other) > stamp(mine) && isString(mine.last) && isString(other.last)) take(["last", "when"]);
  for (const key of ["tries", "hints"]) if (Object.hasOwn(entry, key)) entry[key] = Math.max(count(mine[key]), count(other[key]));
  return entry;
}

function passedIn(progress) {
  return Object.entries(progress?.exercises ?? {}).filter(([, entry]) => entry.passed === true).map(([id]) => id);
}

// ---- exercises that passed, with answers that are not stored yet ----

// The kernel stores at once what passed. The notebook is stored a moment later, or not at all if its tab is closed before.

const notebookWith = (exercise) => Object.keys(COURSE).find((path) => path.startsWith(`exercises/${exercise.split(".")[0]}_`));

/** The cell for the answer: the last solution cell before the check; undefined if there is none. */
function answerCell(original, exercise) {
  const place = original.cells.findIndex((cell) => cell.cell_type === "code" && source(cell).includes(`check("${exercise}"`));
  return original.cells.slice(0, Math.max(place, 0)).findLast((cell) => cell.metadata.nbgrader?.solution === true);
}

function isAnswered(path, exercise, notebook) {
  const cell = answerCell(given(path), exercise);
  return cell ? notebook.cells.some((each) => each.id === cell.id && source(each) !== source(cell)) : isChanged(path, notebook);
}

/** The sentence about these exercises, or none. Imported versions of a notebook count too. */
async function unsaved(files) {
  const passed = [...files].filter(([path]) => isProgress(path)).flatMap(([, model]) => passedIn(progressOf(bytesOf(model))));
  const asked = passed.map((exercise) => [exercise, notebookWith(exercise)]).filter(([, path]) => path);
  await fetchOriginals(asked.map(([, path]) => path));
  const isThere = ([exercise, path]) => [...files].some(([name, model]) => {
    const notebook = name.startsWith(splitEnding(path)[0]) && name.endsWith(".ipynb") && notebookIn(model);
    return notebook && isAnswered(path, exercise, notebook);
  });
  const missing = new Set(asked.filter((each) => given(each[1]) && !isThere(each)).map(([, path]) => `“${COURSE[path][0]}”`));
  if (!missing.size) return [];
  return [`Answers that passed have not been saved yet in ${few([...missing].sort())}: save the notebook in its tab (Ctrl+S) and download again.`];
}

// ---- answers given on pages, as site.js stores them: page and cell -> question -> answer ----

function answers() {
  try {
    const told = JSON.parse(localStorage.getItem(ANSWERS));
    return isEntry(told) ? told : {};
  } catch { return {}; }
}

const isShort = (value) => isString(value) && value.length < 100;
const isSureness = (value) => [undefined, null, 1, 2, 3].includes(value);
const answered = (told) => Object.values(told).filter(isEntry).flatMap(Object.keys).length;

function isAnswer(value) {
  return isEntry(value) && isShort(value.first) && isShort(value.last) && isSureness(value.sure) && Number.isInteger(value.tries);
}

function isPlace(place) {
  const [, stem] = /^((?:lessons|exercises)\/[^/]+?)\.html ./s.exec(place) ?? [];
  return Boolean(stem) && place.length < MOST_LETTERS && Object.keys(COURSE).some((path) => path.startsWith(`${stem}_`) || path === `${stem}.ipynb`);
}

/** The answers that pages of this site may have written, and whether there were others. */
function answersOf(bytes) {
  const told = parsed(bytes);
  if (!isEntry(told)) return [{}, true];
  const result = {};
  for (const [place, given] of Object.entries(told)) {
    const sound = isPlace(place) && isEntry(given) ? soundAnswers(given) : [];
    if (sound.length) result[place] = Object.fromEntries(sound);
  }
  const all = Object.values(told).flatMap((given) => (isEntry(given) ? Object.keys(given) : [given]));
  return [result, answered(result) < all.length];
}

function soundAnswers(given) {
  const sound = Object.entries(given).filter(([id, answer]) => isShort(id) && isAnswer(answer));
  return sound.map(([id, { first, last, sure = null, tries }]) => [id, { first, last, sure, tries }]);
}

/** Add these answers to the stored ones, which do not change. Returns a sentence about it, or none. */
function keepAnswers(theirs) {
  const mine = answers(), merged = { ...mine };
  for (const [place, given] of Object.entries(theirs)) merged[place] = { ...given, ...(isEntry(mine[place]) ? mine[place] : {}) };
  const more = answered(merged) - answered(mine);
  if (!more) return [];
  try { localStorage.setItem(ANSWERS, JSON.stringify(merged)); } catch {
    return ["The answers given on pages were left out: there is no space left for them in this browser."];
  }
  return [`Imported: ${counted(more, "answer")} given on pages.`];
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

const DAMAGED = "The file is damaged; nothing was imported. Download it again from the page that made it.";
const TOO_LARGE = `The file contains more than ${MOST_BYTES / 1e6} MB, too much for work on this course; choose another file.`;

const OLD_LETTERS = // code page 437, for names that are not in UTF-8: the characters from 128
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

function nameOf(bytes, isUnicode) {
  if (isUnicode) return decode(bytes);
  try { return decode(bytes); } catch { return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : OLD_LETTERS[byte - 128])).join(""); }
}

/** The content of a .zip: path -> bytes, and sentences about what was renamed or left out. All names are read before anything is unpacked. */
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), entries = listed(view, bytes);
  for (const { name, isLink, isLocked } of entries) {
    if (isAttack(name) || isLink) throw new Problem(`The file contains “${name}”, a name or a link that leads out of its folder; nothing was imported.`);
    if (isLocked) throw new Problem("The file is protected with a password; make one without a password.");
  }
  const [wanted, lines] = chosen(entries.filter(({ name }) => !name.endsWith("/")));
  if (wanted.reduce((total, [, { size }]) => total + size, 0) > MOST_BYTES) throw new Problem(TOO_LARGE);
  const work = new Map();
  for (const [path, entry] of wanted) work.set(path, await contentOf(entry, view, bytes));
  return [withoutTop(work), lines];
}

function listed(view, bytes) {
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 65557) && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw new Problem(DAMAGED);
  const entries = [];
  let place = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(place, true) !== 0x02014b50) throw new Problem(DAMAGED);
    entries.push(entryAt(view, bytes, place));
    place = entries.at(-1).next;
  }
  return entries;
}

function entryAt(view, bytes, place) {
  const [flags, method] = [8, 10].map((at) => view.getUint16(place + at, true));
  const [nameSize, extraSize, commentSize] = [28, 30, 32].map((at) => view.getUint16(place + at, true));
  const extra = place + 46 + nameSize, next = extra + extraSize + commentSize;
  const [size, packedSize, local] = wide(view, extra, extraSize, [24, 20, 42].map((at) => view.getUint32(place + at, true)));
  const isLink = ((view.getUint32(place + 38, true) >>> 28) & 0xf) === 0xa;
  const name = nameOf(bytes.subarray(place + 46, extra), flags & 0x0800);
  return { name, method, sum: view.getUint32(place + 16, true), size, packedSize, local, isLink, isLocked: flags & 1, next };
}

/** The numbers; those that do not fit into 32 bits come from the zip64 field. */
function wide(view, place, length, numbers) {
  const end = place + length;
  while (place + 4 <= end && view.getUint16(place, true) !== 1) place += 4 + view.getUint16(place + 2, true);
  if (place + 4 > end) return numbers;
  place += 4;
  return numbers.map((number) => {
    if (number !== 0xffffffff) return number;
    place += 8;
    return Number(view.getBigUint64(place - 8, true));
  });
}

/** The entries that are work, with their paths. */
function chosen(entries) {
  if (entries.length > MOST_FILES) throw new Problem(`The file contains ${entries.length} files, and at most ${MOST_FILES} can be imported at once; choose another file.`);
  const names = entries.map(({ name }) => name), twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) throw new Problem(`The file contains ${twice} twice; nothing was imported.`);
  const work = entries.filter(({ name }) => safe(name) && !isPassedOver(safe(name)));
  const paths = safeNames(work.map(({ name }) => name));
  const isOfComputer = (name) => name.split("/").some((part) => [...PASSED_OVER, ".DS_Store"].includes(part));
  const passed = names.filter((name) => !paths.has(name) && !isOfComputer(name));
  return [work.map((entry) => [paths.get(entry.name), entry]), [...renamed(paths), ...leftOut(passed)]];
}

async function contentOf({ method, sum, size, packedSize, local }, view, bytes) {
  if (view.getUint32(local, true) !== 0x04034b50) throw new Problem(DAMAGED);
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const stored = bytes.subarray(start, start + packedSize);
  if (stored.length !== packedSize || (method !== 0 && method !== 8)) throw new Problem(DAMAGED);
  const content = method ? await inflated(stored, size) : stored;
  if (content.length !== size || crc(content) !== sum) throw new Problem(DAMAGED);
  return content;
}

/** The unpacked content; an error as soon as it is larger than its header says. */
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

/** Whether a name leads out of its folder. Stricter than `is_hostile` in course/work_file.py, which allows a file called `a:b`. */
const isAttack = (name) => /^([\\/]|[A-Za-z]:)/.test(name) || name.split(/[\\/]/).includes("..");

function withoutTop(work) {
  const names = [...work.keys()], tops = new Set(names.map((name) => name.split("/")[0])), [top] = tops;
  const inside = names.map((name) => name.slice(top?.length + 1));
  const isWrapped = tops.size === 1 && !["lessons", "exercises"].includes(top) && inside.some((name) => /^(lessons|exercises)\//.test(name)) && !inside.includes("");
  return isWrapped ? new Map(names.map((name, place) => [inside[place], work.get(name)])) : work;
}

// ---- download ----

async function download() {
  const all = await stored(), files = new Map([...all].filter(([path]) => !isKept(path))), told = answers();
  await fetchOriginals(files.keys());
  const names = safeNames([...files.keys()]);
  const entries = [...files].map(([path, model]) => [names.get(path), portable(path, model)]);
  if (Object.keys(told).length) entries.push([ANSWERS_FILE, toJson(told)]);
  const name = `autograd-work-${today()}.zip`, limits = tooMuch(entries);
  offer(name, zipped(entries));
  say([
    `${name} has been made, with ${counted(entries.length, "file")}.`,
    ...limits,
    ...renamed(names),
    ...leftOut([...all.keys()].filter(isKept)),
    ...(await unsaved(files)),
  ]);
}

/** Whether a file is not downloaded: hidden, or with the name of the file for answers. */
const isKept = (path) => isPassedOver(path) || path === ANSWERS_FILE;

/** Its content in the .zip. */
function portable(path, model) {
  const notebook = path.endsWith(".ipynb") && notebookIn(model);
  return notebook ? toJson(withNote(path, untrusted(notebook))) : bytesOf(model);
}

function offer(name, blob) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** The sentence about what cannot be imported again, or none; a `Problem` if it does not fit into a .zip. */
function tooMuch(entries) {
  const bytes = entries.reduce((total, [, content]) => total + content.length, 0);
  if (entries.length > 65535 || bytes > 4e9) throw new Problem("This is too large for one .zip: delete files that you do not need, and download again.");
  if (bytes <= MOST_BYTES && entries.length <= MOST_FILES) return [];
  return [`It is too large to be imported again (at most ${MOST_FILES} files and ${MOST_BYTES / 1e6} MB): delete files or outputs that you do not need, and download again.`];
}

const today = (now = new Date()) => [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const few = (names) => `${names.slice(0, 20).join(", ")}${names.length > 20 ? ` and ${names.length - 20} more` : ""}`;
const byName = ([a], [b]) => (a < b ? -1 : 1);
const leftOut = (names) => (names.length ? [`Hidden files, caches and files without a name were left out: ${few(names.map((name) => `“${name}”`))}.`] : []);

/** The sentence about names that were changed, or none. */
function renamed(names) {
  const others = [...names].filter(([path, name]) => path !== name).map(([path, name]) => `“${path}” to “${name}”`);
  return others.length ? [`Names that some systems do not accept were changed: ${few(others)}.`] : [];
}

// ---- import ----

/** The content of a file: path -> bytes, and sentences about what was changed or left out. */
async function workIn(file) {
  if (file.size > MOST_BYTES) throw new Problem(TOO_LARGE);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    try { return await unzipped(bytes); } catch (error) { throw error instanceof Problem ? error : new Problem(DAMAGED); }
  }
  const notebook = notebookOf(bytes);
  if (!notebook) throw new Problem(`${file.name} is neither a .zip with work on this course nor a notebook; choose another file.`);
  return [new Map([[await placeOf(safe(file.name), notebook), bytes]]), []];
}

async function importFile(file) {
  const [work, lines] = await workIn(file);
  await fetchOriginals(work.keys());
  let imported = null;
  await change((here) => {
    imported = new Import(here);
    for (const [path, bytes] of work) if (path !== ANSWERS_FILE) imported.take(path, bytes);
    return imported.models();
  });
  if (!work.size) lines.push(`There is no notebook and no progress in ${file.name}; choose another file.`);
  return [...imported.lines(), ...importAnswers(work), ...lines, ...imported.rest()];
}

function importAnswers(work) {
  if (!work.has(ANSWERS_FILE)) return [];
  const [theirs, isMore] = answersOf(work.get(ANSWERS_FILE)), lines = keepAnswers(theirs);
  if (isMore) lines.push("Answers that cannot come from a page of this site were left out.");
  return lines.length ? lines : ["The answers given on pages contained nothing new."];
}

/** Decides what the work in a file changes; nothing that is stored here is lost. `change` writes it. */
class Import {
  #here; // path -> model, of files and folders
  #new = new Map(); // path -> model
  #files = new Set(Object.keys(COURSE));
  #folders = new Set(Object.keys(COURSE).flatMap(prefixes));
  #atHome; // safe name -> model, for files whose names are not safe
  #taken = [];
  #said = [];
  #same = 0;

  constructor(here) {
    this.#here = here;
    this.#atHome = new Map([...here].filter(([path]) => safe(path) !== path).map(([path, model]) => [safe(path), model]));
    for (const [path, model] of here) this.#note(path, isFolder(model));
  }

  #note(path, asFolder = false) {
    (asFolder ? this.#folders : this.#files).add(path);
    for (const folder of prefixes(path)) this.#folders.add(folder);
  }

  #put(path, model) {
    this.#new.set(path, model);
    this.#note(path);
  }

  /** Why it cannot be written there; empty if it can. */
  #obstacle(path) {
    if (path.length > MOST_LETTERS || prefixes(path).length > MOST_DEPTH) return "its name is too long";
    if (this.#folders.has(path)) return "a folder has that name";
    const file = prefixes(path).find((folder) => this.#files.has(folder));
    return file === undefined ? "" : `${file} is a file, not a folder`;
  }

  take(path, bytes) {
    const obstacle = this.#obstacle(path);
    if (obstacle) this.#leave(path, obstacle);
    else if (isProgress(path)) this.#takeProgress(path, bytes);
    else if (path.endsWith(".ipynb")) this.#takeNotebook(path, bytes);
    else this.#takeFile(path, bytes);
  }

  #leave(path, why) {
    this.#said.push(`${path.slice(0, 200)} was left out: ${why}.`);
  }

  #takeProgress(path, bytes) {
    const old = this.#here.get(path), other = progressOf(bytes), mine = old ? progressOf(bytesOf(old)) : {};
    if (!other || !mine) {
      this.#leave(path, `${other ? "the progress in this browser" : "it"} cannot be read, or belongs to a newer version of the course`);
      return;
    }
    const merged = mergedProgress(mine, other);
    if (old && isSame(toJson(merged), toJson(mergedProgress(mine, {})))) { this.#same += 1; return; }
    this.#put(path, { ...modelOf(path, toJson(merged)), ...(old ? { created: old.created } : {}) });
    this.#said.push(`The progress in ${path} was imported.`);
  }

  #takeNotebook(path, bytes) {
    const notebook = notebookOf(bytes), old = this.#here.get(path), mine = old && notebookIn(old);
    if (!notebook) this.#leave(path, "it is not a valid notebook");
    else if ((mine && isAlike(old, notebook)) || isAsGiven(path, notebook)) this.#same += 1;
    else if (isAsNoted(path, notebook)) this.#leave(path, "it is unchanged, from another version of this site");
    else if (!old || (mine && !isChanged(path, mine))) this.#add(path, bytes);
    else this.#beside(path, bytes, (model) => isAlike(model, notebook));
  }

  #takeFile(path, bytes) {
    const old = this.#here.get(path) ?? this.#atHome.get(path);
    if (!old) this.#add(path, bytes);
    else if (isSame(bytesOf(old), bytes)) this.#same += 1;
    else this.#beside(path, bytes, (model) => isSame(bytesOf(model), bytes));
  }

  #add(path, bytes) {
    this.#put(path, modelOf(path, bytes));
    this.#taken.push(path);
  }

  #beside(path, bytes, isIt) {
    const [stem, ending] = splitEnding(path);
    const isCopy = ([name, model]) => name.startsWith(`${stem} (imported `) && name.endsWith(ending) && !isFolder(model);
    if ([...this.#here, ...this.#new].filter(isCopy).some(([, model]) => isIt(model))) { this.#same += 1; return; }
    const name = free(`${stem} (imported ${today()})${ending}`, (each) => this.#files.has(each) || this.#folders.has(each));
    this.#put(name, modelOf(name, bytes));
    this.#said.push(`You have also changed ${path} in this browser: your version stays, and the version of the file is beside it as “${name.split("/").pop()}”.`);
  }

  /** The models to write. JupyterLite needs an entry for each folder that the site does not have. */
  models() {
    const known = new Set([...Object.keys(COURSE).flatMap(prefixes), ...this.#here.keys()]);
    const folders = [...new Set([...this.#new.keys()].flatMap(prefixes))].filter((folder) => !known.has(folder));
    return [...folders.map(folderModel), ...this.#new.values()];
  }

  lines() {
    return [...(this.#taken.length ? [`Imported: ${few(this.#taken)}.`] : []), ...this.#said];
  }

  rest() {
    return [
      ...(this.#same ? [`${counted(this.#same, "file")} contained nothing new.`] : []),
      ...(this.#new.size ? ["If one of these notebooks is open in another tab, reload that tab."] : []),
    ];
  }
}

// ---- the page ----

const at = (id) => document.getElementById(id);

function say(lines, isProblem = false) {
  at("status").replaceChildren(...lines.map((line) => paragraph(line, isProblem ? "problem" : "")));
}

const paragraph = (textContent, className = "") => Object.assign(document.createElement("p"), { textContent, className });

async function show() {
  const files = await stored(), told = answers();
  await fetchOriginals(files.keys());
  const works = [...files].filter(([path]) => !isProgress(path)).sort(byName);
  const opened = works.filter(([path, model]) => isOnlyOpened(path, model));
  const changed = works.filter((work) => !opened.includes(work));
  showProgress([...files].filter(([path]) => isProgress(path)).map(([, model]) => progressOf(bytesOf(model))), told);
  at("list").replaceChildren(
    ...(await unsaved(files)).map((line) => paragraph(line)),
    changed.length ? listOf(changed) : paragraph("You have not changed a notebook in this browser yet."),
    ...(opened.length ? [paragraph(`${counted(opened.length, "notebook")} saved here without your changes.`, "small")] : []),
  );
  at("download").disabled = !files.size && !Object.keys(told).length;
  at("file").disabled = false;
}

function isOnlyOpened(path, model) {
  const notebook = path.endsWith(".ipynb") && notebookIn(model);
  return notebook && !isChanged(path, notebook);
}

function showProgress(all, told) {
  const passed = all.flatMap(passedIn).length;
  const predicted = answered(told) + all.flatMap((progress) => Object.keys(progress?.predictions ?? {})).length;
  const parts = [passed && `${counted(passed, "exercise")} passed`, predicted && `${counted(predicted, "question")} answered`].filter(Boolean);
  at("progress").hidden = !parts.length;
  at("progress").textContent = `Your progress: ${parts.join(", ")}.`;
}

function listOf(works) {
  const list = Object.assign(document.createElement("ul"), { className: "files" });
  const isNotebook = ([path]) => path.endsWith(".ipynb");
  list.append(...[...works.filter(isNotebook), ...works.filter((work) => !isNotebook(work))].map(row));
  return list;
}

function row([path, model]) {
  const item = document.createElement("li"), known = Object.hasOwn(COURSE, path) ? COURSE[path] : null, when = new Date(model.last_modified);
  const name = path.endsWith(".ipynb") ? document.createElement("a") : document.createElement("span");
  if (name.tagName === "A") name.href = known ? known[1] : `notebooks/index.html?path=${path.split("/").map(encodeURIComponent).join("/")}`;
  name.textContent = known ? known[0] : path;
  const time = Object.assign(document.createElement("time"), { textContent: Number.isNaN(Number(when)) ? "" : `last change ${when.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}` });
  if (time.textContent) time.dateTime = when.toISOString();
  const where = known ? [Object.assign(document.createElement("span"), { textContent: path, className: "path" })] : [];
  item.append(name, ...where, time);
  return item;
}

/** Run `act`; an error becomes a sentence on the page. */
async function attempt(act) {
  try { return await act(); } catch (error) {
    if (!(error instanceof Problem)) console.error(error);
    say([error instanceof Problem ? error.message : `Something went wrong (${error?.message || error}); nothing in this browser has changed.`], true);
    return null;
  }
}

at("download").addEventListener("click", () => attempt(download));
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (!file) return;
  say([`Reading ${file.name} …`]);
  const lines = await attempt(() => importFile(file));
  if (lines) { say(lines); await attempt(show); }
  at("file").value = ""; // the same file may be chosen again
});
if ((await attempt(async () => { await show(); return true; })) === null) at("list").replaceChildren();
document.documentElement.dataset.work = "ready";
