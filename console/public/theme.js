// Sets the theme that was chosen here before; none means that the system decides.
(() => {
  try {
    const theme = localStorage.getItem('sluice-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system decides.
  }
})();
