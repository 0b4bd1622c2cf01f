/* Runs before the page is shown, so that it never flashes in the other colours. */
(() => {
  const chosen = localStorage.getItem("tunewise-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
