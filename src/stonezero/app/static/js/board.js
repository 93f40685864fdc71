// A board as SVG. It shows a state of the service and reports clicks; it knows no rules.

import { signed, svg } from "./dom.js";

const CELL = 40;
const EDGE = 26;
const STAR_SIZES = { 9: [2, 4, 6], 13: [3, 6, 9], 15: [3, 7, 11], 19: [3, 9, 15] };
const SIDES = { 1: "black", 2: "white" };

export class BoardView {
  constructor(host, onMove = null) {
    this.host = host;
    this.onMove = onMove;
    this.cursor = null;
    this.state = null;
    this.overlay = {};
  }

  // `overlay`: heat {layer, grid}, marks [{index, text}] (candidates or move numbers).
  show(state, overlay = {}) {
    if (this.state?.game.size !== state.game.size) this.cursor = null;
    this.state = state;
    this.overlay = overlay;
    this.draw();
  }

  draw() {
    const { game } = this.state;
    const hadFocus = this.host.contains(document.activeElement);
    const side = game.size * CELL + 2 * EDGE;
    const root = svg(
      "svg",
      {
        viewBox: `0 0 ${side} ${side}`,
        role: "application",
        "aria-label": `${game.name} board ${game.size} by ${game.size}; arrow keys move, Enter plays`,
        tabindex: this.onMove ? 0 : null,
        onkeydown: (event) => this.key(event),
      },
      svg("rect", { width: side, height: side, fill: `var(--${this.isGomoku ? "wood" : "felt"})` }),
      ...this.grid(),
      ...this.coordinates(),
      ...this.heat(),
      ...this.points(),
      ...this.marks(),
      this.cursorMark(),
    );
    this.host.replaceChildren(root);
    if (hadFocus && this.onMove) root.focus();
  }

  get isGomoku() {
    return this.state.game.name === "gomoku";
  }

  middle(index) {
    const { size } = this.state.game;
    return [EDGE + ((index % size) + 0.5) * CELL, EDGE + (Math.floor(index / size) + 0.5) * CELL];
  }

  grid() {
    const { size } = this.state.game;
    const colour = `var(--${this.isGomoku ? "wood" : "felt"}-line)`;
    const inset = this.isGomoku ? 0.5 : 0;
    const lines = [];
    for (let i = 0; i <= size - 2 * inset; i++) {
      const at = EDGE + (i + inset) * CELL;
      const [from, to] = [EDGE + inset * CELL, EDGE + (size - inset) * CELL];
      lines.push(svg("line", { x1: at, x2: at, y1: from, y2: to, stroke: colour, "stroke-width": 1.2 }));
      lines.push(svg("line", { y1: at, y2: at, x1: from, x2: to, stroke: colour, "stroke-width": 1.2 }));
    }
    const stars = this.isGomoku ? STAR_SIZES[size] || [] : [];
    for (const y of stars)
      for (const x of stars) {
        const [cx, cy] = this.middle(y * size + x);
        lines.push(svg("circle", { cx, cy, r: 3.5, fill: colour }));
      }
    return lines;
  }

  coordinates() {
    const { size } = this.state.game;
    const fill = this.isGomoku ? "#4a3414" : "#e6f2ea";
    const text = (x, y, label) =>
      svg("text", { x, y, fill, "font-size": 13, "text-anchor": "middle", "dominant-baseline": "central" }, label);
    const labels = [];
    for (let i = 0; i < size; i++) {
      const at = EDGE + (i + 0.5) * CELL;
      labels.push(text(at, this.isGomoku ? EDGE * 1.5 + size * CELL : EDGE / 2, String.fromCharCode(97 + i)));
      labels.push(text(EDGE / 2, at, String(this.isGomoku ? size - i : i + 1)));
    }
    return labels;
  }

  heat() {
    const { heat } = this.overlay;
    if (!heat) return [];
    const most = Math.max(...heat.grid.flat().map((value) => Math.abs(value ?? 0)), 1e-9);
    return heat.grid.flat().flatMap((value, index) => {
      if (value === null || (heat.layer !== "q" && value <= 0)) return [];
      const [cx, cy] = this.middle(index);
      const strength = heat.layer === "q" ? Math.min(Math.abs(value), 1) : Math.sqrt(value / most);
      const fill = heat.layer !== "q" ? "#c8321e" : value >= 0 ? "#1569c7" : "#c8321e";
      return [
        svg("rect", { x: cx - CELL / 2 + 1, y: cy - CELL / 2 + 1, width: CELL - 2, height: CELL - 2, rx: 6, fill,
          opacity: (0.08 + 0.72 * strength).toFixed(3), class: "heat" },
          svg("title", {}, heat.layer === "q" ? signed(value) : `${(100 * value).toFixed(1)}%`)),
      ];
    });
  }

