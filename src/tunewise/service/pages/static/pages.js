(() => {
  "use strict";
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const tunewise = window.tunewise;

  /* Light or dark, as the machine says or as the switch was left. */
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = (button) => {
    button.setAttribute("aria-pressed", String(isDark()));
    button.querySelector("span").textContent = isDark() ? "Light" : "Dark";
  };
  every("[data-switch-theme]").forEach((button) => {
    label(button);
    dark.addEventListener("change", () => label(button));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      localStorage.setItem("tunewise-theme", root.dataset.theme);
      label(button);
      tunewise.redraw();
    });
  });

  /* What happened, for eyes and for screen readers. */
  const said = document.querySelector("#said");
  let quiet;
  const say = (text, bad = false) => {
    clearTimeout(quiet);
    said.textContent = text;
    said.className = bad ? "said bad" : "said";
    if (!bad) quiet = setTimeout(() => (said.className = "said gone"), 6000);
  };
  said.addEventListener("click", () => (said.className = "said gone"));

  /* The only way in which a page changes anything. */
  const call = async (method, path, body) => {
    const options = { method, headers: { accept: "application/json" } };
    if (body instanceof FormData) options.body = body;
    else if (body !== undefined) {
      options.headers["content-type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new Error("The service does not answer; nothing was changed.");
    }
    const text = await answer.text();
    let data = null;
    try {
      data = text ? JSON.parse(text) : null;
    } catch {
      data = null;
    }
    if (!answer.ok) throw new Error(data?.detail ?? `The service refused it (${answer.status}).`);
    return data;
  };

  /* Parts that show what changed are asked for again, each at most once a second. */
  const busy = new Map();
  const refresh = (part) => {
    const state = busy.get(part);
    if (state) {
      busy.set(part, "again");
      return;
    }
    busy.set(part, "wait");
    if (part.dataset.src) tunewise.draw(part);
    else htmx.trigger(part, "changed");
    setTimeout(() => {
      const again = busy.get(part) === "again";
      busy.delete(part);
      if (again && part.isConnected) refresh(part);
    }, 1000);
  };
  const rose = (topic) =>
    every("[data-topic]").filter((part) => part.dataset.topic === topic).forEach(refresh);

  /* Live: what the service says of each topic; a page that was asleep catches up when it wakes. */
  const seen = new Map();
  const missed = new Set();
  const heard = ({ topic, revision }) => {
    const before = seen.get(topic);
    seen.set(topic, revision);
    if (before === undefined || before === revision) return;
    if (document.hidden) missed.add(topic);
    else rose(topic);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    missed.forEach(rose);
    missed.clear();
  });
  const EVERY = 2000;
  const listen = () => {
    const topics = [...new Set(every("[data-topic]").map((part) => part.dataset.topic))];
    if (!topics.length) return;
    const asked = `topics=${encodeURIComponent(topics.map(encodeURIComponent).join(","))}`;
    const dot = document.querySelector("[data-live]");
    const tell = (live) => {
      dot.hidden = false;
      dot.classList.toggle("off", !live);
      dot.textContent = live ? "live" : "not live";
    };
    /* Where nothing can be listened to, the revisions are asked for. */
    const ask = async () => {
      if (!document.hidden) {
        const answer = await fetch(`/revisions?${asked}`).catch(() => null);
        tell(!!answer?.ok);
        if (answer?.ok) {
          const found = await answer.json();
          Object.entries(found).forEach(([topic, revision]) => heard({ topic, revision }));
        }
      }
      setTimeout(ask, EVERY);
    };
    const source = new EventSource(`/events?${asked}`);
    source.addEventListener("open", () => tell(true));
    source.addEventListener("change", (event) => heard(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      tell(false);
      if (source.readyState === EventSource.CLOSED) ask();
    });
    window.addEventListener("pagehide", () => source.close());
  };

  /* Forms and buttons that change something: data-call="POST /api/v1/…". */
  const values = (form) => {
    const found = {};
    for (const field of form.elements) {
      if (!field.name || field.disabled || (field.type === "radio" && !field.checked)) continue;
      let value = field.value;
      if (field.type === "checkbox") value = field.checked;
      else if (value === "" && form.dataset.nulls === undefined) continue;
      else if (value === "") value = null;
      else if (field.type === "number" || field.dataset.as === "number") {
        const read = Number(value);
        value = Number.isNaN(read) ? value : read; /* what is none is refused, and is not missing */
      }
      else if (field.dataset.as === "list") value = value.split(",").map((v) => v.trim());
      else if (field.dataset.as === "json") value = JSON.parse(value);
      const names = field.name.split(".");
      const last = names.pop();
      let place = found;
      for (const name of names) place = place[name] ??= {};
      place[last] = value;
    }
    return found;
  };
  const perform = async (source, button, body) => {
    const question = source.dataset.confirm;
    if (question && !window.confirm(question)) return;
    const [method, path] = source.dataset.call.split(" ");
    const wrong = source.querySelector("[data-error]"); /* where a form says what is wrong */
    if (wrong) wrong.textContent = "";
    if (button) button.disabled = true;
    try {
      const data = await call(method, path, body);
      source.dispatchEvent(new CustomEvent("called", { bubbles: true, detail: data }));
      if (source.dataset.said) say(source.dataset.said);
      if (source.dataset.shows && data) {
        const place = document.querySelector(source.dataset.shows);
        place.querySelector("[data-value]").textContent = data[source.dataset.field] ?? "";
        place.hidden = false;
      }
      if (source.matches("form") && source.dataset.keeps === undefined) source.reset();
      if (source.dataset.to !== undefined) window.location.assign(source.dataset.to || window.location);
      if (source.dataset.rises) rose(source.dataset.rises);
      if (source.dataset.renews) htmx.trigger(source.dataset.renews, "changed");
    } catch (error) {
      if (wrong) wrong.textContent = error.message;
      else say(error.message, true);
    } finally {
      if (button) button.disabled = false;
    }
  };

  /* A file that is made when it is asked for: data-download="POST /api/v1/…". */
  const download = async (button) => {
    const [method, path] = button.dataset.download.split(" ");
    button.disabled = true;
    try {
      const answer = await fetch(path, { method, headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.detail ?? `The service refused it (${answer.status}).`);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = button.dataset.file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    } catch (error) {
      say(error.message, true);
    } finally {
      button.disabled = false;
    }
  };

  /* Only one of our own pages may follow a sign-in. */
  const next = () => {
    const wanted = new URLSearchParams(window.location.search).get("next") ?? "/";
    return /^\/(?![/\\])/.test(wanted) ? wanted : "/";
  };

  /* Listened to at the document, so that parts which come later need no binding. */
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-call]");
    if (!form) return;
    event.preventDefault();
    if (form.dataset.to === "next") form.dataset.to = next();
    try {
      perform(form, event.submitter, values(form));
    } catch (error) {
      say(`This cannot be read: ${error.message}`, true);
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.call) {
      perform(button, button, button.dataset.body ? JSON.parse(button.dataset.body) : undefined);
    }
    if (button.dataset.download) download(button);
    if (button.dataset.opens) document.querySelector(button.dataset.opens).showModal();
    if (button.dataset.closes !== undefined) button.closest("dialog").close();
  });
  document.addEventListener("called", (event) => event.target.closest("dialog")?.close());

  /* So many boxes of a form may be ticked; its button says when they are enough. */
  const check = (form) => {
    const [least, most] = form.dataset.picks.split("-").map(Number);
    const boxes = every("input[type=checkbox]", form);
    const count = boxes.filter((box) => box.checked).length;
    every("[data-picked]", form).forEach((button) => (button.disabled = count < least));
    boxes.forEach((box) => (box.disabled = !box.checked && count >= most));
  };
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-picks]");
    if (form) check(form);
    if (event.target.matches("[data-shows-typed]")) {
      every("[autocomplete$=password]", event.target.form).forEach(
        (field) => (field.type = event.target.checked ? "text" : "password"));
    }
    if (event.target.matches("[data-auto]")) event.target.form.requestSubmit();
  });
  /* A table that goes on beyond its right edge fades there. */
  const fade = (boxes) => boxes.forEach((box) =>
    box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 4));
  const tables = () => fade(every(".list"));
  document.addEventListener("scroll", (event) => {
    if (event.target.matches?.(".list")) fade([event.target]);
  }, true);
  window.addEventListener("resize", tables);
  tables();
  const bind = (part) => {
    tunewise.bind(part);
    tables();
    every("form[data-picks]", part).forEach(check);
  };
  document.addEventListener("htmx:after:swap", () => bind(document));
  Object.assign(tunewise, { call, say, rose });
  every("form[data-picks]").forEach(check);

  /* What changed since the last visit in this browser; a reload within minutes is the same one. */
  if (document.querySelector("[data-since]")) {
    const now = Date.now() / 1000;
    const [seen, before] = JSON.parse(localStorage.getItem("tunewise-visits") ?? "[0, 0]");
    const since = now - seen > 600 ? seen : before;
    localStorage.setItem("tunewise-visits", JSON.stringify([now, since]));
    htmx.ajax("GET", `/changes?since=${since}`, { target: "#changes", swap: "innerHTML" });
  }
  listen();
})();
