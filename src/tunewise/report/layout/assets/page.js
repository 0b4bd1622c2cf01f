(() => {
  "use strict";
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  /* A page may have a switch, which then decides. */
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : dark.matches;
  };
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const hovers = window.matchMedia("(hover: hover)").matches;
  const darkSides = JSON.parse(document.querySelector("script[data-dark]").textContent);

  /* Charts are drawn in light colours; only colours change sides, never what users wrote. */
  const recoloured = (value, isColour) => {
    if (typeof value === "string") return isColour ? (darkSides[value] ?? value) : value;
    if (Array.isArray(value)) return value.map((item) => recoloured(item, isColour));
    if (value === null || typeof value !== "object") return value;
    const pairs = Object.entries(value);
    return Object.fromEntries(pairs.map(([k, v]) => [k, recoloured(v, /color(scale)?$/.test(k))]));
  };

  const settings = {
    responsive: true,
    displaylogo: false,
    displayModeBar: hovers ? "hover" : false,
    /* Named one by one: by default there are buttons that would send the data elsewhere. */
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  };
  const drawn = new Set();
  /* By fragment: what shows a trial in its table, where it has one. */
  const finders = new WeakMap();
  const around = (part) => part.closest(".fragment") ?? document.body;
  const find = (box, number) => finders.get(around(box))?.(number);

  /* The charts' library is a file beside the page: who moves one must move both. */
  const lacking = () => {
    const named = document.querySelector("script[src]");
    const file = named ? named.getAttribute("src") : "plotly";
    every(".plot").forEach((box) => {
      box.textContent = `This chart needs the file ${file} beside the page.`;
      box.classList.add("empty");
    });
  };

  const show = (box, given) => {
    const first = !box.classList.contains("js-plotly-plot");
    const chart = isDark() ? recoloured(given, false) : given;
    /* A finger that scrolls the page must not zoom the chart. */
    if (touch) chart.layout.dragmode = false;
    const across = chart.layout.xaxis;
    if (box.clientWidth < 440 && across?.type === "log") across.nticks = Math.min(3, across.nticks);
    if (first) box.textContent = "";
    Plotly.react(box, chart.data, chart.layout, settings);
    if (first) box.on("plotly_click", (event) => find(box, event.points[0].customdata));
  };

  const excuse = (box, text) => {
    if (box.classList.contains("js-plotly-plot")) return;
    box.textContent = text;
    box.classList.add("empty");
  };

  const fetched = async (box) => {
    const answer = await fetch(box.dataset.src).catch(() => null);
    if (!answer?.ok) return excuse(box, "This chart cannot be shown now.");
    const chart = await answer.json();
    if (!box.isConnected) return;
    if (!chart.data) return excuse(box, chart.empty);
    box.classList.remove("empty");
    show(box, chart);
  };

  /* A chart's data stand behind its place, or at an address of their own. */
  const draw = (box) => {
    drawn.add(box);
    if (box.dataset.src) fetched(box);
    else show(box, JSON.parse(box.nextElementSibling.textContent));
  };

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting || drawn.has(entry.target)) continue;
        watcher.unobserve(entry.target);
        draw(entry.target);
      }
    },
    { rootMargin: "400px" },
  );
  const redraw = () => drawn.forEach((box) => (box.isConnected ? draw(box) : drawn.delete(box)));
  dark.addEventListener("change", redraw);

  /* What is in view comes first; the rest follows one by one, so that the page never stalls. */
  const waiting = () =>
    every(".plot").filter((box) => window.Plotly && box.offsetParent && !drawn.has(box));
  const drawNext = () => {
    const [box] = waiting();
    if (!box) return;
    draw(box);
    setTimeout(drawNext, 30);
  };
  window.addEventListener("load", () => setTimeout(drawNext, 200));
  window.addEventListener("beforeprint", () => waiting().forEach(draw));

  const bindTabs = (tabs) => {
    const buttons = every(":scope > [role=tablist] > [role=tab]", tabs);
    const panels = every(":scope > [role=tabpanel]", tabs);
    const choose = (chosen) =>
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(button === chosen));
        panels[i].hidden = button !== chosen;
      });
    buttons.forEach((button) => button.addEventListener("click", () => choose(button)));
  };

  const bindCopy = (button) =>
    button.addEventListener("click", async () => {
      const told = button.textContent;
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = "Copied";
      } catch {
        window.prompt("Copy the config:", button.dataset.copy);
      }
      setTimeout(() => (button.textContent = told), 1500);
    });

  const bindTable = (table) => {
    const part = table.closest("section");
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const filter = part.querySelector("[type=search]");
    const shown = part.querySelector("[role=status]");
    let state = "";

    const apply = () => {
      const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const row of rows) {
        const fits = (!state || row.dataset.state === state)
          && wanted.every((word) => words.get(row).includes(word));
        row.hidden = !fits;
        count += fits;
      }
      shown.textContent = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
    };
    filter.addEventListener("input", apply);
    const toggles = every("[data-state][aria-pressed]", part);
    const show = (wanted) => {
      state = wanted;
      toggles.forEach((t) => t.setAttribute("aria-pressed", String(t.dataset.state === state)));
      apply();
    };
    toggles.forEach((toggle) => toggle.addEventListener("click", () => show(toggle.dataset.state)));

    /* Numbers by size, words by alphabet, and what is missing last in both directions. */
    const keyOf = (cell) => {
      if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
      const text = cell.textContent.trim();
      return text === "" || text === "–" ? null : text;
    };
    const compare = (a, b) =>
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), "en", { numeric: true });
    const heads = every("thead th", table);
    heads.forEach((head, column) => {
      if (rows.some((row) => row.cells[column].classList.contains("n"))) head.classList.add("n");
      head.firstChild.addEventListener("click", () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        const keyed = rows.map((row) => [keyOf(row.cells[column]), row]);
        keyed.sort(([a], [b]) =>
          a === null || b === null ? (a === null) - (b === null) : (rising ? 1 : -1) * compare(a, b));
        body.append(...keyed.map(([, row]) => row));
      });
    });

    finders.set(around(table), (number) => {
      const row = rows.find((r) => r.dataset.number === String(number));
      if (!row) return;
      filter.value = "";
      show("");
      rows.forEach((r) => r.classList.toggle("found", r === row));
      row.scrollIntoView({ block: "center", behavior: "smooth" });
    });
  };

  /* Brings a part of a page to life, once; a part that comes later is bound when it is there. */
  const bound = new WeakSet();
  const fresh = (selector, root) =>
    every(selector, root).filter((part) => !bound.has(part) && bound.add(part));
  const bind = (root) => {
    if (window.Plotly) fresh(".plot", root).forEach((box) => watcher.observe(box));
    else lacking();
    fresh(".tabs", root).forEach(bindTabs);
    fresh("[data-copy]", root).forEach(bindCopy);
    fresh("table.sortable", root).forEach(bindTable);
  };
  window.tunewise = { bind, draw: (box) => drawn.has(box) && draw(box), redraw };
  bind(document);
})();
