// Training: how the run has gone so far, and its newest games.

import { get } from "./api.js";
import { lineChart } from "./charts.js";
import { modelFor } from "./choices.js";
import { byId, element, facts, options, signed } from "./dom.js";

const RESULTS = { black_won: "Black won", white_won: "White won", draw: "draw" };
const LOSSES = ["policy_loss", "value_loss", "held_out_policy_loss", "held_out_value_loss"];

export class TrainingView {
  constructor(page) {
    this.page = page;
    byId("training-generation").addEventListener("change", () => this.showGames());
  }

  async shown() {
    try {
      const run = await get("/training");
      this.run = run;
      this.showFigures(run);
      this.showCurves(run);
      const generations = run.generations.toReversed();
      options(byId("training-generation"), generations.map((name) => [name, name]), generations[0]);
      await this.showGames();
    } catch (error) {
      this.page.report(error);
    }
  }

  showFigures(run) {
    byId("training-status").textContent = run.elo.length ? "" : "There is no report yet: `dvc repro` makes one.";
    const nets = run.elo.filter((row) => row.generation !== null);
    const champion = nets.find((row) => row.role === "champion");
    facts(byId("training-facts"), [
      ["Generations", run.generations.length || nets.length],
      ["Champion", champion ? `${champion.player}, ${signed(champion.elo)} Elo` : "–"],
      ["Gates passed", run.gates.filter((gate) => gate.accepted).length + ` of ${run.gates.length}`],
    ]);
    byId("training-mlflow").href = run.mlflow_url;
  }

  showCurves(run) {
    const nets = run.elo.filter((row) => row.generation !== null);
    const points = nets.map((row) => ({ x: row.generation, y: row.elo, low: row.low, high: row.high }));
    lineChart(byId("training-elo"), [{ name: "Elo", points }], { xLabel: "generation", yLabel: "Elo, 95% interval" });
    const names = LOSSES.filter((name) => run.losses.some((row) => row[name] !== null && row[name] !== undefined));
    const series = names.map((name) => ({
      name: name.replaceAll("_", " "),
      points: run.losses.flatMap((row) => (row[name] === null || row[name] === undefined ? [] : [{ x: row.total_step, y: row[name] }])),
    }));
    lineChart(byId("training-losses"), series, { xLabel: "step", yLabel: "loss" });
  }

  async showGames() {
    const host = byId("training-games");
    const generation = byId("training-generation").value;
    if (!generation) {
      host.replaceChildren(element("li", {}, "No records here yet."));
      return;
    }
    const { game, games } = await get(`/training/games/${generation}`);
    host.replaceChildren(
      ...games.map((item) =>
        element(
          "li",
          {},
          element("button", { onclick: () => this.replay(game, item, generation) }, element("span", {}, `Game ${item.game_id}`), element("span", {}, `${item.moves.length} plies, ${RESULTS[item.status]}`)),
        ),
      ),
    );
  }

  replay(game, item, generation) {
    this.page.analyse({ game, model: modelFor(game), moves: item.moves }, { ply: 0, title: `${generation}, game ${item.game_id}` });
  }
}
