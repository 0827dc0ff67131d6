// News from the server: when the results have changed, the page is asked for again, at the same place.
const liveButton = document.getElementById("live");
const edition = Number(liveButton.dataset.edition);
let newest = edition;
let connected = false;

function isLive() {
  try {
    return sessionStorage.getItem("assay-live") !== "off";
  } catch {
    return true; // a browser that keeps nothing
  }
}

function tellLive() {
  const state = !isLive() ? "paused" : connected ? "live" : "not connected";
  liveButton.textContent = newest > edition && !isLive() ? "paused, news" : state;
  liveButton.dataset.state = state;
  liveButton.title = { live: "The page follows the run. Press to pause.", paused: "Press to follow the run." }[state] || "The server does not answer; this is what it said last.";
  liveButton.setAttribute("aria-pressed", String(isLive()));
}

// Who writes or reads a hidden tab is not disturbed; what has come by then is shown when they are done.
function catchUp() {
  tellLive();
  if (newest <= edition || !isLive() || document.hidden || document.activeElement?.tagName === "INPUT") return;
  news?.close(); // else Firefox complains that it was cut off
  location.reload();
}

liveButton.addEventListener("click", () => {
  try {
    sessionStorage.setItem("assay-live", isLive() ? "off" : "on");
  } catch {
    return;
  }
  catchUp();
});
document.addEventListener("focusout", () => setTimeout(catchUp));

// A browser keeps only six connections to a server: tabs that nobody sees do not hold one.
let news = null;

function listen() {
  news?.close();
  news = null;
  if (document.hidden) return;
  news = new EventSource(liveButton.dataset.events);
  news.addEventListener("open", () => { connected = true; tellLive(); });
  news.addEventListener("error", () => { connected = false; tellLive(); });
  news.addEventListener("message", (event) => { newest = Number(event.data); catchUp(); });
}

document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => news?.close());
addEventListener("pageshow", (event) => { if (event.persisted) listen(); }); // back to a page that was left
listen();
tellLive();
