/** A match for people: when, by which rule, and the text with what matched in colour. */
import { explainReason, type Match, type StreamCoverage } from '../../packages/client/src/index.ts';
import { err, harmless, out, plain } from './output.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** How much is shown of a post, and of a page on either side of what matched. */
const LONGEST = 400;
const CONTEXT = 60;
const MAX_EXCERPTS = 3;

export function viewMatch(match: Match): string {
  const when = match.created_at.replace('T', ' ').slice(0, 19);
  const heading = `${out.dim(when)}  ${match.platform.padEnd(8)}  ${out.bold(plain(match.rule_name))}${match.demo ? '  demo' : ''}`;
  const lines = match.platform === 'x' ? postLines(match) : pageLines(match);
  return [heading, ...[...lines, ...judgedLines(match)].map((line) => `  ${line}`)].join('\n');
}

const judgedLines = ({ judged }: Match): string[] =>
  judged === undefined
    ? []
    : [
        out.dim(
          plain(`judged ${judged.relevant ? 'relevant' : 'irrelevant'} by ${judged.model}: ${judged.reason}`, LONGEST),
        ),
      ];

function postLines(match: Match): string[] {
  // An id may hold half a surrogate pair, which no URL can.
  const id = encodeURIComponent(match.platform_post_id.toWellFormed());
  const own = match.payload['url'];
  const link = typeof own === 'string' ? plain(own, 200) : `https://x.com/i/status/${id}`;
  return [...excerpts(match, ['data.text'], LONGEST), ...linkOf(match, link)];
}

function pageLines(match: Match): string[] {
  const url = match.payload['url'];
  return [...excerpts(match, ['title'], CONTEXT), ...(typeof url === 'string' ? linkOf(match, plain(url, 200)) : [])];
}

/** An invented event has no address, or one that belongs to somebody else. */
const linkOf = ({ demo }: Match, url: string): string[] => (demo ? [] : [out.dim(url)]);

/** The fields that are always shown, then the first others in which something matched. */
function excerpts({ payload, highlights }: Match, always: readonly string[], context: number): string[] {
  const fields = [...new Set([...always, ...highlights.map(({ field }) => field)])];
  const lines = fields.flatMap((field) => {
    const text = textAt(payload, field);
    return text === undefined
      ? []
      : [
          excerpt(
            text,
            highlights.filter((one) => one.field === field),
            context,
          ),
        ];
  });
  return lines.slice(0, always.length + MAX_EXCERPTS);
}

function textAt(payload: unknown, path: string): string | undefined {
  let value = payload;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' ? value : undefined;
}

/** The part of a text around its first span, with all spans in it in colour. */
function excerpt(text: string, spans: readonly Span[], context: number): string {
  const first = spans[0] ?? { start: 0, end: 0 };
  const from = Math.max(0, first.start - context);
  const to = Math.min(text.length, Math.max(first.end, first.start) + context);
  const shown = spans.filter(({ start }) => start < to);
  return `${from > 0 ? '…' : ''}${painted(text, shown, from, to)}${to < text.length ? '…' : ''}`;
}

function painted(text: string, spans: readonly Span[], from: number, to: number): string {
  let line = '';
  let at = from;
  for (const { start, end } of spans) {
    line += harmless(text.slice(at, Math.max(at, start)));
    line += out.bold(out.yellow(harmless(text.slice(Math.max(at, start), Math.min(end, to)))));
    at = Math.max(at, Math.min(end, to));
  }
  return line + harmless(text.slice(at, to));
}

/** Coverage for people, on standard error: what is printed on standard output stays for programs. */

/** A sentence and the name of a source. */
const LONGEST_REASONS = 300;

type Coverage = Pick<StreamCoverage, 'complete' | 'complete_through' | 'reasons'>;

/** Says what is not complete, and why; undefined when all is. */
export function coverageWarning({ complete, complete_through, reasons }: Coverage): string | undefined {
  if (complete) return undefined;
  const until = complete_through === null ? 'Nothing is known to be complete' : `Complete up to ${complete_through}`;
  return `${until}: ${reasons.map((reason) => plain(`${explainReason(reason)} [${reason}]`, LONGEST_REASONS)).join(' ')}`;
}

/** Prints the warning when the reasons change. */
export function coverageTeller(): (coverage: Coverage) => void {
  let told = '';
  return (coverage) => {
    const reasons = coverage.reasons.join(' ');
    if (reasons === told) return;
    told = reasons;
    console.error(err.yellow(coverageWarning(coverage) ?? 'Complete again.'));
  };
}
