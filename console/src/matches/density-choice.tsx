/** The choice of how much room a row takes: side by side where there is room for it, and on a phone as a list. */
import { Select } from '../ui/input.tsx';
import { Segments } from '../ui/segments.tsx';
import { DENSITIES, type Density, setDensity, useDensity } from './density.ts';

export function DensityChoice() {
  const density = useDensity();
  return (
    <>
      <span className="max-sm:hidden">
        <Segments<Density> label="Density" value={density} options={DENSITIES} onChange={setDensity} />
      </span>
      <Select
        aria-label="Density"
        className="h-7 text-xs sm:hidden"
        value={density}
        onChange={({ target }) => setDensity(target.value as Density)}
      >
        {DENSITIES.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </Select>
    </>
  );
}
