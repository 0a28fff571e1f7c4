/** Matches as lines for a spreadsheet. Pure. */
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';

const COLUMNS = [
  'created_at',
  'platform',
  'rule',
  'author',
  'title',
  'text',
  'link',
  'language',
  'source',
  'demo',
  'id',
] as const;

export const CSV_HEAD = COLUMNS.join(',');

export function csvLine(match: Match): string {
  const event = readEvent(match.platform, match.payload, match.highlights, match.demo);
  const textOf = (isTitle: boolean) =>
    event.passages
      .filter(({ role }) => role !== 'detail' && (role === 'title') === isTitle)
      .map(({ text }) => text)
      .join('\n');
  const cells: Record<(typeof COLUMNS)[number], string> = {
    created_at: match.created_at,
    platform: match.platform,
    rule: match.rule_name,
    author: event.author?.username ?? event.host ?? '',
    title: textOf(true),
    text: textOf(false),
    link: event.link ?? '',
    language: event.language ?? '',
    source: match.source ?? '',
    demo: event.isDemo ? 'true' : '',
    id: match.id,
  };
  return COLUMNS.map((name) => cell(cells[name])).join(',');
}

/** A spreadsheet would run a text that begins like a formula, so such a text gets a quote before it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
