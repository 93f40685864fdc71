// Analyse: a game from a file, a text or another tab, stepped through and searched.

import { post, upload } from "./api.js";
import { BoardView } from "./board.js";
import { valueGraph } from "./charts.js";
import { Choices, modelFor, offered, simulationOptions } from "./choices.js";
import { byId, element, options, percent, signed, table } from "./dom.js";

const AT_ONCE = 4; // positions of a game searched at the same time: they share the network's batches
const MISTAKE = 0.3; // loss of value that marks a move; values run from -1 to 1
const BLUNDER = 0.6;
const RESULTS = { black_won: "Black won", white_won: "White won", draw: "Draw", ongoing: "" };
const PAUSE = 150; // ms between a step and its search

export class AnalyseView {
  constructor(page) {
    this.page = page;
    this.board = new BoardView(byId("analyse-board"), (index) => this.tryMove(index));
    this.choices = new Choices(byId("analyse-game"));
    this.token = 0; // of the position shown: later answers are dropped
    this.gameToken = 0; // of the game loaded
    this.main = null; // the game, while a variation is shown
    this.listen();
    this.prepare();
  }

  listen() {
    const click = (id, action) => byId(id).addEventListener("click", action);
    click("analyse-first", () => this.go(0));
    click("analyse-back", () => this.go(this.ply - 1));
    click("analyse-forward", () => this.go(this.ply + 1));
    click("analyse-last", () => this.go(this.states.length - 1));
    click("analyse-return", () => this.leaveVariation());
    click("analyse-load", () => this.loadText(byId("analyse-text").value));
    click("analyse-whole", () => this.analyseWhole());
    click("analyse-tree", () => this.page.tree(this.position(this.ply)));
    byId("analyse-layers").addEventListener("change", () => this.showBoard());
    byId("analyse-simulations").addEventListener("change", () => this.search());
    byId("analyse-file").addEventListener("change", (event) => {
      if (event.target.files[0]) this.loadFile(event.target.files[0]);
      event.target.value = "";
    });
    byId("analyse-games").addEventListener("change", (event) => this.openImported(Number(event.target.value)));
    document.addEventListener("keydown", (event) => this.key(event));
    this.listenToDrops(byId("analyse-drop"));
  }

  listenToDrops(card) {
    for (const kind of ["dragover", "dragleave", "drop"])
      card.addEventListener(kind, (event) => {
        event.preventDefault();
        card.classList.toggle("dropping", kind === "dragover");
        if (kind === "drop" && event.dataTransfer.files[0]) this.loadFile(event.dataTransfer.files[0]);
      });
  }

