// A league: the scores of its members against each other as a heat map, and their ratings.

import { headCell, html, tableOf, wide } from "./elements.js";
import { scoreText } from "./values.js";

const MOST_INTERVALS = 10; // with more members, the intervals are shown only for the cell under the pointer

/** The view of a league; see the server's league_view. The members `elsewhere` have their rating in another place of the screen. */
export function leagueView(league, elsewhere) {
  const { name, total, names, ratings } = league;
  const about = `${names.length} members, ${total.toLocaleString("en")} games.`;
  return html("article", { "data-league": name }, html("h3", {}, name), html("p", { class: "faint" }, about),
    ...(names.length ? [matrix(league, elsewhere)] : []),
    ...(ratings ? [] : [html("p", { class: "faint" }, "Games do not connect all members yet, so there are no ratings. othello-env league FOLDER --games N lets all members play.")]));
}

/** The text about the score of two members. */
function cellText({ names, scores, intervals95, games, fromMatches }, row, column) {
  const who = `${names[row]} against ${names[column]}`;
  if (scores[row][column] === null) return `${who}: no games`;
  const [low, high] = intervals95[row][column];
  const where = fromMatches[row][column] ? "matches" : "training";
  return `${who}: ${scoreText(scores[row][column])} in ${games[row][column].toLocaleString("en")} games of ${where} (95%: ${scoreText(low)} to ${scoreText(high)})`;
}

/** The heat map: green for a score above one half, orange for a score below it. */
function matrix(league, elsewhere) {
  const { names, scores, intervals95, ratings, anchor } = league;
  const cell = (row, column) => {
    const score = scores[row][column];
    if (row === column || score === null) return html("td", { class: "none" }, row === column ? "" : "–");
    const [low, high] = intervals95[row][column].map(end => scoreText(end, 2));
    const made = html("td", { title: cellText(league, row, column), "data-score": score }, scoreText(score, 2), ...(names.length <= MOST_INTERVALS ? [html("small", {}, `${low}–${high}`)] : []));
    made.style.background = `color-mix(in srgb, var(${score >= .5 ? "--accent" : "--second"}) ${Math.round(100 * Math.abs(score - .5))}%, transparent)`;
    return made;
  };
  const isShown = row => names[row] === anchor || !elsewhere.has(names[row]);
  const rated = row => ratings ? [html("td", {}, isShown(row) ? ratings[row].text : ""), html("td", {}, names[row] === anchor ? "fixed" : isShown(row) ? ratings[row].range : "")] : [];
  const head = ["member", ...names.map((_, i) => String(i + 1)), ...(ratings ? ["Elo", "95% interval"] : [])];
  const rows = names.map((name, row) => html("tr", {}, html("th", { scope: "row" }, `${row + 1} ${name}`), ...names.map((_, column) => cell(row, column)), ...rated(row)));
  return html("div", {}, wide("Payoffs", tableOf(head.map(text => headCell(text)), rows, { class: "payoffs" })),
    html("p", { class: "faint" }, "Each cell is the score of the member in the row against the member in the column."));
}
