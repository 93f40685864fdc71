// Line charts with d3: values over plies, ratings over generations, losses over steps.

import { svg } from "./dom.js";

const d3 = window.d3;
const MOST_WIDTH = 640;
const MARGIN = { top: 10, right: 14, bottom: 30, left: 44 };
const COLOURS = ["var(--accent)", "var(--warm)", "#7a5bc7", "#3f7fbf", "#a08a2a", "#b04a86"];

// `series`: [{name, points: [{x, y, low?, high?}]}]. `extras(frame)` draws more: frame has plot, x, y.
export function lineChart(host, series, { height = 240, xLabel, yLabel, yDomain, onPick, extras }) {
  const points = series.flatMap((line) => line.points);
  if (!points.length) {
    host.replaceChildren("Nothing to show yet.");
    return;
  }
  const width = Math.min(Math.max(host.clientWidth, 260), MOST_WIDTH); // text keeps its size on a phone
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${yLabel} by ${xLabel}` });
  host.replaceChildren(root, ...(series.length > 1 ? [legend(series)] : []));
  const x = d3.scaleLinear(d3.extent(points, (point) => point.x), [MARGIN.left, width - MARGIN.right]);
  const lows = d3.min(points, (point) => Math.min(point.y, point.low ?? point.y));
  const highs = d3.max(points, (point) => Math.max(point.y, point.high ?? point.y));
  const y = d3.scaleLinear(yDomain ?? [lows, highs], [height - MARGIN.bottom, MARGIN.top]).nice();
  const plot = d3.select(root);
  axes(plot, x, y, { width, height, xLabel, yLabel });
  series.forEach((line, index) => drawLine(plot, line, COLOURS[index % COLOURS.length], x, y));
  if (onPick) pickable(plot, points, x, height, onPick);
  extras?.({ plot, x, y });
}

function axes(plot, x, y, { width, height, xLabel, yLabel }) {
  const whole = x.domain().every(Number.isInteger) && x.domain()[1] - x.domain()[0] < 12;
  const bottom = d3.axisBottom(x).ticks(whole ? x.domain()[1] - x.domain()[0] : 8, whole ? "d" : undefined);
  plot.append("g").attr("transform", `translate(0,${height - MARGIN.bottom})`).call(bottom);
  plot.append("g").attr("transform", `translate(${MARGIN.left},0)`).call(d3.axisLeft(y).ticks(5).tickSize(-width + MARGIN.left + MARGIN.right));
  plot.append("text").attr("x", width - MARGIN.right).attr("y", height - 2).attr("text-anchor", "end").text(xLabel);
  plot.append("text").attr("x", MARGIN.left + 4).attr("y", MARGIN.top + 8).text(yLabel);
}

function drawLine(plot, { points }, colour, x, y) {
  if (points.some((point) => point.low !== undefined)) {
    const band = points.filter((point) => point.low !== null && point.high !== null);
    const area = d3.area((point) => x(point.x), (point) => y(point.low), (point) => y(point.high));
    plot.append("path").datum(band).attr("d", area).attr("fill", colour).attr("opacity", 0.18).attr("class", "band");
  }
  const line = d3.line((point) => x(point.x), (point) => y(point.y));
  plot.append("path").datum(points).attr("d", line).attr("fill", "none").attr("stroke", colour).attr("stroke-width", 2).attr("class", "line");
  if (points.length <= 60)
    plot.append("g").selectAll("circle").data(points).join("circle").attr("cx", (point) => x(point.x)).attr("cy", (point) => y(point.y)).attr("r", 3).attr("fill", colour);
}

function pickable(plot, points, x, height, onPick) {
  plot
    .append("rect")
    .attr("x", MARGIN.left).attr("y", 0).attr("width", x.range()[1] - x.range()[0]).attr("height", height)
    .attr("fill", "transparent").style("cursor", "pointer")
    .on("click", (event) => {
      const at = x.invert(d3.pointer(event)[0]);
      onPick(d3.least(points, (point) => Math.abs(point.x - at)).x);
    });
}

function legend(series) {
  const host = document.createElement("p");
  series.forEach(({ name }, index) => {
    const mark = document.createElement("span");
    mark.style.color = COLOURS[index % COLOURS.length];
    mark.textContent = `● ${name}  `;
    host.append(mark);
  });
  host.style.fontSize = ".85rem";
  return host;
}

// The value of a game for Black after each ply, with mistakes as dots and the ply shown as a line.
export function valueGraph(host, values, mistakes, ply, onPick) {
  const points = values.flatMap((value, at) => (value === null ? [] : [{ x: at, y: value }]));
  lineChart(host, [{ name: "value", points }], {
    height: 170,
    xLabel: "ply",
    yLabel: "value for Black",
    yDomain: [-1, 1],
    onPick,
    extras: ({ plot, x, y }) => {
      plot.append("line").attr("x1", x(ply)).attr("x2", x(ply)).attr("y1", y(-1)).attr("y2", y(1)).attr("stroke", "var(--soft)").attr("stroke-dasharray", "3 3");
      const dots = mistakes.flatMap((loss, at) => (loss ? [{ x: at, y: values[at] }] : []));
      plot.append("g").attr("pointer-events", "none").selectAll("circle").data(dots).join("circle").attr("cx", (dot) => x(dot.x)).attr("cy", (dot) => y(dot.y)).attr("r", 6).attr("fill", "var(--warm)").attr("class", "mistake");
    },
  });
}