  key(event) {
    if (byId("analyse").hidden || event.target.closest("input, textarea, select, nav, svg[tabindex]")) return;
    const goal = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.states.length - 1 }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    this.go(goal);
  }

  async prepare() {
    simulationOptions(byId("analyse-simulations"), (await offered()).simulations);
    await this.open({ ...this.choices.value, moves: [] }, { isStart: true });
  }

  shown() {
    if (this.states && !this.analyses[this.ply]) this.search();
  }

  // Show a position: {game, model, moves, board?, current_player?}, at its last ply unless it was just loaded.
  async open(position, { ply = null, title = "", isStart = false } = {}) {
    const gameToken = ++this.gameToken;
    try {
      const { game, model, moves, ...setUp } = position;
      const answer = await post("/positions", { game, model, moves, ...setUp });
      if (gameToken !== this.gameToken) return;
      this.page.report(null);
      this.main = null;
      this.start = { game: answer.game, model, ...setUp };
      this.title = title;
      this.load(answer, ply ?? (isStart ? 0 : answer.states.length - 1));
    } catch (error) {
      this.page.report(error);
    }
  }

  load(answer, ply) {
    this.moves = answer.moves;
    this.states = answer.states;
    this.analyses = new Array(this.states.length).fill(null);
    this.ply = -1;
    this.go(ply);
  }

  position(ply) {
    return { ...this.start, moves: this.moves.slice(0, ply).map((move) => move.index) };
  }

  go(ply) {
    const goal = Math.min(Math.max(ply, 0), this.states.length - 1);
    if (goal === this.ply) return;
    this.ply = goal;
    this.token += 1;
    this.show();
    window.clearTimeout(this.timer);
    if (!byId("analyse").hidden) this.timer = window.setTimeout(() => this.search(), PAUSE);
  }

  // ------------------------------------------------------------ searching

  async search() {
    const { token, ply } = this;
    if (this.states[ply].status !== "ongoing") return;
    try {
      const found = await this.analysis(ply);
      if (token !== this.token) return;
      this.analyses[ply] = found;
      this.show();
    } catch (error) {
      if (token === this.token) this.page.report(error);
    }
  }

  analysis(ply) {
    return post("/analyse", { ...this.position(ply), simulations: Number(byId("analyse-simulations").value), lines: 4, line_length: 8 });
  }

  async analyseWhole() {
    const { gameToken, analyses, states } = this;
    const waiting = states.map((_, ply) => ply).filter((ply) => !analyses[ply] && states[ply].status === "ongoing");
    const total = waiting.length;
    byId("analyse-whole").disabled = true;
    const work = async () => {
      while (waiting.length && analyses === this.analyses) {
        const ply = waiting.shift();
        analyses[ply] = await this.analysis(ply);
        if (analyses !== this.analyses || gameToken !== this.gameToken) return;
        byId("analyse-status").textContent = `Searching: ${total - waiting.length} of ${total} positions`;
        this.showGraph();
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } catch (error) {
      this.page.report(error);
    }
    byId("analyse-whole").disabled = false;
    if (analyses === this.analyses) this.show();
  }

  // Values for Black by ply; null where nothing is known.
  values() {
    return this.states.map((state, ply) => {
      if (state.status !== "ongoing") return { black_won: 1, white_won: -1, draw: 0 }[state.status];
      const found = this.analyses[ply];
      return found ? (state.current_player === 1 ? 1 : -1) * found.value : null;
    });
  }

  // By ply: what the move that led there lost for its side, where that is a mistake; else 0.
  mistakes(values) {
    return values.map((value, ply) => {
      if (ply === 0 || value === null || values[ply - 1] === null) return 0;
      const sign = this.states[ply - 1].current_player === 1 ? 1 : -1;
      const loss = sign * (values[ply - 1] - value);
      return loss >= MISTAKE ? loss : 0;
    });
  }

  // ------------------------------------------------------------ loading

  async loadText(text) {
    if (!text.trim()) return;
    const words = text.trim().split(/[\s,]+/);
    const isMoves = words.every((word) => /^([a-t]\d{1,2}|pass)$/i.test(word));
    if (isMoves) await this.open({ ...this.choices.value, moves: words.map((word) => word.toLowerCase()) }, { title: "pasted moves" });
    else await this.importData(new TextEncoder().encode(text), "");
  }

  async loadFile(file) {
    await this.importData(await file.arrayBuffer(), file.name);
  }

  async importData(data, name) {
    try {
      const { games, refused } = await upload(`/import?name=${encodeURIComponent(name)}`, data);
      this.imported = games;
      const select = byId("analyse-games");
      select.hidden = games.length < 2;
      options(select, games.map((game, index) => [index, `${game.number}. ${game.title} (${game.moves.length} plies)`]), 0);
      if (games.length) await this.openImported(0);
      if (refused.length) this.page.report(new Error(`${refused.length} not read: ${refused[0]}`));
    } catch (error) {
      this.page.report(error);
    }
  }

  async openImported(index) {
    const { game, moves, title, board, current_player: player } = this.imported[index];
    const setUp = board ? { board, current_player: player } : {};
    await this.open({ game, model: modelFor(game), moves, ...setUp }, { ply: 0, title });
  }

  // ------------------------------------------------------------ variations

  async tryMove(index) {
    if (this.moves[this.ply]?.index === index) {
      this.go(this.ply + 1);
      return;
    }
    await this.vary(this.ply, [index]);
  }

  // Show the game up to `ply` and then other moves.
  async vary(ply, indices) {
    const main = this.main ?? { moves: this.moves, states: this.states, analyses: this.analyses, ply };
    const gameToken = ++this.gameToken;
    try {
      const before = this.position(ply);
      const answer = await post("/positions", { ...before, moves: [...before.moves, ...indices] });
      if (gameToken !== this.gameToken) return;
      const known = this.analyses.slice(0, ply + 1);
      this.main = main;
      this.load(answer, ply + 1);
      known.forEach((found, at) => (this.analyses[at] = found));
    } catch (error) {
      this.page.report(error);
    }
  }

  leaveVariation() {
    const { moves, states, analyses, ply } = this.main;
    this.gameToken += 1;
    this.main = null;
    Object.assign(this, { moves, states, analyses, ply: -1 });
    this.go(ply);
  }

  // ------------------------------------------------------------ showing

  show() {
    this.showBoard();
    this.showFindings();
    this.showGraph();
    byId("analyse-return").hidden = !this.main;
    byId("analyse-ply").textContent = `${this.ply} / ${this.states.length - 1}`;
  }

  showBoard() {
    const layer = byId("analyse-layers").querySelector("input:checked").value;
    const found = this.analyses[this.ply];
    const heat = layer && found ? { layer, grid: found.heatmaps[layer] } : null;
    const lines = found?.lines ?? [];
    const marks = layer ? [] : lines.slice(0, 3).flatMap(({ moves: [move] }, rank) => (move.x === null ? [] : [{ index: move.index, text: String(rank + 1) }]));
    this.board.show(this.states[this.ply], { heat, marks });
    const state = this.states[this.ply];
    const turn = state.status === "ongoing" ? `${state.current_player === 1 ? "Black" : "White"} to move` : RESULTS[state.status];
    byId("analyse-status").textContent = [this.title, this.main ? "variation" : "", turn].filter(Boolean).join(" · ");
  }

  showFindings() {
    const found = this.analyses[this.ply];
    byId("analyse-value").textContent = found ? signed(found.value) : "";
    const candidates = found?.candidates.slice(0, 12) ?? [];
    const rows = candidates.map((move) => [move.move, String(move.visits), percent(move.prior), signed(move.q)]);
    const pick = (index) => this.tryMove(candidates[index].index);
    byId("analyse-candidates").replaceChildren(found ? table(["move", "N", "P", "Q"], rows, pick) : "");
    byId("analyse-lines").replaceChildren(...(found?.lines ?? []).map((line) => this.lineItem(line)));
  }

  lineItem(line) {
    const { ply } = this;
    const indices = line.moves.map((move) => move.index);
    const buttons = line.moves.map((move, at) =>
      element("button", { type: "button", title: "Play the line up to here", onclick: () => this.playLine(ply, indices, at + 1) }, move.move),
    );
    return element("li", {}, `${signed(line.q)} `, ...buttons);
  }

  async playLine(ply, indices, length) {
    await this.vary(ply, indices);
    this.go(ply + length);
  }

  showGraph() {
    const values = this.values();
    const mistakes = this.mistakes(values);
    const known = values.filter((value) => value !== null).length;
    byId("analyse-graph").hidden = known < 2;
    if (known >= 2) valueGraph(byId("analyse-graph"), values, mistakes, this.ply, (ply) => this.go(ply));
    const items = this.moves.map((move, at) => {
      const loss = mistakes[at + 1];
      const sign = loss >= BLUNDER ? "??" : loss ? "?" : "";
      const classes = [at + 1 === this.ply ? "now" : "", loss ? "mistake" : ""].join(" ").trim();
      const title = loss ? `loses ${loss.toFixed(2)} of value` : null;
      return element("li", {}, element("button", { class: classes, title, onclick: () => this.go(at + 1) }, `${at + 1} ${move.move}${sign}`));
    });
    byId("analyse-moves").replaceChildren(...items);
  }
}
