/** The page's colours as a canvas needs them: worked out, for the theme that is on. */
const NAMES = {
  accent: '--color-accent',
  accentSoft: '--color-accent-soft',
  soft: '--color-faint',
  faint: '--color-faint',
  line: '--color-line',
} as const;

export type Colours = Record<keyof typeof NAMES | 'font', string>;

/** A custom property is only text until something is coloured with it. */
export function readColours(inside: HTMLElement): Colours {
  const entries = Object.entries(NAMES).map(([name, property]) => [name, colourOf(property, inside)]);
  return { ...Object.fromEntries(entries), font: getComputedStyle(inside).fontFamily } as Colours;
}

/** A new element each time: on one that has a colour, the next may come by a transition, and so too late. */
function colourOf(property: string, inside: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  inside.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
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
