/** How much room a row takes. The choice is the reader's, and the browser keeps it. */
import { observable, useObservable } from '../data/observable.ts';

export const DENSITIES = [
  { name: 'comfortable', label: 'Comfortable' },
  { name: 'dense', label: 'Dense' },
  { name: 'quiet', label: 'Quiet' },
] as const;
export type Density = (typeof DENSITIES)[number]['name'];

const STORED = 'sluice-density';

const chosen = observable<Density>(read());

function read(): Density {
  try {
    const kept = localStorage.getItem(STORED);
    return DENSITIES.find(({ name }) => name === kept)?.name ?? 'comfortable';
  } catch {
    return 'comfortable';
  }
}

export const useDensity = (): Density => useObservable(chosen);

export function setDensity(density: Density): void {
  try {
    localStorage.setItem(STORED, density);
  } catch {
    // Without storage the choice lasts until the page closes.
  }
  chosen.set(density);
}
