"use strict";
// Charts with lists to choose from: a choice puts other rows into the chart that is drawn already.
// All text is set as text, never as markup.
(() => {
  const records = (data, rows) => rows.map((row) => {
    const record = {};
    data.columns.forEach((name, place) => {
      let value = place < row.length ? row[place] : null;
      if (name in data.lookups) {
        record[name + "_at"] = value;
        value = value === null ? null : data.lookups[name][value];
      }
      record[name] = value;
    });
    return record;
  });

  const build = (island) => {
    const data = JSON.parse(island.textContent);
    const chart = document.getElementById(island.dataset.for);
    const bar = document.getElementById(island.dataset.for + "-choices");
    if (!chart.atlasView) return;
    const chosen = data.maps[0].at.slice();
    const status = document.createElement("p");
    status.className = "choices-status";
    status.setAttribute("role", "status");
    const selects = data.lists.map((list) => {
      const label = document.createElement("label");
      const select = document.createElement("select");
      label.append(document.createTextNode(list.label), select);
      bar.append(label);
      return select;
    });
    bar.append(status);

    // Each list offers what is there under the lists before it.
    const fits = (map, upto) => map.at.every((option, place) => place >= upto || option === chosen[place]);
    const fill = () => {
      selects.forEach((select, place) => {
        const there = new Set(data.maps.filter((map) => fits(map, place)).map((map) => map.at[place]));
        if (!there.has(chosen[place])) {
          chosen[place] = data.maps.find((map) => fits(map, place)).at[place];
        }
        select.replaceChildren();
        data.lists[place].options.forEach((text, option) => {
          if (there.has(option)) select.append(new Option(text, String(option)));
        });
        select.value = String(chosen[place]);
        select.disabled = there.size < 2;
      });
    };
    const show = async () => {
      const map = data.maps.find((one) => fits(one, chosen.length));
      const rows = map.rows === null ? [] : records(data, map.rows);
      chart.atlasView.data("cells", rows);
      await chart.atlasView.runAsync();
      const named = chosen.map((option, place) => data.lists[place].options[option]).join(", ");
      status.textContent = map.rows === null
        ? named + ": left out to keep the page small; it is in the table."
        : "Shown: " + named + " (" + rows.length + (rows.length === 1 ? " row)" : " rows)");
    };
    selects.forEach((select, place) => select.addEventListener("change", () => {
      chosen[place] = Number(select.value);
      fill();
      show();
    }));
    fill();
    bar.hidden = false;
  };

  document.addEventListener("atlas-drawn", () => {
    for (const island of document.querySelectorAll("script.choice-data")) build(island);
  });
})();
