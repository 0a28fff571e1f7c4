/**
 * The facts of a rule that a match needs, by the rule's number in the engine. A rule that came with an image becomes an
 * object only when it is asked for: most of a million rules match nothing for a long time.
 */
import { columnOf, type StringColumn, stringAt } from '../../base/string-column.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import {
  bytesOf,
  columnParts,
  type ImagePart,
  type ImageReader,
  readColumn,
  readPart,
  readWords,
} from '../../engine/core/image.ts';
import type { RuleText } from '../../rules/rule-text.ts';

/** A rule that an event satisfied. */
export interface Found {
  readonly ruleId: string;
  readonly version: number;
  readonly text: RuleText;
  /** The words that it asks for, once they were needed; null where its query does not tell. See `askedWords`. */
  asked?: readonly number[] | null | undefined;
}

export interface LiveRuleText extends Found {
  readonly accountId: string;
}

export interface LiveRecords {
  /** Returns undefined when no rule has the number. */
  at(number: number): LiveRuleText | undefined;
  set(number: number, rule: LiveRuleText): void;
  remove(number: number): void;
  /** The records of all numbers below `end`. */
  image(end: number): ImagePart[];
}

/** Each number has the place of its account, its version, its flags and its text. */
interface SavedRecords {
  readonly owners: Int32Array;
  readonly versions: Int32Array;
  readonly flags: Uint8Array;
  readonly texts: StringColumn;
  /** The sources that it is limited to, with spaces between; empty where it is not. */
  readonly sources: StringColumn;
  readonly accounts: readonly string[];
}

const NONE: SavedRecords = {
  owners: new Int32Array(),
  versions: new Int32Array(),
  flags: new Uint8Array(),
  texts: columnOf(0, () => ''),
  sources: columnOf(0, () => ''),
  accounts: [],
};

/** This stands in the place of an account when no rule has the number. */
const NO_OWNER = -1;
const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;

export function createLiveRecords(idOf: (number: number) => string, saved: SavedRecords = NONE): LiveRecords {
  /** In pages, so that no growth copies all of them. Null where a rule of the image is gone. */
  const pages: (LiveRuleText | null | undefined)[][] = [];

  function put(number: number, rule: LiveRuleText | null): void {
    pages[number >>> PAGE_BITS] ??= Array.from({ length: PAGE });
    pages[number >>> PAGE_BITS]![number & (PAGE - 1)] = rule;
  }
  const held = (number: number) => pages[number >>> PAGE_BITS]?.[number & (PAGE - 1)];
  const isSaved = (number: number) => (saved.owners[number] ?? NO_OWNER) !== NO_OWNER;

  return {
    at(number) {
      const rule = held(number);
      if (rule !== undefined || !isSaved(number)) return rule ?? undefined;
      const read = readRecord(saved, number, idOf(number));
      put(number, read);
      return read;
    },
    set: put,
    remove: (number) => put(number, null),
    image: (end) => imageOf(end, held, saved, isSaved),
  };
}

const readRecord = (
  { accounts, owners, versions, flags, texts, sources }: SavedRecords,
  number: number,
  ruleId: string,
): LiveRuleText => ({
  ruleId,
  accountId: accounts[owners[number]!]!,
  version: versions[number]!,
  text: { value: stringAt(texts, number), flags: readFlags(flags[number]!, stringAt(sources, number)) },
});

const listed = (texts: readonly string[]): StringColumn => columnOf(texts.length, (at) => texts[at]!);

/** Returns undefined where the rule is that of an image. */
const sourcesIn = (rule: LiveRuleText | null | undefined): string | undefined =>
  rule ? (rule.text.flags.sources ?? []).join(' ') : undefined;

function imageOf(
  end: number,
  held: (number: number) => LiveRuleText | null | undefined,
  saved: SavedRecords,
  isSaved: (number: number) => boolean,
): ImagePart[] {
  const owners = new Int32Array(end).fill(NO_OWNER);
  const versions = new Int32Array(end);
  const flags = new Uint8Array(end);
  const places = new Map(saved.accounts.map((accountId, place) => [accountId, place]));
  for (let number = 0; number < end; number++) {
    const rule = held(number);
    if (rule === undefined && isSaved(number)) {
      owners[number] = saved.owners[number]!;
      versions[number] = saved.versions[number]!;
      flags[number] = saved.flags[number]!;
    } else if (rule) {
      if (!places.has(rule.accountId)) places.set(rule.accountId, places.size);
      owners[number] = places.get(rule.accountId)!;
      versions[number] = rule.version;
      flags[number] = encodeFlags(rule.text.flags);
    }
  }
  const texts = columnOf(end, (number) => {
    if (owners[number] === NO_OWNER) return '';
    return held(number)?.text.value ?? { column: saved.texts, index: number };
  });
  const sources = columnOf(end, (number) => {
    if (owners[number] === NO_OWNER) return '';
    return sourcesIn(held(number)) ?? { column: saved.sources, index: number };
  });
  return [
    { name: 'owners', bytes: bytesOf(owners) },
    { name: 'versions', bytes: bytesOf(versions) },
    { name: 'flags', bytes: flags },
    ...columnParts('texts', texts),
    ...columnParts('sources', sources),
    ...columnParts('accounts', listed([...places.keys()])),
  ];
}

export async function restoreLiveRecords(reader: ImageReader, idOf: (number: number) => string): Promise<LiveRecords> {
  const accounts = await readColumn(reader, 'accounts');
  return createLiveRecords(idOf, {
    owners: await readWords(reader, 'owners'),
    versions: await readWords(reader, 'versions'),
    flags: await readPart(reader, 'flags'),
    texts: await readColumn(reader, 'texts'),
    sources: await readColumn(reader, 'sources'),
    accounts: Array.from(accounts.ends, (_, place) => stringAt(accounts, place)),
  });
}

/** Left out, false, true. */
const FLAG = [undefined, false, true] as const;

const encodeFlags = ({ quality, nsfw }: RuleFlags): number => FLAG.indexOf(quality) + 3 * FLAG.indexOf(nsfw);

function readFlags(code: number, sources: string): RuleFlags {
  const quality = FLAG[code % 3];
  const nsfw = FLAG[Math.floor(code / 3)];
  return {
    ...(quality === undefined ? {} : { quality }),
    ...(nsfw === undefined ? {} : { nsfw }),
    ...(sources === '' ? {} : { sources: sources.split(' ') }),
  };
}
