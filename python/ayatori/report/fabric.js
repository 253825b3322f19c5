// Shows the loads of a step over the picture of a fabric, tips, and what is searched for; zooms. One explorer a fabric.
"use strict";
{
  const MAX_BUNDLES = 3000;  // loaded bundles that are drawn, the heaviest
  const MAX_BADGES = 60;     // numbers on hot bundles
  const MAX_LINES = 6;       // cables that a tip lists
  const HEAVY = 4;           // the last class of loads

  const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const shown = (load) => String(Math.round(load * 10) / 10);
  const counted = (number, one) => `${shown(number)} ${one}${number === 1 ? "" : "s"}`;
  const loadClass = (load) => Math.min(HEAVY, Math.ceil(load));

  class Explorer {
    constructor(root) {
      this.root = root;
      this.data = JSON.parse(document.getElementById(root.dataset.explore).textContent);
      this.pictures = [...root.querySelectorAll("svg.fabric")];
      this.view = { x: 0, y: 0, width: this.data.width, height: this.data.height };
      this.degraded = new Set(this.data.degraded);
      this.bundleOf = this.indexCables();
      this.hostsByName = new Map();
      this.data.hosts.forEach((name, i) => this.hostsByName.set(name, [...(this.hostsByName.get(name) || []), i]));
      this.loads = [];
      this.matches = [];
      this.listen();
      this.showStep(this.data.shown);
    }

    // Direction of a cable -> its bundle, and whether it goes along the bundle's points.
    indexCables() {
      const index = new Map();
      this.data.bundles.forEach(([, , cables], bundle) => {
        for (const cable of cables) {
          index.set(cable, [bundle, 0]);
          index.set(cable ^ 1, [bundle, 1]);
        }
      });
      return index;
    }

    // --- loads of a step ---------------------------------------------------------------------------------------------

    showStep(place) {
      const step = this.data.steps[place];
      if (!step) return;
      this.place = place;
      this.loads = step.slice(1).map((flat) => {
        const loads = new Map();
        for (let i = 0; i < flat.length; i += 2) loads.set(flat[i], flat[i + 1]);
        return loads;
      });
      this.drawLoads();
      const slider = this.root.querySelector("input[type=range]");
      if (slider) slider.value = place;
      const most = this.loads.map((loads) => counted(Math.max(0, ...loads.values()), "message"));
      const words = most.length > 1 ? `before ${most[0]}, after ${most[1]}` : most[0];
      const output = this.root.querySelector("output.step");
      if (output) output.textContent = `step ${step[0]}; on the most loaded cable: ${words}`;
      this.root.dataset.step = step[0];
    }

    drawLoads() {
      this.unit = Math.min(this.view.width / (this.pictures[0].clientWidth || this.view.width), 3);
      this.pictures.forEach((picture, side) => {
        picture.querySelector("g.loads").innerHTML =
          this.loads[side] ? this.hotElsewhere(side) + this.loadsAsMarkup(this.loads[side]) : "";
      });
    }

    // Marks below the loads of one side: where the other side has more than one message and this one has not.
    hotElsewhere(side) {
      const keys = new Set();
      for (const [direction, load] of this.loads[1 - side] || []) {
        const found = this.bundleOf.get(direction);
        if (found && load > 1 && (this.loads[side].get(direction) || 0) <= 1) keys.add(2 * found[0] + found[1]);
      }
      return [...keys].slice(0, MAX_BADGES).map((key) => {
        const { form, points } = this.route(key, 1);
        return `<path class="elsewhere" stroke-width="${(8 * this.unit).toFixed(1)}" d="${this.pathAlong(form, points)}"/>`;
      }).join("");
    }

    pathAlong(form, points) {
      const at = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
      return form === "curve" ? `M${at[0]}C${at.slice(1).join(" ")}` : at.map((point, i) => (i % 2 ? "L" : "M") + point).join("");
    }

    loadsAsMarkup(loads) {
      const heaviest = new Map();
      for (const [direction, load] of loads) {
        const found = this.bundleOf.get(direction);
        if (!found) continue;
        const key = 2 * found[0] + found[1];
        heaviest.set(key, Math.max(heaviest.get(key) || 0, load));
      }
      const drawn = [...heaviest].sort((a, b) => a[1] - b[1] || a[0] - b[0]).slice(-MAX_BUNDLES);
      const hot = drawn.filter(([, load]) => load > 1).slice(-MAX_BADGES);
      return drawn.map(([key, load]) => this.bundleAsMarkup(key, load)).join("") +
             hot.map(([key, load]) => this.badgeAsMarkup(key, load)).join("");
    }

    widthOf(load) {
      const thin = this.data.width < 1000 ? 1.8 : 1;
      return (load > 1 ? Math.min(thin + 1.5 * (load - 1), 8) : thin) * this.unit;
    }

    // The bundle's points in the direction of travel, a little to one side of its middle.
    route(key, load) {
      const [form, own] = this.data.bundles[key >> 1];
      const last = form === "ends" ? [own[4], own[5]] : own.slice(-2);
      const backwards = key & 1;
      const length = Math.hypot(last[0] - own[0], last[1] - own[1]) || 1;
      const aside = (this.widthOf(load) / 2 + 0.4 * this.unit) * (backwards ? 1 : -1);
      const dx = -(last[1] - own[1]) / length * aside, dy = (last[0] - own[0]) / length * aside;
      const points = [];
      for (let i = 0; i < own.length; i += 2) points.push([own[i] + dx, own[i + 1] + dy]);
      // Stubs: away from the first end, then towards the second.
      if (form === "ends") {
        const [a, b, c, d] = points;
        return { form, points: backwards ? [c, d, b, a] : [a, b, d, c] };
      }
      return { form, points: backwards ? points.reverse() : points };
    }

    bundleAsMarkup(key, load) {
      const { form, points } = this.route(key, load);
      const width = this.widthOf(load);
      const path = this.pathAlong(form, points);
      return `<g class="load${loadClass(load)}" data-bundle="${key}"><path class="line" stroke-width="${width.toFixed(2)}" ` +
        `d="${path}"/><path class="head" d="${this.headAt(points.at(-2), points.at(-1), width)}"/>` +
        `<path class="reach" stroke-width="${(7 * this.unit).toFixed(1)}" d="${path}"/></g>`;
    }

    headAt([x1, y1], [x2, y2], width) {
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const size = Math.min(3.2 * this.unit + width, length / 2);
      const ux = (x2 - x1) / length, uy = (y2 - y1) / length;
      const x = x2 - ux * 2, y = y2 - uy * 2;
      const bx = x - ux * size * 1.5, by = y - uy * size * 1.5, wing = size * 0.55;
      const corners = [[x, y], [bx - uy * wing, by + ux * wing], [bx + uy * wing, by - ux * wing]];
      return `M${corners.map((corner) => corner.map((v) => v.toFixed(1)).join(" ")).join("L")}Z`;
    }

    badgeAsMarkup(key, load) {
      const { points } = this.route(key, load);
      const [[x1, y1], [x2, y2]] = points.slice(-2);
      const x = (x1 + (x2 - x1) * 0.8).toFixed(1), y = y1 + (y2 - y1) * 0.8, size = 11 * this.unit;
      return `<g class="badge load${loadClass(load)}"><circle cx="${x}" cy="${y.toFixed(1)}" r="${(0.7 * size).toFixed(1)}"/>` +
        `<text x="${x}" y="${(y + 0.34 * size).toFixed(1)}" style="font-size:${size.toFixed(1)}px">${shown(load)}</text></g>`;
    }

    // --- tips --------------------------------------------------------------------------------------------------------

    bundleTip(key, side) {
      const [, , cables] = this.data.bundles[key >> 1];
      const directions = cables.map((cable) => cable ^ (key & 1));
      const ends = directions.map((direction) => this.endsOf(direction));
      const loads = directions.map((direction) => this.loads[side].get(direction) || 0);
      const one = ends.every(([a, , b]) => a === ends[0][0] && b === ends[0][2]);
      if (!one) {
        return `${directions.length} cables; on the most loaded one ${counted(Math.max(...loads), "message")}`;
      }
      const lines = ends.map(([, from, , to, link], i) => {
        const notes = [this.data.rates[this.data.links[link][4]], this.degraded.has(link) ? "degraded" : ""].filter(Boolean);
        const carries = loads[i] ? counted(loads[i], "message") : "no message";
        return `port ${from} → port ${to}${notes.length ? ` (${notes.join(", ")})` : ""}: ${carries}`;
      });
      const rest = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more cables`] : [];
      return [`${this.data.routers[ends[0][0]]} → ${this.data.routers[ends[0][2]]}`,
              ...lines.slice(0, MAX_LINES), ...rest].join("\n");
    }

    endsOf(direction) {
      const link = direction >> 1;
      const [a, aPort, b, bPort] = this.data.links[link];
      return direction & 1 ? [b, bPort, a, aPort, link] : [a, aPort, b, bPort, link];
    }

    hostTip(host) {
      const [router, port, rail] = this.data.at[host];
      const lines = [this.data.hosts[host], `${this.data.routers[router]} port ${port}, rail ${rail}`];
      if (host in this.data.ranks) lines.push(`rank ${this.data.ranks[host]} of the job`);
      else if (this.data.mine.includes(host)) lines.push("on a machine of the job");
      return lines.join("\n");
    }

    // The host whose dot is under the pointer, if any.
    hostAt(picture, event) {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
      let best = -1, near = Math.max(1.3 * this.data.dot, 3 * this.unit);
      this.data.dots.forEach((dot, i) => {
        if (!dot) return;
        const distance = Math.hypot(dot[0] - place.x, dot[1] - place.y);
        if (distance < near) [best, near] = [i, distance];
      });
      return best;
    }

    tip(event) {
      const picture = event.target.closest("svg.fabric");
      const bundle = event.target.closest("[data-bundle]");
      if (bundle) return this.bundleTip(Number(bundle.dataset.bundle), this.pictures.indexOf(picture));
      const host = this.hostAt(picture, event);
      return host < 0 ? "" : this.hostTip(host);
    }

    // --- search ------------------------------------------------------------------------------------------------------

    // Hosts, then routers: those of this name, those that begin with it, those that hold it.
    find(text) {
      const wanted = text.trim().toLowerCase();
      const rank = (name) => {
        const place = name.toLowerCase().indexOf(wanted);
        return place < 0 ? 3 : name.length === wanted.length ? 0 : place ? 2 : 1;
      };
      const names = [...[...this.hostsByName.keys()].map((name) => ({ name, host: true })),
                     ...this.data.routers.map((name, router) => ({ name, router }))];
      this.matches = wanted ? names.map((found) => ({ ...found, rank: rank(found.name) }))
        .filter((found) => found.rank < 3).sort((a, b) => a.rank - b.rank) : [];
      this.showMatch(0);
    }

    showMatch(place) {
      this.match = place;
      const found = this.matches[place];
      const output = this.root.querySelector("output.search");
      const text = this.root.querySelector("input[type=search]").value.trim();
      const spots = !found ? [] : found.host ? this.hostsByName.get(found.name).map((host) => this.spotOf(host))
        : [this.boxOf(found.router)];
      const more = this.matches.length > 1 ? ` (${place + 1} of ${this.matches.length}; Enter shows the next)` : "";
      output.textContent = found ? this.foundInWords(found) + more : text ? `nothing is called ${text}` : "";
      for (const picture of this.pictures) {
        picture.querySelector("g.found").innerHTML = spots.map(([x, y, width]) =>
          `<circle cx="${x}" cy="${y}" r="${Math.max(2.5 * this.data.dot, 0.6 * width)}"/>`).join("");
      }
      if (spots.length) this.zoomTo(spots);
      else if (!text) this.setView(0, 0, this.data.width);
    }

    spotOf(host) {
      const dot = this.data.dots[host];
      return dot ? [dot[0], dot[1], 0] : this.boxOf(this.data.at[host][0]);
    }

    // A router's own box, or the one that stands for it and others.
    boxOf(router) {
      return this.data.boxes[this.data.boxOf ? this.data.boxOf[router] : router];
    }

    foundInWords(found) {
      if (!found.host) return found.name;
      const hosts = this.hostsByName.get(found.name);
      const places = hosts.map((host) => this.hostTip(host).split("\n").slice(1).join(", "));
      const rest = places.length > MAX_LINES ? ` and ${places.length - MAX_LINES} more` : "";
      return `${found.name}: ${places.slice(0, MAX_LINES).join("; ")}${rest}`;
    }

    // --- zoom --------------------------------------------------------------------------------------------------------

    zoomTo(spots) {
      const xs = spots.map((spot) => spot[0]), ys = spots.map((spot) => spot[1]);
      const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      const ratio = this.data.width / this.data.height;
      const width = Math.min(this.data.width, Math.max(1.3 * (right - left), 1.3 * ratio * (bottom - top), this.data.width / 6));
      this.setView((left + right - width) / 2, (top + bottom - width / ratio) / 2, width);
    }

    zoomBy(factor, x = this.view.x + this.view.width / 2, y = this.view.y + this.view.height / 2) {
      const width = Math.min(this.data.width, Math.max(this.view.width * factor, this.data.width / 60));
      const scale = width / this.view.width;
      this.setView(x - (x - this.view.x) * scale, y - (y - this.view.y) * scale, width);
    }

    setView(x, y, width) {
      const height = width * this.data.height / this.data.width;
      this.view = { x: Math.min(Math.max(x, 0), this.data.width - width),
                    y: Math.min(Math.max(y, 0), this.data.height - height), width, height };
      for (const picture of this.pictures) {
        picture.setAttribute("viewBox", `${this.view.x} ${this.view.y} ${width} ${height}`);
        picture.style.touchAction = width < this.data.width ? "pan-y" : "";  // a finger moves what is zoomed
      }
      if (this.loads.length) this.drawLoads();
    }

    // --- what the reader does ----------------------------------------------------------------------------------------

    listen() {
      const on = (selector, event, act) => this.root.querySelector(selector)?.addEventListener(event, act);
      on("input[type=range]", "input", (event) => this.showStep(Number(event.target.value)));
      on("input[type=search]", "input", (event) => this.find(event.target.value));
      on("input[type=search]", "keydown", (event) => {
        if (event.key === "Enter" && this.matches.length) this.showMatch((this.match + 1) % this.matches.length);
      });
      on("[data-zoom=in]", "click", () => this.zoomBy(1 / 1.6));
      on("[data-zoom=out]", "click", () => this.zoomBy(1.6));
      on("[data-zoom=all]", "click", () => this.setView(0, 0, this.data.width));
      this.root.addEventListener("keydown", (event) => this.pressKey(event));
      for (const picture of this.pictures) this.drag(picture);
    }

    pressKey(event) {
      if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
      const part = this.view.width / 8;
      const acts = { "+": () => this.zoomBy(1 / 1.6), "-": () => this.zoomBy(1.6), 0: () => this.setView(0, 0, this.data.width),
                     "[": () => this.showStep(this.place - 1), "]": () => this.showStep(this.place + 1),
                     ArrowLeft: () => this.setView(this.view.x - part, this.view.y, this.view.width),
                     ArrowRight: () => this.setView(this.view.x + part, this.view.y, this.view.width),
                     ArrowUp: () => this.setView(this.view.x, this.view.y - part, this.view.width),
                     ArrowDown: () => this.setView(this.view.x, this.view.y + part, this.view.width) };
      if (!(event.key in acts)) return;
      acts[event.key]();
      event.preventDefault();
    }

    drag(picture) {
      let from = null;
      const perPixel = () => this.view.width / picture.clientWidth;
      picture.addEventListener("wheel", (event) => {
        if (!event.ctrlKey) return;
        const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
        this.zoomBy(event.deltaY < 0 ? 1 / 1.3 : 1.3, place.x, place.y);
        event.preventDefault();
      }, { passive: false });
      picture.addEventListener("pointerdown", (event) => { from = { ...this.view, left: event.clientX, top: event.clientY }; });
      picture.addEventListener("pointermove", (event) => {
        if (!from || !(event.buttons & 1) || from.width >= this.data.width) return;
        this.setView(from.x - (event.clientX - from.left) * perPixel(), from.y - (event.clientY - from.top) * perPixel(), from.width);
      });
      picture.addEventListener("pointerup", () => { from = null; });
    }
  }

  globalThis.FabricExplorer = Explorer;
  for (const root of document.querySelectorAll("[data-explore]:not([data-jobs])")) root.explorer = new Explorer(root);
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.tagName === "INPUT") return;
    const search = document.querySelector("[data-explore] input[type=search]");
    if (!search) return;
    search.focus();
    event.preventDefault();
  });
}
