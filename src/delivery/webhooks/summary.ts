/** A match in a few words, for a chat. Payloads come from outside: fields that are missing or not text are left out. */
import type { Match } from '../../domain/match.ts';
import { isDemo } from '../../domain/source.ts';

export interface Summary {
  readonly rule: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | undefined;
}

const LONGEST_NAME = 80;
const LONGEST_TITLE = 120;
const LONGEST_TEXT = 280;

/** No link is made of what the demo feed invented: it could lead to the post of a real person. */
export function summaryOf(match: Match): Summary {
  const summary = realSummary(match);
  return isDemo(match) ? { ...summary, rule: `${DEMO_NOTE}${summary.rule}`, url: undefined } : summary;
}

const DEMO_NOTE = 'Demo: ';

function realSummary({ ruleName, platform, platformPostId, payload }: Match): Summary {
  const rule = cut(ruleName, LONGEST_NAME - DEMO_NOTE.length);
  if (platform === 'x') {
    const text = cut(textAt(payload, 'data', 'text'), LONGEST_TEXT);
    // A post of another network has its own address.
    const url = textAt(payload, 'url');
    const atX = `https://x.com/i/status/${encodeURIComponent(platformPostId)}`;
    return { rule, title: '', text, url: url === '' ? atX : webAddress(url) };
  }
  return {
    rule,
    title: cut(textAt(payload, 'title'), LONGEST_TITLE),
    text: cut(addedText(payload), LONGEST_TEXT),
    url: webAddress(textAt(payload, 'url')),
  };
}

function addedText(payload: Match['payload']): string {
  const chunks = at(payload, 'diff', 'chunks');
  const texts = Array.isArray(chunks)
    ? chunks.filter((chunk) => at(chunk, 'typ') === 'ins').map((chunk) => textAt(chunk, 'text'))
    : [textAt(payload, 'added')];
  return texts.join(' ').trim();
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
}

function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

const webAddress = (text: string): string | undefined =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).href : undefined;

/** By characters as people count them, so that no emoji is cut in half. */
function cut(text: string, longest: number): string {
  const characters = Array.from(text.slice(0, 4 * longest));
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`;
}