  points() {
    const { board, legal, forbidden, winning_line: line, last_move: last, game } = this.state;
    const isLegal = new Set(legal);
    const isForbidden = new Set(forbidden);
    const hasWon = new Set(line);
    return board.flat().map((stone, index) => {
      const [cx, cy] = this.middle(index);
      const group = svg("g", { "data-index": index, onclick: () => this.play(index) });
      group.append(svg("rect", { x: cx - CELL / 2, y: cy - CELL / 2, width: CELL, height: CELL, fill: "transparent" }));
      if (stone) {
        group.append(svg("circle", { cx, cy, r: 17, fill: `var(--${SIDES[stone]})`, stroke: "#0006", class: `stone ${SIDES[stone]}` }));
        if (hasWon.has(index))
          group.append(svg("circle", { cx, cy, r: 14, fill: "none", stroke: "#e2452b", "stroke-width": 4, class: "won" }));
        if (last && last.index === index)
          group.append(svg("circle", { cx, cy, r: 5, fill: "#e2452b", class: "last" }));
      } else if (isForbidden.has(index)) {
        group.append(svg("path", { d: `M${cx - 7} ${cy - 7}l14 14m0-14l-14 14`, stroke: "#c8321e", "stroke-width": 3, class: "forbidden" },
          svg("title", {}, "forbidden: playing here loses")));
      } else if (game.name === "othello" && isLegal.has(index)) {
        group.append(svg("circle", { cx, cy, r: 5, fill: this.state.current_player === 1 ? "#0008" : "#fff9", class: "legal" }));
      }
      if (this.onMove && isLegal.has(index)) group.style.cursor = "pointer";
      return group;
    });
  }

  marks() {
    return (this.overlay.marks || []).map(({ index, text }) => {
      const [x, y] = this.middle(index);
      const stone = this.state.board.flat()[index];
      const ring = stone ? null : svg("circle", { cx: x, cy: y, r: 15, fill: "#fffd", stroke: "#1569c7", "stroke-width": 2 });
      const label = svg("text", { x, y, "font-size": 13, "font-weight": 650, "text-anchor": "middle",
        "dominant-baseline": "central", fill: stone === 1 ? "#fff" : "#1b1b1b" }, text);
      return svg("g", { "pointer-events": "none", class: "mark" }, ring, label);
    });
  }

  cursorMark() {
    if (this.cursor === null || !this.onMove) return null;
    const [x, y] = this.middle(this.cursor);
    return svg("rect", { x: x - 19, y: y - 19, width: 38, height: 38, rx: 5, fill: "none", stroke: "#1569c7",
      "stroke-width": 3, "pointer-events": "none" });
  }

  play(index) {
    if (this.onMove && this.state.legal.includes(index)) this.onMove(index);
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const { size } = this.state.game;
    if (event.key === "Enter" || event.key === " ") {
      if (this.cursor !== null) this.play(this.cursor);
    } else if (steps[event.key] && this.onMove) {
      const [dx, dy] = steps[event.key];
      const at = this.cursor ?? Math.floor(size / 2) * (size + 1);
      const inside = (value) => Math.min(Math.max(value, 0), size - 1);
      this.cursor = inside(Math.floor(at / size) + dy) * size + inside((at % size) + dx);
      this.draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// A small picture of a position: `points` row by row, each one of . X O.
export function thumbnail(points, game, width, mark = null) {
  const size = game.size;
  const cell = width / size;
  const isGomoku = game.name === "gomoku";
  const group = svg("g", {}, svg("rect", { width, height: width, rx: 3, fill: `var(--${isGomoku ? "wood" : "felt"})` }));
  [...points].forEach((point, index) => {
    const [cx, cy] = [((index % size) + 0.5) * cell, (Math.floor(index / size) + 0.5) * cell];
    if (point !== ".")
      group.append(svg("circle", { cx, cy, r: cell * 0.44, fill: `var(--${point === "X" ? "black" : "white"})` }));
    if (index === mark) group.append(svg("circle", { cx, cy, r: Math.max(cell * 0.2, 1), fill: "#e2452b" }));
  });
  return group;
}
