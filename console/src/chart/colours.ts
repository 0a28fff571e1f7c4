/** The page's colours as a canvas needs them: computed for the current theme. */
const NAMES = {
  accent: '--color-accent',
  accentSoft: '--color-accent-soft',
  soft: '--color-faint',
  faint: '--color-faint',
  second: '--color-chart-2',
  third: '--color-chart-3',
  fourth: '--color-chart-4',
  fifth: '--color-chart-5',
  bad: '--color-bad',
  line: '--color-line',
  gap: '--color-gap',
  mark: '--color-warn-soft',
} as const;

export type Colours = Record<keyof typeof NAMES | 'font', string>;

/** A custom property is only text until an element uses it as a colour. */
export function readColours(inside: HTMLElement): Colours {
  const entries = Object.entries(NAMES).map(([name, property]) => [name, colourOf(property, inside)]);
  return { ...Object.fromEntries(entries), font: getComputedStyle(inside).fontFamily } as Colours;
}

/** A new element each time: on an existing one a CSS transition could delay the new colour. */
function colourOf(property: string, inside: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  inside.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls back when the system or the user changes the theme. */
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
