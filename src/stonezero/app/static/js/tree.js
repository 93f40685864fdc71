// Tree: the search tree of one position, as boards that open and close. A new position clears it.

import { post } from "./api.js";
import { BoardView, thumbnail } from "./board.js";
import { Choices, offered, simulationOptions } from "./choices.js";
import { byId, download, element, facts, percent, signed, svg, table } from "./dom.js";

const d3 = window.d3;
const THUMB = 56;
const ROW = 74;
const LABEL = 98; // room for the text beside a board
const COLUMN = THUMB + LABEL + 44;
const MOST_CHILDREN = 6; // shown at once; the rest on demand
const DEPTH = 6;

export class TreeView {
  constructor(page) {
    this.page = page;
    this.board = new BoardView(byId("tree-board"));
    this.token = 0;
    this.position = null;
    this.tree = null;
    byId("tree-search").addEventListener("click", () => this.search());
    byId("tree-visits").addEventListener("input", () => this.draw());
    byId("tree-export").addEventListener("click", () => this.export());
    byId("tree-lookup").addEventListener("click", () => this.lookUp());
    byId("tree-visits").value = 0;
    offered().then((offer) => simulationOptions(byId("tree-simulations"), offer.simulations));
    this.ready = this.open({ ...new Choices(element("div")).value, moves: [] });
  }

  // Forget the tree and show the position alone.
  async open(position) {
    const token = ++this.token;
    this.clear();
    try {
      const answer = await post("/positions", position);
      if (token !== this.token) return;
      this.position = { ...position, game: answer.game };
      this.state = answer.states.at(-1);
      this.board.show(this.state);
      this.showPosition();
    } catch (error) {
      this.page.report(error);
    }
  }

  clear() {
    this.tree = null;
    byId("tree-export").disabled = true;
    byId("tree-canvas").replaceChildren();
    byId("tree-edges").replaceChildren();
    byId("tree-facts").replaceChildren();
    byId("tree-found").textContent = "";
    byId("tree-title").textContent = "Position";
    byId("tree-status").textContent = "Not searched yet.";
  }

  showPosition() {
    const { state } = this;
    const over = state.status !== "ongoing";
    byId("tree-search").disabled = over;
    byId("tree-status").textContent = over ? "The game is over here: nothing to search." : `Ply ${state.ply}: not searched yet.`;
  }

  get minVisits() {
    return 2 ** Number(byId("tree-visits").value);
  }

  async search() {
    const token = ++this.token;
    this.clear();
    byId("tree-status").textContent = "Searching…";
    try {
      const simulations = Number(byId("tree-simulations").value);
      const tree = await post("/tree", { ...this.position, simulations, depth: DEPTH });
      if (token !== this.token) return;
      this.page.report(null);
      this.tree = tree;
      this.nodes = new Map(tree.nodes.map((node) => [node.id, node]));
      this.opened = new Set([tree.nodes[0].id]);
      this.widened = new Set();
      byId("tree-export").disabled = false;
      this.select(tree.nodes[0]);
      this.draw({ isNew: true });
    } catch (error) {
      if (token !== this.token) return;
      byId("tree-status").textContent = "";
      this.page.report(error);
    }
  }

  // ------------------------------------------------------------ drawing

  children(node) {
    const all = node.children.map((id) => this.nodes.get(id)).filter((child) => child.visit_count >= this.minVisits);
    return this.widened.has(node.id) ? all : all.slice(0, MOST_CHILDREN);
  }

  draw({ isNew = false } = {}) {
    byId("tree-visits-text").textContent = this.minVisits;
    if (!this.tree) return;
    const root = d3.hierarchy(this.tree.nodes[0], (node) => (this.opened.has(node.id) ? this.children(node) : []));
    d3.tree().nodeSize([ROW, COLUMN])(root);
    const layer = svg("g");
    for (const link of root.links()) layer.append(this.linkShape(link));
    for (const item of root.descendants()) layer.append(this.nodeShape(item));
    this.place(layer, root, isNew);
    const shown = root.descendants().length;
    byId("tree-status").textContent = `${this.tree.simulations} simulations, ${this.tree.num_nodes} nodes, ${shown} shown. Click a board to open or close it.`;
  }

  place(layer, root, isNew) {
    const host = byId("tree-canvas");
    let canvas = host.querySelector("svg");
    if (!canvas || isNew) {
      canvas = svg("svg", { role: "tree", "aria-label": "search tree" });
      host.replaceChildren(canvas);
      this.zoom = d3.zoom().scaleExtent([0.2, 2]).on("zoom", (event) => canvas.firstChild?.setAttribute("transform", event.transform));
      d3.select(canvas).call(this.zoom);
      this.transform = null;
    }
    canvas.replaceChildren(layer);
    if (isNew) {
      const height = root.height ? d3.max(root.descendants(), (item) => Math.abs(item.x)) * 2 + ROW : ROW;
      const scale = Math.min(1, Math.max(host.clientHeight / (height + ROW), 0.45));
      d3.select(canvas).call(this.zoom.transform, d3.zoomIdentity.translate(24, host.clientHeight / 2).scale(scale));
    } else layer.setAttribute("transform", d3.zoomTransform(canvas));
  }

