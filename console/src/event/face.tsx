/** The author of an event: a letter in a colour of its own, a name and a handle. Nothing is fetched from strangers. */
import { cx } from '../ui/classes.ts';
import { type ReadEvent, whoOf } from './reading.ts';

const COLOURS = [
  'bg-accent-soft text-accent',
  'bg-chart-2/12 text-chart-2',
  'bg-chart-4/12 text-chart-4',
  'bg-chart-5/12 text-chart-5',
  'bg-syntax-tag/12 text-syntax-tag',
  'bg-hover text-soft',
];

/** A name always has the same colour. */
function colourOf(name: string): string {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) % 9_973;
  return COLOURS[sum % COLOURS.length]!;
}

/** People are round, sites have corners. */
export function Avatar({ event, isSmall = false }: { event: ReadEvent; isSmall?: boolean }) {
  const { name, handle, isSite } = whoOf(event);
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '#';
  return (
    <span
      aria-hidden
      className={cx(
        'flex shrink-0 items-center justify-center font-semibold uppercase select-none',
        isSmall ? 'size-5 text-[0.6875rem]' : 'size-8 text-sm',
        isSite ? 'rounded-md' : 'rounded-full',
        colourOf(handle ?? name),
      )}
    >
      {letter}
    </span>
  );
}

export function EventSource({ event }: { event: ReadEvent }) {
  const { name, handle } = whoOf(event);
  return (
    <span className="min-w-0 truncate">
      <bdi className="font-medium">{name}</bdi>
      {handle !== undefined && (
        <>
          {' '}
          <bdi className="text-faint">{handle}</bdi>
        </>
      )}
    </span>
  );
}
