/** What somebody wrote, with what matched marked in it. All of it is text, whatever it looks like. */
import { cx } from '../ui/classes.ts';
import { Marked } from '../ui/marked.tsx';
import { excerptOf, type Passage, type ReadEvent } from './reading.ts';

/** Who wrote it, or where it stands. */
export function EventSource({ event }: { event: ReadEvent }) {
  const { author, host } = event;
  if (author !== undefined) {
    return (
      <span className="min-w-0 truncate">
        <bdi className="font-medium">{author.name}</bdi> <bdi className="text-faint">@{author.username}</bdi>
      </span>
    );
  }
  return <span className="min-w-0 truncate text-soft">{host ?? 'Unknown origin'}</span>;
}

/** Short enough for the first mark to be among the lines that are shown. */
const EXCERPT = 180;

/** Three lines of it at most: the title, and the passage that says most about why it matched. */
export function EventExcerpt({ event }: { event: ReadEvent }) {
  const title = event.passages.find(({ role }) => role === 'title');
  const texts = event.passages.filter(({ role }) => role !== 'title' && role !== 'detail');
  const shown = texts.find(({ spans }) => spans.length > 0) ?? texts[0];
  return (
    <>
      {title !== undefined && <EventText passage={title} longest={EXCERPT} className="line-clamp-1 font-medium" />}
      {shown !== undefined && (
        <EventText
          passage={shown}
          longest={EXCERPT}
          className={title === undefined ? 'line-clamp-3 md:line-clamp-2' : 'line-clamp-2 md:line-clamp-1'}
        />
      )}
    </>
  );
}

/** More than this of one event is for programs to read. */
const MOST_PASSAGES = 60;
const LONGEST_PASSAGE = 12_000;

/** All of it, as long as it can be read by a person. */
export function EventBody({ event }: { event: ReadEvent }) {
  const { passages } = event;
  const shown = passages.length <= MOST_PASSAGES ? passages : passages.filter(isWorthShowing).slice(0, MOST_PASSAGES);
  if (shown.length === 0) return <p className="text-soft">There is no text in it.</p>;
  return (
    <div className="grid gap-2">
      {shown.map((passage) => (
        <EventText key={passage.field} passage={passage} longest={LONGEST_PASSAGE} />
      ))}
      {shown.length < passages.length && (
        <p className="text-xs text-faint">{passages.length - shown.length} more passages are in the payload.</p>
      )}
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

interface EventTextProps {
  readonly passage: Passage;
  readonly longest: number;
  /** In place of what its role looks like. */
  readonly className?: string;
}

function EventText({ passage, longest, className }: EventTextProps) {
  const { text, spans } = excerptOf(passage, longest);
  const word = WORDS[passage.role];
  return (
    <p dir="auto" className={cx('break-words', className ?? cx('whitespace-pre-line', ROLES[passage.role]))}>
      {word !== undefined && <span className="sr-only">{word}</span>}
      {passage.role === 'detail' && <span className="mr-2 font-mono text-xs text-faint">{passage.field}</span>}
      <Marked text={text} passages={spans} />
    </p>
  );
}
