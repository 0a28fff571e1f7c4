// Applies the theme that the user chose. Without a choice the system's theme applies.
(() => {
  try {
    const theme = localStorage.getItem('sluice-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme applies.
  }
})();
