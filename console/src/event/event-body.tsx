/** The text of an event with its highlights marked. All of it is shown as text, never as markup. */
import { cx } from '../ui/classes.ts';
import { Marked } from '../ui/marked.tsx';
import { EXCERPT, excerptOf, NARROW_EXCERPT, type Passage, type ReadEvent, spansOf } from './reading.ts';
import { titleSpans } from './title-spans.ts';

export interface EventExcerptProps {
  readonly event: ReadEvent;
  readonly searched?: string | undefined;
  /** The title or the passage alone, in one line. */
  readonly isOneLine?: boolean;
  /** Whether a line has room for few words. */
  readonly isNarrow?: boolean;
}

/** At most three lines: the title, and the passage that best shows why the event matched. */
export function EventExcerpt({ event, searched, isOneLine = false, isNarrow = false }: EventExcerptProps) {
  const { title, shown } = excerptParts(event, searched);
  const isBrief = isOneLine && title !== undefined && (title.spans.length > 0 || shown === undefined);
  return (
    <>
      {title !== undefined && (!isOneLine || isBrief) && (
        <EventText passage={title} longest={EXCERPT} searched={searched} className="line-clamp-1 font-medium" />
      )}
      {shown !== undefined && !isBrief && (
        <EventText
          passage={shown}
          longest={isNarrow ? NARROW_EXCERPT[title === undefined ? 'post' : 'page'] : EXCERPT}
          searched={searched}
          className={
            isOneLine
              ? 'line-clamp-1'
              : title === undefined
                ? 'line-clamp-3 md:line-clamp-2'
                : 'line-clamp-2 md:line-clamp-1'
          }
        />
      )}
    </>
  );
}

/** The title of a page, and the passage that matched, or that has the searched words. */
function excerptParts(event: ReadEvent, searched: string | undefined) {
  const title = event.passages.find(({ role }) => role === 'title');
  const texts = event.passages.filter(({ role }) => role !== 'title' && role !== 'detail');
  const has = (passage: Passage) => searched !== undefined && spansOf(passage.text, searched).length > 0;
  return { title, shown: texts.find(has) ?? texts.find(({ spans }) => spans.length > 0) ?? texts[0] };
}

/** The title of a story, with the words of its first match marked, and the passage that matched where the title has none of them. */
export function StoryExcerpt({ title, event, isOneLine }: { title: string; event: ReadEvent; isOneLine: boolean }) {
  const spans = titleSpans(title, event.passages);
  const { shown } = excerptParts(event, undefined);
  const isDeeper = !isOneLine && shown !== undefined && shown.spans.length > 0 && spans.length === 0;
  return (
    <>
      <p
        dir="auto"
        className={cx('font-medium break-words', isOneLine ? 'line-clamp-1' : 'line-clamp-3 md:line-clamp-2')}
      >
        <Marked text={title} passages={spans} />
      </p>
      {isDeeper && <EventText passage={shown} longest={NARROW_EXCERPT.page} className="line-clamp-1 text-soft" />}
    </>
  );
}

/** The payload tab has the rest. */
const MOST_PASSAGES = 60;
const LONGEST_PASSAGE = 12_000;

/** The whole event, up to a length that a person can read. */
export function EventBody({ event, searched }: { event: ReadEvent; searched?: string | undefined }) {
  const { passages } = event;
  const shown = passages.length <= MOST_PASSAGES ? passages : passages.filter(isWorthShowing).slice(0, MOST_PASSAGES);
  if (event.rows.some(({ before, after }) => before !== undefined && after !== undefined))
    return <SideBySide event={event} searched={searched} />;
  if (shown.length === 0) return <p className="text-soft">This event has no text.</p>;
  return (
    <div className="grid gap-2">
      {shown.map((passage) => (
        <EventText key={passage.field} passage={passage} longest={LONGEST_PASSAGE} searched={searched} />
      ))}
      {shown.length < passages.length && (
        <p className="text-xs text-faint">{passages.length - shown.length} more passages are in the payload.</p>
      )}
    </div>
  );
}

/** Old and new of a watched page, with the highlights of what came and went. */
function SideBySide({ event: { rows, passages }, searched }: { event: ReadEvent; searched: string | undefined }) {
  const title = passages.find(({ role }) => role === 'title');
  const cell = (role: 'removed' | 'added', text: string | undefined) => {
    const passage = passages.find((one) => one.role === role && one.text === text);
    if (passage === undefined) return text;
    return <EventText passage={passage} longest={LONGEST_PASSAGE} searched={searched} />;
  };
  return (
    <div className="grid gap-2">
      {title !== undefined && <EventText passage={title} longest={LONGEST_PASSAGE} searched={searched} />}
      <table className="w-full table-fixed border-collapse text-left" aria-label="What changed">
        <thead>
          <tr className="text-xs text-faint">
            <th className="pb-1 font-medium">Before</th>
            <th className="pb-1 pl-3 font-medium">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_PASSAGES).map(({ before, after }, at) => (
            <tr key={`${at} ${before}`} className="border-t align-top">
              <td className="py-1.5 pr-3 break-words">{cell('removed', before)}</td>
              <td className="py-1.5 pl-3 break-words">{cell('added', after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isWorthShowing = ({ role, spans }: Passage): boolean => role === 'title' || spans.length > 0;

const ROLES: Record<Passage['role'], string> = {
  title: 'text-lg font-semibold',
  text: 'text-base leading-relaxed',
  added: 'border-l-2 border-ok pl-2.5 text-base leading-relaxed',
  removed: 'border-l-2 border-bad pl-2.5 text-base leading-relaxed text-soft',
  detail: 'text-sm',
};

const WORDS: Partial<Record<Passage['role'], string>> = { added: 'Added: ', removed: 'Removed: ' };

/** `data.lang` is the language: the paths of a payload are no words. */
const fieldWords = (field: string): string =>
  field
    .replace(/^(?:data|includes)\./, '')
    .replace(/\.\d+\b/g, '')
    .replace(/^lang$/, 'language')
    .replaceAll(/[._]/g, ' ');

interface EventTextProps {
  readonly passage: Passage;
  readonly longest: number;
  /** Marked, too. */
  readonly searched?: string | undefined;
  /** Replaces the style of its role. */
  readonly className?: string;
}

function EventText({ passage, longest, searched, className }: EventTextProps) {
  const found = searched === undefined ? [] : spansOf(passage.text, searched);
  // The searched text comes first, because the excerpt is cut around the first span.
  const { text, spans } = excerptOf({ ...passage, spans: [...found, ...passage.spans] }, longest);
  const word = WORDS[passage.role];
  return (
    <p dir="auto" className={cx('break-words', className ?? cx('whitespace-pre-line', ROLES[passage.role]))}>
      {word !== undefined && <span className="sr-only">{word}</span>}
      {passage.role === 'detail' && <span className="mr-2 text-xs text-faint">{fieldWords(passage.field)}</span>}
      <Marked text={text} passages={spans} />
    </p>
  );
}
