// All of this is optional: without it, the same pages work with links and forms.

const KEYS_OFF = "sidelight-keys-off";

/** Return how long ago something was, in the same words as the server. */
function age(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h`;
  return `${Math.floor(s / 86400)} d`;
}

function refreshTimes() {
  for (const one of document.querySelectorAll("time[data-age]")) {
    one.textContent = age((Date.now() - Date.parse(one.dateTime)) / 1000);
  }
}

/** Poll the page; the server answers 304 while nothing has changed. Pause while it is hidden or a form has the focus. */
function follow(main) {
  const pause = 1000 * Number(main.dataset.poll);
  let seen = main.dataset.etag;
  let failures = 0;
  const stale = document.getElementById("stale");
  async function look() {
    if (document.hidden || main.contains(document.activeElement?.closest("form") ?? null)) return;
    const answer = await fetch(location.href, {
      headers: { "If-None-Match": seen, Accept: "text/html" }, cache: "no-store", redirect: "error",
    });
    if (answer.status === 200) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
      if (fresh) {
        seen = fresh.dataset.etag;
        main.replaceChildren(...fresh.childNodes);
        refreshTimes();
      }
    } else if (answer.status !== 304) {
      throw new Error(String(answer.status));
    }
  }
  async function turn() {
    try {
      await look();
      failures = 0;
    } catch {
      failures += 1;
    }
    if (stale) stale.hidden = failures < 2;
    setTimeout(turn, Math.min(60000, pause * 2 ** Math.min(failures, 4)));
  }
  setTimeout(turn, pause);
}

function keysAreOff() {
  try {
    return localStorage.getItem(KEYS_OFF) === "1";
  } catch {
    return false;
  }
}

/** A single key presses the button that shows it, unless shortcuts are off or the user is typing. */
function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || keysAreOff()) return;
    if (event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select")) return;
    const all = [...document.querySelectorAll("[data-key]")];
    const shows = (fold) => (one) => [one.dataset.key, one.dataset.also].some((key) => key && fold(key) === fold(event.key));
    // Labels may differ only in case; apart from them, case does not matter.
    const found = all.find(shows((key) => key)) ?? all.find(shows((key) => key.toLowerCase()));
    if (!found || found.disabled) return;
    event.preventDefault();
    found.click();
  });
  const toggle = document.getElementById("keys");
  if (!toggle) return;
  const show = () => {
    const off = keysAreOff();
    document.body.classList.toggle("keys-off", off);
    toggle.setAttribute("aria-pressed", String(!off));
    toggle.textContent = off ? "Keyboard shortcuts: off" : "Keyboard shortcuts: on";
  };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    try {
      localStorage.setItem(KEYS_OFF, keysAreOff() ? "0" : "1");
    } catch {
      // Private windows may not store anything; the shortcuts then stay on.
    }
    show();
  });
  show();
}

/** Send a form only once, however often its button is pressed. */
function sendOnce() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
    setTimeout(() => delete form.dataset.sent, 4000);
  });
  addEventListener("pageshow", () => {
    for (const form of document.forms) delete form.dataset.sent;
  });
}

/** The code of a sign-in link comes after the #, which browsers never send: move it into the form, and hide the field. */
function takeCode() {
  const field = document.getElementById("code");
  if (!field || location.hash.length < 2) return;
  field.value = decodeURIComponent(location.hash.slice(1));
  field.closest(".field").hidden = true;
  history.replaceState(null, "", location.pathname);
  showInvited(field.value);
}

/** Show the name of the person whom a link is for, instead of asking for one. */
async function showInvited(code) {
  const answer = await fetch("/start", { method: "POST", body: new URLSearchParams({ code, look: "1" }) }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const name = page.querySelector("#name[readonly]");
  if (!name) return;
  document.getElementById("name").closest(".field").replaceWith(name.closest(".field"));
  document.querySelector("button[name=look]")?.remove();
}

const main = document.getElementById("main");
if (main?.dataset.poll) follow(main);
listen();
sendOnce();
takeCode();
refreshTimes();
setInterval(refreshTimes, 10000);
document.documentElement.dataset.ready = "1";
