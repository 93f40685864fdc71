// The choice of a game, board, rules and model, as a small form; and what the service offers.

import { get } from "./api.js";
import { element, options } from "./dom.js";

let offer = null;

// GET /models, once.
export async function offered() {
  offer ??= await get("/models");
  return offer;
}

export const SIMULATION_STEPS = [1, 10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400];

// Steps of strength that the service allows.
export const simulationSteps = () => SIMULATION_STEPS.filter((step) => step <= offer.max_simulations);

export function simulationOptions(select, chosen) {
  const steps = simulationSteps();
  options(select, steps.map((step) => [step, step]), steps.includes(chosen) ? chosen : steps.at(-1));
}

const DEFAULTS = { gomoku: { size: 15, k: 5 }, othello: { size: 8, k: 0 } };

export class Choices {
  constructor(host, onChange = () => {}) {
    this.host = host;
    this.onChange = onChange;
    const labelled = (text, node) => element("label", {}, text, node);
    this.model = element("select", { name: "model" });
    this.name = element("select", { name: "game" });
    this.size = element("select", { name: "size" });
    this.k = element("select", { name: "k" });
    this.rules = element("select", { name: "rules" });
    this.kLabel = labelled("In a row", this.k);
    this.rulesLabel = labelled("Rules", this.rules);
    host.append(labelled("Model", this.model), labelled("Game", this.name), labelled("Board", this.size), this.kLabel, this.rulesLabel);
    options(this.model, offer.models.map((model) => [model.name, describe(model)]), offer.models.find((model) => model.is_default).name);
    this.model.addEventListener("change", () => this.fitModel());
    this.name.addEventListener("change", () => this.fitGame());
    for (const select of [this.size, this.k, this.rules]) select.addEventListener("change", () => this.changed());
    this.fitModel();
  }

  // What requests say.
  get value() {
    const game = { name: this.name.value, size: Number(this.size.value), k: Number(this.k.value), rules: this.rules.value };
    return { game: game.name === "othello" ? { ...game, k: 0 } : game, model: this.model.value };
  }

  set(game, model = null) {
    if (model) this.model.value = model;
    this.fitModel(game);
  }

  fitModel(game = null) {
    const home = this.entry.game;
    options(this.name, (home ? [home.name] : Object.keys(offer.rules)).map((name) => [name, title(name)]), game?.name ?? home?.name);
    this.fitGame(game ?? home);
  }

  fitGame(game = null) {
    const { game: home, any_size: anySize } = this.entry;
    const name = this.name.value;
    const wanted = game?.name === name ? game : DEFAULTS[name];
    const sizes = home && !anySize ? [home.size] : offer.sizes[name];
    options(this.size, sizes.map((size) => [size, `${size} × ${size}`]), wanted.size);
    const ks = home ? [home.k] : [3, 4, 5, 6];
    options(this.k, ks.map((k) => [k, k]), wanted.k);
    options(this.rules, (home ? [home.rules] : offer.rules[name]).map((rules) => [rules, rules]), wanted.rules);
    this.kLabel.hidden = this.rulesLabel.hidden = name !== "gomoku";
    this.changed();
  }

  get entry() {
    return offer.models.find((model) => model.name === this.model.value);
  }

  changed() {
    this.onChange();
  }
}

// A model that plays this game, the default first.
export function modelFor(game) {
  const plays = ({ game: home, any_size: anySize }) =>
    !home || (home.name === game.name && home.k === game.k && home.rules === game.rules && (anySize || home.size === game.size));
  const able = offer.models.filter(plays);
  return (able.find((model) => model.is_default) ?? able[0]).name;
}

const title = (name) => name[0].toUpperCase() + name.slice(1);

function describe(model) {
  if (!model.game) return "rollouts (no net, any game)";
  return `${model.name} · ${model.game.name} ${model.game.size}×${model.game.size} · ${model.version}`;
}
