// Several jobs on the picture of a fabric: the cables of each in its colour, those that several use in red, the wider and
// darker the more often they meet.
"use strict";
for (const root of document.querySelectorAll("[data-jobs]")) {
  const MAX_LINES = 6;  // cables that a tip lists
  const MAX_BESIDE = 4;  // lines of jobs on one bundle
  const MANY = 1500;  // used cables beyond which lines are thin

  class JobsExplorer extends globalThis.FabricExplorer {
    constructor(root) {
      super(root);
      this.jobs = JSON.parse(document.getElementById(root.dataset.jobs).textContent);
      this.jobOf = new Map(this.jobs.hosts.flatMap((hosts, job) => hosts.map((host) => [host, job])));
      this.sharers = new Map(this.jobs.shared.map(([cable, names, conflict]) => [cable, [names, conflict]]));
      this.mostConflicts = Math.max(1e-9, ...this.jobs.shared.map(([, , conflict]) => conflict));
      for (const button of root.querySelectorAll("[data-job]")) {
        button.addEventListener("click", () => this.showJobs(button.dataset.job));
      }
      this.showJobs("all");
    }

    // All jobs, or the one of this number.
    showJobs(which) {
      this.which = which;
      const shown = (job) => which === "all" || Number(which) === job;
      this.users = new Map();
      this.jobs.cables.forEach((cables, job) => {
        if (shown(job)) for (const cable of cables) this.users.set(cable, [...(this.users.get(cable) || []), job]);
      });
      for (const button of this.root.querySelectorAll("[data-job]")) {
        button.setAttribute("aria-pressed", String(button.dataset.job === which));
      }
      for (const mark of this.root.querySelectorAll("[data-of]")) {
        mark.classList.toggle("off", !shown(Number(mark.dataset.of)));
      }
      this.root.querySelector(".shown").textContent = which === "all" ? "all jobs" : `${this.jobs.names[which]} alone`;
      this.root.dataset.step = which;
      this.loads = [this.users];
      this.drawLoads();
    }

    // How often jobs conflict on a cable, relative to the cable with most conflicts: 0 to 1, squared, so that few lines stand
    // out where all cables are shared.
    conflictOn(cable) { return ((this.sharers.get(cable)?.[1] || 0) / this.mostConflicts) ** 2; }

    loadsAsMarkup(users) {
      const bundles = new Map();
      for (const [cable, jobs] of users) {
        const found = this.bundleOf.get(cable);
        if (!found) continue;
        const key = 2 * found[0] + found[1];
        if (!bundles.has(key)) bundles.set(key, { jobs: new Set(), conflict: 0 });
        const bundle = bundles.get(key);
        jobs.forEach((job) => bundle.jobs.add(job));
        bundle.conflict = Math.max(bundle.conflict, this.conflictOn(cable));
      }
      const drawn = [...bundles].sort((a, b) => a[1].conflict - b[1].conflict || a[0] - b[0]);
      return drawn.map(([key, bundle]) => this.linesAsMarkup(key, bundle)).join("");
    }

    // Red where jobs meet, and if one of them is shown, its own line on it. Where nobody meets, a line for each job, side
    // by side: they use other cables of the bundle.
    linesAsMarkup(key, { jobs, conflict }) {
      const lines = [], thin = this.users.size > MANY ? 0.7 : 1.5;
      const add = (place, style, width, opacity = "") => {
        const path = this.pathOf(this.route(key, place).points, key);
        lines.push(`<path class="${style}" stroke-width="${(width * this.unit).toFixed(2)}"${opacity} d="${path}"/>`);
      };
      if (conflict > 0) add(1, "shared", 0.8 + 2.4 * conflict, ` opacity="${(0.15 + 0.85 * conflict).toFixed(2)}"`);
      if (conflict === 0 || this.which !== "all") {
        [...jobs].sort((a, b) => a - b).slice(0, MAX_BESIDE).forEach((job, place) => {
          add(1 + 1.7 * place, `line own job${job % this.jobs.colours}`, thin);
        });
      }
      add(1, "reach", 7);
      return `<g data-bundle="${key}">${lines.join("")}</g>`;
    }

    // Lines stand side by side: `load` is how far from the middle of the cable, in lines.
    widthOf(load) { return 2.1 * load * this.unit; }

    pathOf(points, key) { return this.pathAlong(this.data.bundles[key >> 1][0], points); }

    bundleTip(key) {
      const [, , cables] = this.data.bundles[key >> 1];
      const used = cables.map((cable) => cable ^ (key & 1)).filter((cable) => this.users.has(cable));
      const lines = used.map((cable) => {
        const [from, fromPort, to, toPort] = this.endsOf(cable);
        const [names, conflict] = this.sharers.get(cable) || [];
        const jobs = names
          ? `shared by ${names.join(" and ")}, at once ${(100 * conflict).toFixed(1)}% of the time`
          : this.users.get(cable).map((job) => this.jobs.names[job]).join(" and ");
        return `${this.data.routers[from]} port ${fromPort} → ${this.data.routers[to]} port ${toPort}: ${jobs}`;
      });
      const rest = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more cables`] : [];
      return [...lines.slice(0, MAX_LINES), ...rest].join("\n");
    }

    hostTip(host) {
      const job = this.jobOf?.get(host);
      return super.hostTip(host) + (job === undefined ? "" : `\nof ${this.jobs.names[job]}`);
    }
  }

  root.explorer = new JobsExplorer(root);
}
