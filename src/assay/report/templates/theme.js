// Light or dark, as the reader chooses; without a choice as the system.
const THEMES = ["", "light", "dark"];
const themeButton = document.getElementById("theme");

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  themeButton.textContent = { "": "◐", light: "☀", dark: "☾" }[theme];
  themeButton.setAttribute("aria-label", `Colours: ${theme || "as the system"}`);
  themeButton.title = themeButton.getAttribute("aria-label");
}

function remembered(theme) {
  try {
    if (theme === undefined) return localStorage.getItem("assay-theme") || "";
    localStorage.setItem("assay-theme", theme);
  } catch {
    return ""; // a browser that keeps nothing for files on disk
  }
  return theme;
}

themeButton.addEventListener("click", () => {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || "") + 1) % THEMES.length];
  setTheme(theme);
  remembered(theme);
});

setTheme(THEMES.includes(remembered()) ? remembered() : "");
