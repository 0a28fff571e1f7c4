/** The page's colours as a canvas needs them: worked out, for the theme that is on. */
const NAMES = {
  accent: '--color-accent',
  soft: '--color-faint',
  faint: '--color-faint',
  line: '--color-line',
} as const;

export type Colours = Record<keyof typeof NAMES | 'font', string>;

/** A custom property is only text until something is coloured with it. */
export function readColours(inside: HTMLElement): Colours {
  const probe = document.createElement('span');
  inside.append(probe);
  const style = getComputedStyle(probe);
  const entries = Object.entries(NAMES).map(([name, property]) => {
    probe.style.color = `var(${property})`;
    return [name, style.color];
  });
  const colours = { ...Object.fromEntries(entries), font: style.fontFamily } as Colours;
  probe.remove();
  return colours;
}

/** Calls back when the theme changes, by the system or by choice. */
export function watchTheme(onChange: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', onChange);
  const chosen = new MutationObserver(onChange);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', onChange);
    chosen.disconnect();
  };
}
