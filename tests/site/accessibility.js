// What keeps a reader out of a page, as sentences: run in the page, by `page.evaluate`. After WCAG 2.2, as far as a program can tell.
() => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.replace(/\s+/g, " ").slice(0, 140)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length;

  // ---- structure ----
  if (!document.documentElement.lang) found.push("the page has no language");
  if (!document.title.trim()) found.push("the page has no title");
  if (all("h1").length !== 1) found.push(`${all("h1").length} headings of level 1`);
  for (const tag of ["header", "main", "nav", "footer"]) if (!all(tag).length) found.push(`no <${tag}>`);
  if (all("main").length !== 1) found.push("not one main part");
  if (document.querySelector("body > a")?.getAttribute("href") !== "#main") found.push("the first link does not skip to the content");
  for (const nav of all("nav")) if (!nav.getAttribute("aria-label")) say("navigation without a name", nav);
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6, [role=heading]").filter(shown)) {
    const here = Number(heading.getAttribute("aria-level") || heading.tagName.slice(1));
    if (here > level + 1) say(`level ${here} after level ${level}`, heading);
    level = here;
  }

  // ---- names ----
  const name = (element) => [
    element.getAttribute("aria-label"), element.innerText, element.title, ...[...(element.labels || [])].map((label) => label.innerText),
    ...[...element.querySelectorAll("img")].map((image) => image.alt),
    ...(element.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.innerText),
  ].some((text) => text?.trim());
  for (const element of all("a[href], button, input, select, textarea, summary").filter(shown)) if (!name(element)) say("no name", element);
  for (const image of all("img")) if (!image.alt.trim()) say("no alternative text", image);
  for (const picture of all("svg").filter(shown)) {
    const hidden = picture.closest("[aria-hidden=true]");
    if (!hidden && !(picture.getAttribute("role") && picture.getAttribute("aria-label"))) say("a picture without words", picture);
  }
  for (const field of all("fieldset").filter(shown)) if (field.firstElementChild?.tagName !== "LEGEND") say("a group without a name", field);

  // ---- targets ----
  for (const target of all("button, summary, nav a, a.button, .times a, label:has(input)").filter(shown)) {
    const { width, height } = target.getBoundingClientRect();
    if (width < 24 || height < 24) say(`only ${Math.round(width)} by ${Math.round(height)} pixels`, target);
  }

  // ---- contrast ----
  const rgba = (text) => {
    const numbers = text.match(/[\d.]+(e-?\d+)?/g).map(Number);
    const scaled = text.startsWith("color(") ? numbers.slice(0, 3).map((part) => part * 255) : numbers.slice(0, 3);
    return [...scaled, numbers[3] ?? 1];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
  const behind = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.unshift(rgba(getComputedStyle(each).backgroundColor));
    const paper = getComputedStyle(document.documentElement).colorScheme.includes("dark") ? [0, 0, 0] : [255, 255, 255];
    return layers.reduce((below, layer) => over(layer, below), paper);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest("svg, script, style, [aria-disabled=true], :disabled, .skip") || seen.has(element) || !shown(element)) continue;
    seen.add(element);
    const style = getComputedStyle(element), back = behind(element), colour = rgba(style.color);
    for (let each = element; each; each = each.parentElement) colour[3] *= Number(getComputedStyle(each).opacity);
    const [a, b] = [light(over(colour, back)), light(back)].sort((one, other) => other - one);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least) say(`contrast ${ratio.toFixed(2)}`, element);
  }

  // ---- room ----
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth - innerWidth} pixels too wide`);
  return found;
}
