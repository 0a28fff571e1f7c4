/** What a newer server says of a platform or a source: plain values, by their own names. */
import { Fact } from '../ui/facts.tsx';
import { exactly, figure } from '../ui/moment.ts';

export function MoreFacts({ of, except }: { of: object; except: readonly string[] }) {
  return Object.entries(of)
    .filter(([name, value]) => !except.includes(name) && isPlain(value))
    .map(([name, value]) => (
      <Fact key={name} name={titleOf(name)}>
        {spoken(name, value as Plain)}
      </Fact>
    ));
}

type Plain = string | number | boolean;

const isPlain = (value: unknown): value is Plain =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '';

/** `last_event_at` is "Last event". */
function titleOf(name: string): string {
  const words = name.replace(/_(at|seconds)$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function spoken(name: string, value: Plain): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return name.endsWith('_seconds') ? `${figure(value)} s` : figure(value);
  return name.endsWith('_at') && !Number.isNaN(Date.parse(value)) ? exactly(value) : value;
}
