(() => {
  "use strict";
  const { call, say, rose } = window.tunewise;
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const FILES = 200; /* of one request: servers stop at a thousand parts */
  const BYTES = 24 * 1024 * 1024;

  /* Files that were dropped, with those in folders, each with its path. */
  const within = async (entry, path) => {
    if (entry.isFile) {
      const file = await new Promise((done, fail) => entry.file(done, fail));
      return [{ file, path: path + file.name }];
    }
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return found;
      for (const each of some) found.push(...(await within(each, `${path}${entry.name}/`)));
    }
  };
  const dropped = async (transfer) => {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = [];
    for (const entry of entries) found.push(...(await within(entry, "")));
    return found;
  };
  const chosen = (input) =>
    [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  const visible = ({ path }) => !path.split("/").some((part) => part.startsWith("."));
  const depth = ({ path }) => path.split("/").length;
  /* One folder around folders is what was dropped, not a class. What lies loose in it goes first:
     alone in a batch it would be taken for all there is. */
  const relative = (files) => {
    const tops = new Set(files.map(({ path }) => path.split("/")[0]));
    if (tops.size > 1 || !files.some((each) => depth(each) > 2)) return files;
    return files
      .map(({ file, path }) => ({ file, path: path.split("/").slice(1).join("/") }))
      .sort((one, other) => (depth(one) > 1) - (depth(other) > 1));
  };
  const batches = (files) => {
    const made = [[]];
    let bytes = 0;
    for (const each of files) {
      const last = made[made.length - 1];
      if (last.length && (last.length >= FILES || bytes + each.file.size > BYTES)) {
        made.push([]);
        bytes = 0;
      }
      made[made.length - 1].push(each);
      bytes += each.file.size;
    }
    return made;
  };
  const form = (files, more = {}) => {
    const made = new FormData();
    files.forEach(({ file, path }) => made.append("files", file, path));
    Object.entries(more).forEach(([name, value]) => value && made.append(name, value));
    return made;
  };
  const onFiles = (box, act) => {
    const take = async (all) => {
      const files = all.filter(visible);
      if (files.length) await act(relative(files), files[0].path.split("/")[0]);
    };
    ["dragenter", "dragover"].forEach((name) =>
      box.addEventListener(name, (event) => {
        event.preventDefault();
        box.classList.add("over");
      }));
    ["dragleave", "drop"].forEach((name) =>
      box.addEventListener(name, () => box.classList.remove("over")));
    box.addEventListener("drop", async (event) => {
      event.preventDefault();
      take(await dropped(event.dataTransfer));
    });
    every("input[type=file]", box).forEach((input) => {
      input.addEventListener("click", () => (input.value = "")); /* the same may be chosen again */
      input.addEventListener("change", () => take(chosen(input)));
    });
  };
  const verdict = (place, text, good) => {
    place.textContent = text;
    place.className = `checked ${good ? "good" : "bad"}`;
  };
  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  const sentences = (notes) => notes.map((note) => note[0].toUpperCase() + note.slice(1));

  /* Examples go in batches, and the bar says how far. */
  const send = async (place, files, bar, label) => {
    const told = { added: 0, known: 0, refused: [], notes: new Set() };
    bar.hidden = false;
    bar.max = files.length;
    bar.value = 0;
    for (const batch of batches(files)) {
      const fed = await call("POST", place, form(batch, { label })).catch((error) => {
        const kept = bar.value ? ` ${plural(told.added, "example")} that came before are kept.` : "";
        throw Object.assign(new Error(error.message + kept), { added: told.added });
      });
      told.added += fed.added;
      told.known += fed.known;
      told.refused.push(...fed.refused);
      fed.notes.forEach((note) => told.notes.add(note));
      bar.value += batch.length;
    }
    bar.hidden = true;
    return told;
  };
  const SAID = 5;
  const summary = (told) => {
    const parts = [`${plural(told.added, "new example")}`];
    if (told.known) parts.push(`${told.known} known already`);
    const count = told.refused.length;
    if (count) parts.push(`${count} refused:`);
    const which = told.refused.slice(0, SAID).map(({ where, reason }) => `${where}: ${reason}`);
    if (count > SAID) which.push(`and ${count - SAID} more`);
    return [parts.join(", "), ...which, ...sentences([...told.notes])].join("\n");
  };
  /* What became of the files that a task was declared with is told on its page. */
  const FED = "tunewise-fed";
  every("[data-upload]").forEach((box) => {
    const card = box.closest("section");
    const place = card.querySelector("[data-uploaded]");
    const bar = card.querySelector("[data-bar]");
    const fed = JSON.parse(window.sessionStorage.getItem(FED) ?? "null");
    if (fed && fed.place === box.dataset.upload) {
      window.sessionStorage.removeItem(FED);
      verdict(place, fed.said, fed.good);
    }
    onFiles(box, async (files) => {
      verdict(place, `Sending ${plural(files.length, "file")} …`, true);
      try {
        const told = await send(box.dataset.upload, files, bar);
        verdict(place, summary(told), told.added > 0 || told.known > 0);
      } catch (error) {
        verdict(place, error.message, false);
      } finally {
        bar.hidden = true;
        document.querySelectorAll("[data-topic]").forEach((part) => rose(part.dataset.topic));
      }
    });
  });

  /* A new task: its program is checked as it is typed, or proposed from files. */
  const declare = document.querySelector("#declare");
  if (declare) {
    const program = declare.elements.program;
    const checked = document.querySelector("#checked");
    let waiting = [];
    let timer;
    let asked = 0;
    const check = async () => {
      const now = (asked += 1);
      if (!program.value.trim()) return verdict(checked, "", true);
      try {
        const told = await call("POST", "/api/v1/programs/check", { program: program.value });
        if (now !== asked) return;
        const [first, ...where] = told.sentence.split("\n");
        verdict(checked, first, told.ok);
        if (where.length) checked.append(Object.assign(document.createElement("pre"), { textContent: where.join("\n") }));
      } catch (error) {
        verdict(checked, error.message, false);
      }
    };
    program.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(check, 250);
    });
    every("[data-takes]").forEach((button) =>
      button.addEventListener("click", () => {
        program.value = button.dataset.takes;
        check();
        program.focus();
      }));
    const proposed = document.querySelector("#proposed");
    const column = document.querySelector("#propose-label");
    const bar = document.querySelector("#proposing");
    const table = (pairs) => {
      const rows = pairs.slice(0, 6).map(([given, answer]) => {
        const row = document.createElement("tr");
        [given, answer].forEach((text) => {
          const cell = document.createElement("td");
          cell.textContent = text;
          row.append(cell);
        });
        return row;
      });
      const made = document.createElement("table");
      made.append(...rows);
      const box = document.createElement("div");
      box.className = "list";
      box.append(made);
      return box;
    };
    /* So many of each folder are enough to propose from; all are fed later. */
    const some = (files) => {
      const seen = new Map();
      return files.filter(({ path }) => {
        const folder = path.split("/").slice(0, -1).join("/");
        seen.set(folder, (seen.get(folder) ?? 0) + 1);
        return seen.get(folder) <= 20;
      }).slice(0, 900);
    };
    let again = () => {};
    column.addEventListener("change", () => again());
    onFiles(document.querySelector("[data-propose]"), async (files, top) => {
      again = () => look(files, top);
      await again();
    });
    const look = async (files, top) => {
      waiting = files;
      verdict(proposed, `Looking at ${plural(files.length, "file")} …`, true);
      bar.hidden = false;
      try {
        const few = some(files);
        const body = form(few, { label: column.value });
        const told = await call("POST", "/api/v1/programs/propose", body);
        program.value = told.program;
        column.placeholder = told.answer || "by its name";
        const names = told.columns.map((name) => Object.assign(document.createElement("option"), { value: name }));
        document.querySelector("#columns").replaceChildren(...names);
        declare.elements.label.value = column.value;
        const fed = files.length === 1 ? "It is" : `All ${plural(files.length, "file")} are`;
        const from = few.length < files.length ? [`Proposed from ${few.length} of ${plural(files.length, "file")}`] : [];
        verdict(proposed, [...from, ...sentences(told.notes), `${fed} fed when you declare the task.`].join(". "), true);
        document.querySelector("#shown").replaceChildren(table(told.shown));
        check();
        const called = declare.elements.name;
        if (!called.value) called.value = top.replace(/\.[^.]+$/, "");
        called.focus();
        called.select();
      } catch (error) {
        waiting = [];
        verdict(proposed, error.message, false);
      } finally {
        bar.hidden = true;
      }
    };
    /* A new task without one of its files is no use to anybody: it is taken back. */
    const feed = async (name, label) => {
      const path = `/api/v1/tasks/${encodeURIComponent(name)}`;
      verdict(proposed, `Feeding ${plural(waiting.length, "file")} …`, true);
      let told = { place: `${path}/uploads`, good: false };
      try {
        const found = await send(told.place, waiting, bar, label);
        if (!found.added) throw new Error(summary(found));
        told = { ...told, said: summary(found), good: true };
      } catch (error) {
        if (!error.added) {
          await call("DELETE", path);
          verdict(proposed, "", true);
          throw error;
        }
        told.said = error.message;
      } finally {
        bar.hidden = true;
      }
      window.sessionStorage.setItem(FED, JSON.stringify(told));
    };
    declare.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = { name: declare.elements.name.value.trim(), program: program.value };
      const { label, weight, latency, quota, rates } = declare.elements;
      if (label.value) given.label = label.value;
      if (weight.value) given.weight = Number(weight.value);
      if (latency.value) given.latency = Number(latency.value);
      if (quota.value) given.quota = Number(quota.value);
      given.rates = rates.value;
      event.submitter.disabled = true;
      try {
        await call("POST", "/api/v1/tasks", given);
        if (waiting.length) await feed(given.name, given.label);
        window.location.assign(`/tasks/${encodeURIComponent(given.name)}`);
      } catch (error) {
        verdict(checked, error.message, false);
        event.submitter.disabled = false;
      }
    });
  }

  /* The try-it box. */
  const given = (form) => {
    const { kind } = form.dataset;
    if (kind === "image") {
      const body = new FormData();
      body.append("file", form.elements.file.files[0]);
      return body;
    }
    if (kind === "text") return { input: form.elements.text.value };
    if (kind === "json") return { input: JSON.parse(form.elements.json.value) };
    /* What is typed goes as it is: the service reads it as it reads a file. */
    const row = {};
    for (const field of form.elements) {
      if (field.name) row[field.name] = field.value.trim() === "" ? null : field.value;
    }
    return { input: row };
  };
  /* What is wrong with one column is said beside its field. */
  const beside = (form, message) => {
    every("[data-wrong]", form).forEach((old) => old.remove());
    every("[aria-invalid]", form).forEach((field) => field.removeAttribute("aria-invalid"));
    for (const field of form.elements) {
      const called = [`column '${field.name}': `, `column "${field.name}": `];
      const found = field.name && called.find((words) => message.includes(words));
      if (!found) continue;
      const said = document.createElement("small");
      said.dataset.wrong = "";
      said.setAttribute("role", "alert");
      said.textContent = message.slice(message.indexOf(found) + found.length);
      field.after(said);
      field.setAttribute("aria-invalid", "true");
      field.focus();
      return true;
    }
    return false;
  };
  const NS = "http://www.w3.org/2000/svg";
  const level = (share) => {
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("class", "level");
    svg.setAttribute("viewBox", "0 0 100 10");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const bar = document.createElementNS(NS, "rect");
    bar.setAttribute("width", String(100 * share));
    bar.setAttribute("height", "10");
    svg.append(bar);
    return svg;
  };
  const scores = (found) => {
    const box = document.createElement("div");
    box.className = "bars";
    const ranked = Object.entries(found).sort((a, b) => b[1] - a[1]).slice(0, 6);
    for (const [name, share] of ranked) {
      const line = document.createElement("div");
      const label = document.createElement("span");
      label.textContent = name;
      const said = document.createElement("span");
      said.className = "note";
      said.textContent = `${(100 * share).toFixed(1)} %`;
      line.append(label, level(share), said);
      box.append(line);
    }
    return box;
  };
  every("[data-try]").forEach((form) => {
    const place = form.parentElement.querySelector("[data-answer]");
    const ask = async () => {
      place.textContent = "…";
      beside(form, "");
      try {
        const told = await call("POST", form.dataset.try, given(form));
        const [answer] = told.answers;
        const value = document.createElement("b");
        const plain = typeof answer.value === "object" ? JSON.stringify(answer.value) : String(answer.value);
        value.textContent = plain.length > 400 ? `${plain.slice(0, 400)} …` : plain;
        const by = document.createElement("span");
        by.className = "note";
        by.textContent = ` by ${answer.model}`;
        place.replaceChildren(value, by);
        if (answer.scores) place.append(scores(answer.scores));
      } catch (error) {
        place.textContent = beside(form, error.message) ? "" : error.message;
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask();
    });
    const box = form.querySelector("[data-try-drop]");
    if (box) {
      const input = box.querySelector("input");
      box.addEventListener("dragover", (event) => event.preventDefault());
      box.addEventListener("drop", (event) => {
        event.preventDefault();
        input.files = event.dataTransfer.files;
        ask();
      });
      input.addEventListener("change", () => input.files.length && ask());
    }
  });

  /* Examples are turned on and off where they are seen. */
  document.addEventListener("change", async (event) => {
    const box = event.target.closest("[data-switches]");
    if (!box) return;
    const { name, checked } = event.target;
    try {
      await call("PATCH", box.dataset.switches, checked ? { on: [name] } : { off: [name] });
      event.target.closest(".thumb").classList.toggle("off", !checked);
      say(`${name} is ${checked ? "on" : "off"}.`);
    } catch (error) {
      event.target.checked = !checked;
      say(error.message, true);
    }
  });

  /* Suspected labels, one after the other, each with one key. */
  const KEYS = { k: "right", x: "wrong", r: "other", n: "later" };
  const begin = (box) => {
    const open = every("[data-suspect]", box);
    const total = open.length;
    let done = 0;
    const place = box.querySelector("[data-place]");
    const other = box.querySelector("[data-other]");
    /* Nothing is overwritten: it is fed with the other label, and then turned off. */
    const relabel = async (id) => {
      const { input } = await call("GET", `${box.dataset.suspects}/${id}`);
      const fed = await call("POST", box.dataset.suspects, { pairs: [{ input, output: other.value }] });
      if (fed.refused.length) throw new Error(fed.refused[0].reason);
    };
    const show = () => {
      every("[data-suspect]", box).forEach((each) => (each.hidden = each !== open[0]));
      place.textContent = open.length
        ? `${open.length} left, ${done} of ${total} decided`
        : `All ${total} are looked at.`;
      every("[data-verdict]", box).forEach((button) => (button.disabled = !open.length));
    };
    const decide = async (what) => {
      const now = open[0];
      if (!now) return;
      const id = now.dataset.suspect;
      if (what === "later") open.push(open.shift());
      else {
        try {
          if (what === "other") await relabel(id);
          const said = what === "right" ? { right: [id] } : { off: [id] };
          await call("PATCH", box.dataset.suspects, said);
        } catch (error) {
          say(error.message, true);
          return;
        }
        open.shift();
        done += 1;
        const said = { wrong: `${id} is off.`, right: `${id} is right.` };
        say(said[what] ?? `${id} is off, and is fed again as ${other.value}.`);
      }
      show();
    };
    every("[data-verdict]", box).forEach((button) =>
      button.addEventListener("click", () => decide(button.dataset.verdict)));
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, textarea, select");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      if (box.querySelector(`[data-verdict=${KEYS[event.key]}]`)) decide(KEYS[event.key]);
    });
    show();
  };
  document.addEventListener("htmx:after:swap", () =>
    every("[data-suspects]:not([data-begun])").forEach((box) => {
      box.dataset.begun = "";
      begin(box);
    }));
})();
