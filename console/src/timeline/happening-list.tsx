/** Happenings as sentences, each with the name of what it happened to. */
import { Named } from '../sources/named.tsx';
import { cx } from '../ui/classes.ts';
import type { Happening } from './happenings.ts';

const clock = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const DOTS = { ok: 'bg-ok', warn: 'bg-warn', bad: 'bg-bad', note: 'bg-accent' };

/** More are found by zooming in. */
const MOST = 30;

export function HappeningList({ happenings, empty }: { happenings: readonly Happening[]; empty: string }) {
  if (happenings.length === 0) return <p className="px-3 py-4 text-soft">{empty}</p>;
  return (
    <>
      <ul className="divide-y">
        {happenings.slice(0, MOST).map(({ from, of, words, tone, href }) => (
          <li key={`${from} ${of} ${words}`} className="flex min-h-9 flex-wrap items-baseline gap-x-3 px-3 py-2">
            <span aria-hidden className={cx('size-2 shrink-0 rounded-full', DOTS[tone])} />
            <time dateTime={new Date(from).toISOString()} className="tabular w-24 shrink-0 text-xs text-faint">
              {clock.format(from)}
            </time>
            <span className="min-w-0 flex-1 basis-60 break-words">
              {href === undefined ? (
                <span className="font-medium">{of}</span>
              ) : (
                <a href={href} className="link font-medium">
                  {of}
                </a>
              )}
              : <Named words={words} />
            </span>
          </li>
        ))}
      </ul>
      {happenings.length > MOST && (
        <p className="border-t px-3 py-2 text-xs text-soft">{happenings.length - MOST} more. Zoom in to see them.</p>
      )}
    </>
  );
}
