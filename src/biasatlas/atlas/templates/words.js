"use strict";
// The words behind a score: opened by a click on its dot, by the list under its panel, or by the
// page's address (#words=WEAT6/europe/word2vec). All text is set as text, never as markup.
(() => {
  const PREFIX = "#words=";
  const panels = new Map();

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const write = (thousandths, digits, sign) => {
    if (thousandths === null) return "–";
    const text = Math.abs(thousandths / 1000).toFixed(digits);
    if (Number(text) === 0) return text;
    return (thousandths < 0 ? "−" : sign ? "+" : "") + text;
  };

  const table = (sets, places, score, title, right, left) => {
    const rows = [];
    for (const place of places) {
      sets[place].words.forEach((word, n) => {
        const value = score.values[place][n];
        if (value !== null) rows.push({ word, value, side: sets[place].side, change: score.influence[place][n] });
      });
    }
    rows.sort((one, other) => other.value - one.value);
    const most = Math.max(1, ...rows.map((row) => Math.abs(row.value)));
    const box = make("div", "word-set");
    const element = make("table");
    element.append(make("caption", "", title));
    const head = make("tr");
    head.append(make("th", "", "Word"), make("th", "bar-head", "← " + left + "  |  " + right + " →"), make("th", "number", "d changes without it"));
    for (const cell of head.children) cell.scope = "col";
    const body = make("tbody");
    for (const row of rows) {
      const line = make("tr", "side-" + row.side);
      const cell = make("td", "bar-cell");
      cell.title = write(row.value, 3, true);
      const bar = make("span", "bar");
      const width = (50 * Math.abs(row.value)) / most;
      bar.style.width = width + "%";
      bar.style.left = (row.value < 0 ? 50 - width : 50) + "%";
      cell.append(bar, make("span", "unseen", write(row.value, 3, true)));
      line.append(make("td", "word", row.word), cell, make("td", "number", write(row.change, 2, true)));
      body.append(line);
    }
    const top = make("thead");
    top.append(head);
    element.append(top, body);
    box.append(element);
    return box;
  };

  const lead = (sets, score) => {
    let first = null;
    sets.forEach((set, place) => set.words.forEach((word, n) => {
      const change = score.influence[place][n];
      if (change !== null && (!first || Math.abs(change) > Math.abs(first.change))) first = { word, change };
    }));
    if (!first || first.change === 0) return "";
    return " It hangs most on “" + first.word + "”: without this word d changes by " + write(first.change, 2, true) + ".";
  };

  const key = (sets, score) => {
    const list = make("ul", "side-key");
    sets.forEach((set, place) => {
      const found = score.values[place].filter((value) => value !== null).length;
      const item = make("li", "side-" + set.side);
      item.append(make("span", "swatch"), make("span", "", set.side.toUpperCase() + " = " + set.name + " (" + found + " of " + set.words.length + ")"));
      list.append(item);
    });
    return list;
  };

  const missing = (sets, score) => sets.map((set, place) => {
    const words = set.words.filter((_, n) => score.values[place][n] === null);
    return words.length ? set.side.toUpperCase() + ": " + words.join(", ") : "";
  }).filter((text) => text);

  const draw = (panel, score) => {
    const sets = panel.data.lists[score.list];
    const [x, y, a, b] = sets.map((set) => set.name);
    const body = panel.body;
    body.replaceChildren();
    const mean = score.seeds > 1 ? " (means over " + score.seeds + " seeds)" : "";
    const text = make("p", "words-lead", (panel.data.test ? panel.data.test + ", " : "") + score.label + ": d = " + write(Math.round(1000 * score.d), 2, false) + mean + "." + lead(sets, score));
    text.setAttribute("role", "status");
    body.append(text, key(sets, score));
    const both = make("div", "word-sets");
    both.append(
      table(sets, [0, 1], score, "Targets X and Y: with which attributes each goes", a, b),
      table(sets, [2, 3], score, "Attributes A and B: with which targets each goes", x, y),
    );
    body.append(both);
    const gone = missing(sets, score);
    if (gone.length) body.append(make("p", "words-missing", "Not scored here (no vector in this text, or dropped): " + gone.join("; ") + "."));
    body.hidden = false;
    panel.close.hidden = false;
    panel.select.value = score.key;
  };

  const close = (panel) => {
    panel.body.hidden = true;
    panel.body.replaceChildren();
    panel.close.hidden = true;
    panel.select.value = "";
  };

  const note = (name) => {
    const bare = location.pathname + location.search;
    try {
      history.replaceState(null, "", name ? PREFIX + encodeURIComponent(name).replaceAll("%2F", "/") : bare);
    } catch {
      // A page opened from a file may not be allowed to; then it only lacks an address.
    }
  };

  const open = (name, move) => {
    const found = panels.get(name);
    if (!found) return;
    draw(found.panel, found.score);
    if (move) found.panel.place.scrollIntoView({ block: move });
  };

  const build = (place, data) => {
    const panel = { place, data, select: make("select"), close: make("button", "", "Close"), body: make("div", "words-open") };
    const label = make("label", "words-pick", "Words behind a score");
    panel.select.append(new Option("choose one, or click a dot", ""));
    for (const score of data.scores) {
      panel.select.append(new Option(score.label + ": d " + write(Math.round(1000 * score.d), 2, false), score.key));
      panels.set(score.key, { panel, score });
    }
    label.append(panel.select);
    panel.close.type = "button";
    panel.close.hidden = true;
    panel.body.hidden = true;
    panel.select.addEventListener("change", () => {
      if (panel.select.value) open(panel.select.value, "");
      else close(panel);
      note(panel.select.value);
    });
    panel.close.addEventListener("click", () => {
      close(panel);
      note("");
      panel.select.focus();
    });
    const bar = make("div", "words-bar");
    bar.append(label, panel.close);
    place.append(bar, panel.body);
    place.hidden = false;
  };

  const follow = (move) => {
    if (!location.hash.startsWith(PREFIX)) return;
    let name = "";
    try {
      name = decodeURIComponent(location.hash.slice(PREFIX.length));
    } catch {
      return;
    }
    open(name, move);
  };

  for (const data of document.querySelectorAll("script.words-data")) {
    build(document.getElementById(data.dataset.for), JSON.parse(data.textContent));
  }
  document.addEventListener("atlas-words", (event) => {
    if (!panels.has(event.detail)) return;
    open(event.detail, "nearest");
    note(event.detail);
  });
  document.addEventListener("atlas-drawn", () => follow("center"));
  window.addEventListener("hashchange", () => follow("center"));
  follow("");
})();
