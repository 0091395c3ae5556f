"use strict";
(async () => {
  const refuse = async () => { throw new Error("this page loads nothing"); };
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
  for (const data of document.querySelectorAll("script.chart-data")) {
    const place = document.getElementById(data.dataset.for);
    try {
      const drawn = await vegaEmbed(place, JSON.parse(data.textContent), {
        actions: false, renderer: "svg", ast: true, hover: false, loader: loader, logLevel: 1,
      });
      place.atlasView = drawn.view;
      drawn.view.addEventListener("click", (event, item) => {
        const datum = (item && item.datum) || {};
        if (datum.key) document.dispatchEvent(new CustomEvent("atlas-words", { detail: datum.key }));
        if (datum.card) document.dispatchEvent(new CustomEvent("atlas-topic", { detail: datum.card }));
      });
    } catch (error) {
      place.textContent = "This chart could not be drawn (" + error.message + "); its numbers are in the table below.";
      place.classList.add("failed");
    }
  }
  document.documentElement.dataset.drawn = "yes";
  document.dispatchEvent(new CustomEvent("atlas-drawn"));
})();
