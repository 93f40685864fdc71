// Tabs, theme, and the position that the tabs hand to each other.

import { AnalyseView } from "./analyse.js";
import { byId } from "./dom.js";
import { offered } from "./choices.js";
import { PlayView } from "./play.js";
import { TrainingView } from "./training.js";
import { TreeView } from "./tree.js";

const TABS = ["play", "analyse", "tree", "training"];

// What a view may ask of the page.
const page = {
  report(error) {
    const problem = byId("problem");
    problem.hidden = !error;
    problem.textContent = error ? error.message : "";
    if (error && !error.status) console.error(error);
  },
  analyse(position, how = {}) {
    views.analyse.open(position, how);
    location.hash = "analyse";
  },
  tree(position) {
    views.tree.open(position);
    location.hash = "tree";
  },
};
let views = {};

function showTab() {
  const name = TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "play";
  for (const tab of TABS) {
    byId(tab).hidden = tab !== name;
    byId(`tab-${tab}`).setAttribute("aria-selected", tab === name);
    byId(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
  }
  page.report(null);
  views[name].shown?.();
}

function arrowsMoveBetweenTabs(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const at = TABS.findIndex((tab) => byId(`tab-${tab}`) === document.activeElement);
  const next = TABS[(at + step + TABS.length) % TABS.length];
  location.hash = next;
  byId(`tab-${next}`).focus();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function startTheme() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(localStorage.getItem("stonezero-theme") || (dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("stonezero-theme", theme);
    setTheme(theme);
  });
}

async function start() {
  startTheme();
  try {
    await offered();
  } catch (error) {
    page.report(error);
    return;
  }
  views = { play: new PlayView(page), analyse: new AnalyseView(page), tree: new TreeView(page), training: new TrainingView(page) };
  for (const tab of TABS) byId(`tab-${tab}`).addEventListener("click", () => (location.hash = tab));
  document.querySelector("nav").addEventListener("keydown", arrowsMoveBetweenTabs);
  window.addEventListener("hashchange", showTab);
  showTab();
  document.documentElement.dataset.ready = "true";
}

start();
