// Play: a game of a person against a model. The service keeps the game; this shows it and sends moves.

import { get, post } from "./api.js";
import { BoardView } from "./board.js";
import { Choices, offered, simulationSteps } from "./choices.js";
import { byId, clock, element, percent, signed, table } from "./dom.js";

const NAMES = { 1: "Black", 2: "White" };
const RESULTS = { black_won: "Black won", white_won: "White won", draw: "A draw" };

export class PlayView {
  constructor(page) {
    this.page = page;
    this.board = new BoardView(byId("play-board"), (index) => this.play(index));
    this.form = byId("play-form");
    this.choices = new Choices(byId("play-game"));
    this.game = null;
    this.turnId = 0; // answers to earlier questions are dropped
    this.seconds = { 1: 0, 2: 0 };
    this.isThinking = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin();
    });
    this.form.addEventListener("input", () => this.showStrength());
    byId("play-undo").addEventListener("click", () => this.undo());
    byId("play-hint").addEventListener("click", () => this.hint());
    byId("play-pass").addEventListener("click", () => this.play(this.passIndex));
    byId("play-retry").addEventListener("click", () => this.letModelMove(++this.turnId));
    byId("play-analyse").addEventListener("click", () => page.analyse(this.position));
    byId("play-tree").addEventListener("click", () => page.tree(this.position));
    this.prepare();
    window.setInterval(() => this.tick(), 250);
  }

  async prepare() {
    const offer = await offered();
    const fields = this.form.elements;
    fields.simulations.max = simulationSteps().length - 1;
    fields.simulations.value = Math.max(simulationSteps().indexOf(offer.simulations), 0);
    fields.temperature.value = offer.temperature;
    this.showStrength();
    this.begin();
  }

  showStrength() {
    const { temperature } = this.form.elements;
    byId("play-simulations-text").textContent = this.simulations;
    byId("play-temperature-text").textContent = Number(temperature.value).toFixed(2);
  }

  get simulations() {
    return simulationSteps()[Number(this.form.elements.simulations.value)];
  }

  get passIndex() {
    return this.game.state.game.size ** 2;
  }

  // What other tabs need of the game.
  get position() {
    return { game: this.game.state.game, model: this.game.model.name, moves: this.game.history.map((move) => move.index) };
  }

  async begin() {
    const turnId = ++this.turnId;
    this.human = Number(this.form.elements.colour.value);
    await this.ask(turnId, () => post("/game", { ...this.choices.value, simulations: this.simulations }));
    if (turnId !== this.turnId) return;
    this.seconds = { 1: 0, 2: 0 };
    await this.letModelMove(turnId);
  }

  // Run a request and show the game it answers; a stale board is replaced by the current one.
  async ask(turnId, request) {
    try {
      const game = await request();
      if (turnId !== this.turnId) return;
      this.page.report(null);
      this.update(game);
    } catch (error) {
      if (turnId !== this.turnId) return;
      this.page.report(error);
      if (error.status === 409 && this.game) this.update(await get(`/game/${this.game.id}`));
    }
  }

  async play(index) {
    if (!this.isHumansTurn) return;
    const turnId = ++this.turnId;
    const { id, state } = this.game;
    await this.ask(turnId, () => post(`/game/${id}/play`, { ply: state.ply, move: index }));
    await this.letModelMove(turnId);
  }

  async letModelMove(turnId) {
    if (turnId !== this.turnId || !this.game || this.isOver || this.isHumansTurn) return;
    const { id, state } = this.game;
    const { temperature, choose_by: style } = this.form.elements;
    this.setThinking(true);
    const body = { ply: state.ply, simulations: this.simulations, temperature: Number(temperature.value), choose_by: style.value };
    await this.ask(turnId, () => post(`/game/${id}/reply`, body));
    if (turnId !== this.turnId) return;
    this.setThinking(false);
  }

  async undo() {
    if (this.isThinking || !this.game) return;
    const { id, state, history } = this.game;
    const last = history.findLastIndex((move) => move.by === "client");
    if (last < 0) return;
    const turnId = ++this.turnId;
    await this.ask(turnId, () => post(`/game/${id}/undo`, { ply: state.ply, moves: history.length - last }));
  }

  async hint() {
    if (!this.isHumansTurn) return;
    const turnId = ++this.turnId;
    try {
      const analysis = await post("/analyse", { ...this.position, simulations: this.simulations });
      if (turnId !== this.turnId) return;
      const best = analysis.candidates.slice(0, 5);
      const marks = best.slice(0, 3).flatMap((move, rank) => (move.x === null ? [] : [{ index: move.index, text: String(rank + 1) }]));
      this.board.show(this.game.state, { marks });
      const rows = best.map((move) => [move.move, String(move.visits), percent(move.prior), signed(move.q)]);
      byId("play-hint-table").replaceChildren(table(["move", "N", "P", "Q"], rows));
      byId("play-hints").hidden = false;
    } catch (error) {
      this.page.report(error);
    }
  }

  get isOver() {
    return this.game.state.status !== "ongoing";
  }

  get isHumansTurn() {
    return Boolean(this.game) && !this.isThinking && !this.isOver && this.game.state.current_player === this.human;
  }

  setThinking(isThinking) {
    this.isThinking = isThinking;
    this.showState();
  }

  update(game) {
    this.game = game;
    this.isThinking = false;
    byId("play-hints").hidden = true;
    this.board.show(game.state);
    const moves = game.history.map((move, ply) => element("li", {}, `${ply + 1}. ${move.move}`));
    byId("play-moves").replaceChildren(...moves);
    this.showState();
  }

  showState() {
    const { state, history } = this.game;
    byId("play-status").textContent = this.sentence(state, history);
    byId("play-pass").hidden = !(state.must_pass && this.isHumansTurn);
    byId("play-retry").hidden = this.isOver || this.isThinking || this.isHumansTurn;
    byId("play-undo").disabled = this.isThinking || !history.some((move) => move.by === "client");
    byId("play-hint").disabled = !this.isHumansTurn;
    this.showPlayers();
  }

  sentence(state, history) {
    const last = history.at(-1);
    const passed = last?.move === "pass" ? `${NAMES[last.player]} passes. ` : "";
    if (this.isOver) return `${passed}${RESULTS[state.status]}.`;
    if (this.isThinking) return `${passed}${this.game.model.name} is thinking…`;
    if (!this.isHumansTurn) return `${passed}${this.game.model.name} has not answered.`;
    if (state.must_pass) return `${passed}You have no move: pass.`;
    const value = last?.by === "model" ? ` (${this.game.model.name} expects ${signed(last.value)} for itself)` : "";
    return `${passed}Your move, ${NAMES[this.human]}${value}.`;
  }

  showPlayers() {
    const { state, model } = this.game;
    for (const side of [1, 2]) {
      const host = byId(side === 1 ? "play-black" : "play-white");
      const name = side === this.human ? "You" : model.name;
      const discs = state.game.name === "othello" ? ` · ${state.score[side === 1 ? "black" : "white"]}` : "";
      host.classList.toggle("active", !this.isOver && state.current_player === side);
      host.replaceChildren(
        element("i", { style: `background: var(--${side === 1 ? "black" : "white"})` }),
        `${name}${discs}`,
        element("time", {}, clock(this.seconds[side])),
      );
    }
  }

  tick() {
    if (!this.game || this.isOver || document.hidden || this.game.history.length === 0) return;
    this.seconds[this.game.state.current_player] += 0.25;
    this.showPlayers();
  }
}
