"use strict";
// Cards of topics: found by a search, opened by a click on a dot or by the page's address
// (#topic=europe/12). Nothing is written into the page but counts; cards are shown and hidden.
(() => {
  const PREFIX = "#topic=";
  const cards = new Map();
  const places = [...document.querySelectorAll(".topic-place")];
  const bar = document.querySelector(".topic-bar");

  // A chart in a closed fold has no width; it takes its width once the fold is opened.
  for (const fold of document.querySelectorAll("details.chart-fold")) {
    fold.addEventListener("toggle", () => { if (fold.open) window.dispatchEvent(new Event("resize")); });
  }
  if (!bar) return;

  const input = bar.querySelector("input");
  const choice = bar.querySelector("select");
  const count = bar.querySelector(".topic-count");
  // Upper and then lower case brings together what differs by case only, such as ß and SS.
  const fold = (text) => text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ");

  for (const element of document.querySelectorAll("details.topic")) {
    const texts = [...element.querySelectorAll("[data-find]")].map((part) => part.textContent);
    const is = new Set(element.dataset.is.split(" "));
    if (is.has("stable") && is.has("none")) is.delete("stable");
    cards.set(element.dataset.topic, { element, is, text: fold(texts.join("\n")) });
  }

  const filter = () => {
    const words = fold(input.value).split(/\s+/).filter((word) => word);
    const active = words.length > 0 || choice.value !== "";
    let hits = 0;
    for (const card of cards.values()) {
      const fits = words.every((word) => card.text.includes(word)) && (!choice.value || card.is.has(choice.value));
      card.element.hidden = !fits;
      hits += fits ? 1 : 0;
    }
    let regions = 0;
    for (const place of places) {
      const shown = (box) => box.querySelector("details.topic:not([hidden])") !== null;
      const any = shown(place);
      place.hidden = !any;
      regions += any ? 1 : 0;
      for (const rest of place.querySelectorAll(".topic-rest")) {
        rest.hidden = !shown(rest);
        rest.open = active && !rest.hidden;
      }
    }
    count.textContent = active
      ? hits + " of " + cards.size + " topics" + (hits ? " in " + regions + (regions === 1 ? " region" : " regions") : "")
      : cards.size + " topics";
  };

  const open = (name) => {
    const card = cards.get(name);
    if (!card) return false;
    if (card.element.hidden) {
      input.value = "";
      choice.value = "";
      filter();
    }
    const rest = card.element.closest(".topic-rest");
    if (rest) rest.open = true;
    card.element.open = true;
    card.element.scrollIntoView({ block: "center" });
    card.element.querySelector("summary").focus({ preventScroll: true });
    return true;
  };

  const note = (name) => {
    try {
      history.replaceState(null, "", PREFIX + encodeURIComponent(name).replaceAll("%2F", "/"));
    } catch {
      // A page opened from a file may not be allowed to; then it only lacks an address.
    }
  };

  const follow = () => {
    if (!location.hash.startsWith(PREFIX)) return;
    try {
      open(decodeURIComponent(location.hash.slice(PREFIX.length)));
    } catch {
      // An address that cannot be read opens nothing.
    }
  };

  input.addEventListener("input", filter);
  choice.addEventListener("change", filter);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = "";
      filter();
    } else if (event.key === "Enter") {
      const first = document.querySelector("details.topic:not([hidden]) > summary");
      if (first) first.focus();
    }
  });
  document.addEventListener("atlas-topic", (event) => { if (open(event.detail)) note(event.detail); });
  document.addEventListener("atlas-drawn", follow);
  window.addEventListener("hashchange", follow);
  bar.hidden = false;
  filter();
  follow();
})();