  linkShape({ source, target }) {
    const path = d3.linkHorizontal()({ source: [source.y + THUMB + LABEL, source.x], target: [target.y, target.x] });
    const share = target.data.visit_count / Math.max(source.data.visit_count, 1);
    return svg("path", { d: path, fill: "none", stroke: "var(--soft)", "stroke-width": (1 + 6 * share).toFixed(1), opacity: 0.5 });
  }

  nodeShape({ data: node, x, y }) {
    const more = node.children.length;
    const isOpen = this.opened.has(node.id);
    const group = svg("g", { transform: `translate(${y},${x})`, role: "treeitem", tabindex: 0, "data-node": node.id, "aria-expanded": more ? isOpen : null,
      "aria-label": `${node.move ?? "root"}: ${node.visit_count} visits` });
    const picture = thumbnail(node.board, this.tree.game, THUMB, this.moveIndex(node.move));
    picture.setAttribute("transform", `translate(0,${-THUMB / 2})`);
    const isChosen = this.chosen === node.id;
    group.append(
      svg("rect", { y: -THUMB / 2, width: THUMB + LABEL, height: THUMB, fill: "transparent" }),
      picture,
      svg("rect", { x: -2, y: -THUMB / 2 - 2, width: THUMB + 4, height: THUMB + 4, rx: 4, fill: "none", stroke: isChosen ? "var(--accent)" : "var(--line)", "stroke-width": isChosen ? 3 : 1 }),
      ...this.labels(node),
    );
    if (more) group.append(svg("text", { x: THUMB + 8, y: 26, style: "fill: var(--accent)" }, isOpen ? "− close" : `+ ${more}`));
    group.style.cursor = "pointer";
    const act = () => this.toggle(node);
    group.addEventListener("click", act);
    group.addEventListener("keydown", (event) => event.key === "Enter" && act());
    return group;
  }

  labels(node) {
    const at = { x: THUMB + 8 };
    return [
      svg("text", { ...at, y: -15, "font-weight": 650 }, node.move ?? "root"),
      svg("text", { ...at, y: -1 }, `N ${node.visit_count}  P ${percent(node.prior)}`),
      svg("text", { ...at, y: 12 }, `Q ${signed(node.edge_q_value ?? node.q_value)}`),
    ];
  }

  moveIndex(text) {
    if (!text || text === "pass") return null;
    const { name, size } = this.tree.game;
    const row = Number(text.slice(1));
    return (name === "gomoku" ? size - row : row - 1) * size + text.charCodeAt(0) - 97;
  }

  toggle(node) {
    if (this.chosen === node.id || !this.opened.has(node.id)) {
      if (this.opened.has(node.id)) this.opened.delete(node.id);
      else this.opened.add(node.id);
    }
    this.select(node);
    this.draw();
  }

  // ------------------------------------------------------------ one node

  select(node) {
    this.chosen = node.id;
    const { game } = this.tree;
    const stones = [...node.board].map((point) => ".XO".indexOf(point));
    const rows = d3.range(game.size).map((row) => stones.slice(row * game.size, (row + 1) * game.size));
    const last = this.moveIndex(node.move);
    this.board.show({ game, board: rows, legal: [], forbidden: [], winning_line: [], last_move: last === null ? null : { index: last }, current_player: node.player === "black" ? 1 : 2 });
    byId("tree-title").textContent = node.move ? `After ${this.line(node).join(" ")}` : "Root";
    facts(byId("tree-facts"), [
      ["To move", node.is_terminal ? "nobody: over" : node.player],
      ["N", node.visit_count],
      ["P", percent(node.prior)],
      ["Q for the mover", signed(node.q_value)],
      ["Hash", node.state_hash],
    ]);
    byId("tree-found").textContent = "";
    this.showEdges(node);
  }

  line(node) {
    return node.parent === null ? [] : [...this.line(this.nodes.get(node.parent)), node.move];
  }

  showEdges(node) {
    const visited = node.children.map((id) => this.nodes.get(id));
    const known = new Set(visited.map((child) => child.move));
    const rest = Object.entries(node.prior_policy).filter(([move]) => !known.has(move)).slice(0, MOST_CHILDREN);
    const rows = [
      ...visited.map((child) => [child.move, String(child.visit_count), percent(child.prior), signed(child.edge_q_value)]),
      ...rest.map(([move, prior]) => [move, "0", percent(prior), "–"]),
    ];
    const open = (index) => {
      if (!visited[index]) return;
      this.opened.add(node.id);
      this.widened.add(node.id);
      this.select(visited[index]);
      this.draw();
    };
    byId("tree-edges").replaceChildren(rows.length ? table(["move", "N", "P", "Q"], rows, open) : "No moves searched from here.");
  }

  export() {
    download(`tree-ply${this.state.ply}.json`, JSON.stringify(this.tree, null, 1));
  }

  async lookUp() {
    const node = this.tree ? this.nodes.get(this.chosen) : null;
    const moves = [...this.position.moves, ...(node ? this.line(node) : [])];
    byId("tree-found").textContent = "Looking…";
    try {
      const found = await post("/training/lookup", { ...this.position, moves });
      const share = found.positions ? ` (won ${found.won}, drawn ${found.drawn}, lost ${found.lost} by the side to move)` : "";
      byId("tree-found").textContent = `Met ${found.positions} times in ${found.searched} recorded positions${share}.`;
    } catch (error) {
      byId("tree-found").textContent = "";
      this.page.report(error);
    }
  }
}
