"use strict";
(async () => {
  const refuse = async () => { throw new Error("this page loads nothing"); };
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
  for (const data of document.querySelectorAll("script.chart-data")) {
    const place = document.getElementById(data.dataset.for);
    try {
      await vegaEmbed(place, JSON.parse(data.textContent), {
        actions: false, renderer: "svg", ast: true, hover: false, loader: loader, logLevel: 1,
      });
    } catch (error) {
      place.textContent = "This chart could not be drawn (" + error.message + "); its numbers are in the table below.";
      place.classList.add("failed");
    }
  }
  document.documentElement.dataset.drawn = "yes";
})();
