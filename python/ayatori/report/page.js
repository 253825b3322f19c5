// Draws the plots in the theme's colours and shows tips. Marks the page: data-drawn, data-errors.
"use strict";
const root = document.documentElement;

function report(error) {
  root.dataset.errors = [root.dataset.errors, String(error)].filter(Boolean).join("\n");
  for (const plot of document.querySelectorAll(".plot:empty")) plot.textContent = `This plot could not be drawn: ${error}`;
}
addEventListener("error", (event) => report(event.message));
addEventListener("unhandledrejection", (event) => report(event.reason));

// Plotly lies packed in the page, so that the page is a third of the size.
async function unpackPlotly() {
  const packed = document.getElementById("plotly");
  if (!packed) return;
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

function theme() {
  const style = getComputedStyle(root);
  const read = (name) => style.getPropertyValue(name).trim();
  return { ink: read("--ink"), soft: read("--soft"), rule: read("--rule"), card: read("--card"),
           tones: [0, 1, 2, 3, 4, 5].map((tone) => read(`--tone${tone}`)) };
}

function coloured(trace, colours) {
  const colour = trace.tone === "ink" ? colours.ink : colours.tones[trace.tone];
  const { tone, ...rest } = trace;
  const marker = trace.marker && { ...trace.marker, color: colour, line: { ...trace.marker.line, color: colour } };
  return { ...rest, ...(trace.line && { line: { ...trace.line, color: colour } }), ...(marker && { marker }) };
}

function axis(own, colours) {
  const title = typeof own?.title === "string" ? { text: own.title } : own?.title;
  return { ...own, title: { ...title, font: { size: 13 } }, gridcolor: colours.rule, linecolor: colours.rule, zeroline: false, automargin: true,
           tickcolor: colours.rule, showspikes: false,
           separatethousands: true };
}

function layout(own, colours, width) {
  const font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: colours.ink };
  return { font, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", height: 360, width,
           margin: { l: 62, r: 16, t: 8, b: 46 }, hovermode: "x unified",
           hoverlabel: { bgcolor: colours.card, bordercolor: colours.rule, font },
           showlegend: false,
           xaxis: axis(own.xaxis, colours), yaxis: axis({ rangemode: "tozero", ...own.yaxis }, colours) };
}

function figures() {
  return JSON.parse(document.getElementById("figures").textContent);
}

async function draw(width) {
  const colours = theme();
  for (const figure of figures()) {
    const place = document.getElementById(figure.id);
    const traces = figure.traces.map((trace) => coloured(trace, colours));
    await Plotly.react(place, traces, layout(figure.layout, colours, width || place.clientWidth),
                       { displaylogo: false, displayModeBar: false });
  }
}

function followTheme() {
  const redraw = () => draw().catch(report);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", redraw);
  addEventListener("beforeprint", () => { root.dataset.print = "yes"; draw(660).catch(report); });
  addEventListener("afterprint", () => { delete root.dataset.print; redraw(); });
}

// Where there is a fabric, its explorer knows hosts and loads; all else has its tip written on it.
function tipAt(event) {
  if (!event.target.closest) return "";
  const explorer = event.target.closest("svg.fabric") && event.target.closest("[data-explore]")?.explorer;
  return explorer?.tip(event) || event.target.closest("[data-tip]")?.dataset.tip || "";
}

function showTips() {
  const tip = document.getElementById("tip");
  const hide = () => { tip.hidden = true; };
  addEventListener("pointermove", (event) => {
    const text = tipAt(event);
    if (!text) return hide();
    tip.textContent = text;
    tip.hidden = false;
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 10}px`;
  });
  addEventListener("scroll", hide, true);
}

// A table or picture that is wider than its place says that it can be scrolled, and by keys as well.
function markScrolled() {
  for (const place of document.querySelectorAll(".scroll")) {
    const more = place.scrollWidth > place.clientWidth + 1;
    place.classList.toggle("more", more);
    if (more) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }
}

async function start() {
  showTips();
  markScrolled();
  addEventListener("resize", markScrolled);
  await unpackPlotly();
  if (figures().length) {
    await draw();
    followTheme();
  }
  root.dataset.drawn = "yes";
}
start().catch(report);
