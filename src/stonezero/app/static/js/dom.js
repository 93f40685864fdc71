// Small helpers for elements. No state.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function options(select, values, chosen) {
  select.replaceChildren(
    ...values.map(([value, text]) => element("option", { value, selected: String(value) === String(chosen) }, text)),
  );
}

export function facts(list, pairs) {
  list.replaceChildren(
    ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]),
  );
}

export function table(headings, rows, onRow) {
  const body = rows.map((cells, index) =>
    element(
      "tr",
      { class: onRow ? "link" : null, onclick: onRow ? () => onRow(index) : () => {} },
      ...cells.map((cell) => element("td", {}, cell)),
    ),
  );
  return element(
    "div",
    { class: "scroll", tabindex: 0 },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...headings.map((text) => element("th", {}, text)))),
      element("tbody", {}, ...body),
    ),
  );
}

export const signed = (value) => (value === null || value === undefined ? "–" : (value > 0 ? "+" : "") + value.toFixed(2));
export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
