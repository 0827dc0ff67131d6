"use strict";
// Numbers are worded as the rest of the report words them; names become text nodes, never markup.
const UNDEFINED = "–";

function number(value) {
  if (value === null || value === undefined) return UNDEFINED;
  if (value === "inf") return "∞";
  if (value === "-inf") return "-∞";
  const size = Math.abs(value);
  if (size > 0 && size < 0.0005) return scientific(value, 1);
  if (size < 100) return unsigned(fixed(value, 3));
  return size < 10000 ? unsigned(fixed(value, 1)) : general(value, 4);
}

// As toFixed, but an exact tie goes to the even digit, as everywhere else in the report.
function fixed(value, digits) {
  const doubled = Math.abs(value) * 2 * 10 ** digits;
  if (doubled % 2 !== 1 || doubled % 5 ** digits !== 0) return value.toFixed(digits);
  const lower = (doubled - 1) / 2;
  return (Math.sign(value) * (lower % 2 === 0 ? lower : lower + 1) / 10 ** digits).toFixed(digits);
}

function unsigned(text) {
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
}

function scientific(value, digits) {
  const [mantissa, power] = value.toExponential(digits).split("e");
  return `${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

// Only ever asked for numbers of at least 10,000, which are written with a power of ten.
function general(value, digits) {
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  const doubled = (2 * Math.abs(value)) / unit;
  if (doubled % 2 === 1) value = Math.sign(value) * unit * 2 * Math.round(doubled / 4); // an exact tie
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${mantissa.replace(/\.?0+$/, "")}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return UNDEFINED;
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return `${(1000 * seconds).toFixed(0)} ms`;
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${seconds.toFixed(0)} s`;
}

function finite(value) {
  return typeof value === "number";
}

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function svgElement(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function isolated(text) {
  return element("bdi", {}, text);
}

// The range of an axis: from 0 to 1 when all values lie there.
function range(values) {
  const numbers = values.filter(finite);
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity), high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!numbers.length || (low >= 0 && high <= 1)) return [0, 1];
  return high > low ? [low, high] : [low - 1, low + 1];
}

// From the lowest to the highest value, so that shades tell them apart wherever they lie.
function reach(values) {
  const numbers = values.filter(finite);
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity), high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  return high > low && high - low < Infinity ? [low, high] : range(values);
}

// About so many round numbers between two ends.
function roundTicks(low, high, most = 5) {
  const least = (high - low) / most, size = 10 ** Math.floor(Math.log10(least));
  const step = size * [1, 2, 5, 10].find((factor) => factor * size >= least * (1 - 1e-9));
  const ticks = [];
  for (let place = Math.ceil(low / step - 1e-9); place <= Math.floor(high / step + 1e-9); place += 1) ticks.push(Number((place * step).toPrecision(12)));
  return ticks;
}
