// Several jobs on the picture of a fabric: the cables of each in its colour, those that several use in red.
"use strict";
for (const root of document.querySelectorAll("[data-jobs]")) {
  const MAX_LINES = 6;  // cables that a tip lists

  class JobsExplorer extends globalThis.FabricExplorer {
    constructor(root) {
      super(root);
      this.jobs = JSON.parse(document.getElementById(root.dataset.jobs).textContent);
      this.jobOf = new Map(this.jobs.hosts.flatMap((hosts, job) => hosts.map((host) => [host, job])));
      this.sharers = new Map(this.jobs.shared.map(([cable, names, meeting]) => [cable, [names, meeting]]));
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

    // The cables that are in red: of several jobs, as long as all are shown.
    isShared(cable) { return this.which === "all" && this.sharers.has(cable); }

    loadsAsMarkup(users) {
      const bundles = new Map();
      for (const [cable, jobs] of users) {
        const found = this.bundleOf.get(cable);
        if (!found) continue;
        const key = 2 * found[0] + found[1];
        if (!bundles.has(key)) bundles.set(key, { jobs: new Set(), shared: false });
        const bundle = bundles.get(key);
        jobs.forEach((job) => bundle.jobs.add(job));
        bundle.shared ||= this.isShared(cable);
      }
      const drawn = [...bundles].sort((a, b) => a[1].shared - b[1].shared || a[0] - b[0]);
      return drawn.map(([key, bundle]) => this.linesAsMarkup(key, bundle)).join("");
    }

    // One line for each job, side by side; red below them where jobs share a cable.
    linesAsMarkup(key, { jobs, shared }) {
      const thin = 1.5 * this.unit;
      const lines = [...jobs].sort((a, b) => a - b).map((job, place) => {
        const path = this.pathOf(this.route(key, 1 + 1.7 * place).points, key);
        return `<path class="line own job${job % this.jobs.colours}" stroke-width="${thin.toFixed(2)}" d="${path}"/>`;
      });
      const middle = this.pathOf(this.route(key, 1 + 0.85 * (jobs.size - 1)).points, key);
      const wide = (3 + 1.9 * jobs.size) * this.unit;
      const below = shared ? `<path class="shared" stroke-width="${wide.toFixed(2)}" d="${middle}"/>` : "";
      return `<g data-bundle="${key}">${below}${lines.join("")}` +
        `<path class="reach" stroke-width="${(7 * this.unit).toFixed(1)}" d="${middle}"/></g>`;
    }

    // Lines stand side by side: `load` is how far from the middle of the cable, in lines.
    widthOf(load) { return 2.1 * load * this.unit; }

    pathOf(points, key) { return this.pathAlong(this.data.bundles[key >> 1][0], points); }

    bundleTip(key) {
      const [, , cables] = this.data.bundles[key >> 1];
      const used = cables.map((cable) => cable ^ (key & 1)).filter((cable) => this.users.has(cable));
      const lines = used.map((cable) => {
        const [from, fromPort, to, toPort] = this.endsOf(cable);
        const [names, meeting] = this.sharers.get(cable) || [];
        const jobs = this.isShared(cable)
          ? `shared by ${names.join(" and ")}, at once ${(100 * meeting).toFixed(1)}% of the time`
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
