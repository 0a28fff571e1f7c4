/** Light or dark: the system's theme unless the user chose one. `public/theme.js` applies the choice when the page loads. */
import { observable, useObservable } from '../data/observable.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'sluice-theme';

const chosen = observable<Theme>(THEMES.find((name) => name === document.documentElement.dataset['theme']) ?? 'system');

export const useTheme = (): Theme => useObservable(chosen);

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, theme);
  } catch {
    // Without storage the choice lasts until the page closes.
  }
  chosen.set(theme);
}
