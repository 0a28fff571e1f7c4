/**
 * Rules as a YAML file under version control. A rule is known by its name, so that one file serves several servers;
 * an `id` is written only where a name is not enough, and lets a rule be renamed.
 */
import { type Document, LineCounter, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import type { Rule } from '../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { ALERT_KINDS } from '../domain/rule.ts';
import { ANYTHING } from '../rules/rule-text.ts';
import { findSource, type NamedSource } from './connect.ts';
import { CliError } from './output.ts';

const flags = z.strictObject({ quality: z.boolean().optional(), nsfw: z.boolean().optional() });
const words = z.string().trim().min(1);
const event = z.union([words, z.record(z.string(), z.unknown())], { error: 'It must be a text or an event.' });
const SAMPLE_PROBLEM = 'It must be a text, in quotes if it has a colon, or an event under `x:` or `firehose:`.';
const sample = z.union(
  [
    words,
    z
      .strictObject({ x: event.optional(), firehose: event.optional() })
      .refine((events) => PLATFORMS.some((name) => events[name] !== undefined), { error: SAMPLE_PROBLEM }),
  ],
  { error: SAMPLE_PROBLEM },
);
const entry = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1),
  intent: z.string().default(''),
  overrides: z
    .strictObject({ x: z.string().trim().optional(), firehose: z.string().trim().optional() })
    .refine((texts) => PLATFORMS.some((name) => texts[name] !== undefined), {
      error: 'It needs a rule for one platform at least.',
    }),
  options: z
    .strictObject({ sources: z.array(z.string().min(1)).min(1).nullish(), firehose: flags.optional() })
    .optional(),
  paused: z.boolean().default(false),
  alerts: z.strictObject({ surge: z.boolean().default(false), silence: z.boolean().default(false) }).prefault({}),
  must_match: z.array(sample).default([]),
  must_not_match: z.array(sample).default([]),
});
const content = z.strictObject({ rules: z.array(entry) }, { error: 'It must be a list under `rules:`.' });

export type RuleEntry = z.output<typeof entry>;
export const SAMPLE_FIELDS = ['must_match', 'must_not_match'] as const;

export interface RuleFile {
  readonly entries: readonly RuleEntry[];
  /** The place of a part of an entry, as `file:line:column`. */
  placeOf(index: number, ...path: readonly (string | number)[]): string;
}

export interface EntryProblem {
  readonly index: number;
  /** The part of the entry. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Reads a file; everything that is wrong with it is said at once, each with its line. */
export function readRuleFile(name: string, text: string): RuleFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const placeOf = (path: readonly PropertyKey[]): string => at(offsetOf(document, path));
  if (document.errors.length > 0)
    throw new CliError(document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`).join('\n'));
  const read = content.safeParse(document.toJS() ?? {});
  if (!read.success)
    throw new CliError(said(read.error.issues.map((issue) => `${placeOf(issue.path)}: ${inWords(issue)}`)));
  const entries = read.data.rules;
  const twice = entries.flatMap((one, index) =>
    entries.findIndex((other) => identity(other) === identity(one)) === index
      ? []
      : [`${placeOf(['rules', index])}: There is another rule "${identity(one)}" above.`],
  );
  const astray = entries.flatMap((one, index) =>
    samplesOffPlatform(one).map(
      ([path, platform]) =>
        `${placeOf(['rules', index, ...path])}: The rule has no text for ${platform}, so the sample tests nothing.`,
    ),
  );
  const problems = [...twice, ...astray];
  if (problems.length > 0) throw new CliError(problems.join('\n'));
  return { entries, placeOf: (index, ...path) => placeOf(['rules', index, ...path]) };
}

function samplesOffPlatform(one: RuleEntry): [path: (string | number)[], platform: Platform][] {
  return SAMPLE_FIELDS.flatMap((field) =>
    one[field].flatMap((held, at) => {
      if (typeof held === 'string') return [];
      const off = PLATFORMS.filter((name) => held[name] !== undefined && one.overrides[name] === undefined);
      return off.map((name): [(string | number)[], Platform] => [[field, at, name], name]);
    }),
  );
}

const identity = ({ id, name }: RuleEntry): string => id ?? name;

const said = (lines: readonly string[]): string => [...new Set(lines)].join('\n');

function inWords(issue: z.core.$ZodIssue): string {
  const path = issue.path.filter((part) => typeof part === 'string').join('.');
  const isOfSample = SAMPLE_FIELDS.some((field) => issue.path.includes(field));
  if (issue.code === 'unrecognized_keys' && isOfSample) return `${path}: ${SAMPLE_PROBLEM}`;
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: There is no such field.`;
  if (issue.code !== 'invalid_type') return `${path}: ${issue.message}`;
  const isMissing = issue.message.includes('received undefined');
  return `${path}: ${isMissing ? 'It is required.' : issue.path.length < 2 ? issue.message : `It must be a ${issue.expected}.`}`;
}

/** The place of a part, or of the nearest thing around it that is there. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] } | undefined;
    if (node?.range) return node.range[0]!;
  }
  return 0;
}

const HEADER = `# Rules of Sluice. \`sluice rules plan FILE\` shows what would change, \`sluice rules apply FILE\` changes it.
`;

export function printRuleFile(rules: readonly Rule[], sources: readonly NamedSource[] = []): string {
  const names = new Map<string, number>();
  for (const { name } of rules) names.set(name, (names.get(name) ?? 0) + 1);
  const entries = rules.map((rule) => entryOf(rule, names.get(rule.name)! > 1, sources));
  return HEADER + stringify({ rules: entries }, { lineWidth: 0 });
}

function entryOf(rule: Rule, withId: boolean, sources: readonly NamedSource[]): z.input<typeof entry> {
  const { options: firehose } = rule.platforms.firehose ?? {};
  const options = {
    ...(rule.sources !== undefined && { sources: rule.sources.map((id) => sourceName(id, sources)) }),
    ...(firehose !== undefined && { firehose }),
  };
  const alerts = ALERT_KINDS.filter((kind) => rule.alerts[kind]);
  return {
    ...(withId && { id: rule.id }),
    name: rule.name,
    ...(rule.intent !== '' && { intent: rule.intent }),
    overrides: ruleTexts(rule),
    ...(Object.keys(options).length > 0 && { options }),
    ...(rule.paused && { paused: true }),
    ...(alerts.length > 0 && { alerts: Object.fromEntries(alerts.map((kind) => [kind, true])) }),
  };
}

/**
 * An entry with the ids of its sources, as the server wants them, and a problem for each that stands for none. An entry that
 * does not say leaves the rule limited as it is: files were written before they had sources.
 */
export function withSourceIds(
  index: number,
  written: RuleEntry,
  rule: Rule | undefined,
  sources: readonly NamedSource[],
) {
  const { sources: given = rule?.sources, ...options } = written.options ?? {};
  const found = (given ?? []).map((one) => findSource(sources, one));
  const ids = new Set(found.flatMap((one) => (typeof one === 'string' ? [] : [one.id])));
  const unknown = found.flatMap((one, at): EntryProblem[] =>
    typeof one === 'string' ? [{ index, path: ['options', 'sources', at], message: one }] : [],
  );
  const limited = given ? { ...options, sources: [...ids] } : options;
  const limitedEntry = { ...written, ...(written.options !== undefined || given ? { options: limited } : {}) };
  return { entry: limitedEntry, problems: [...unknown, ...(given ? [] : anythingIn(index, limitedEntry))] };
}

const anythingIn = (index: number, { overrides }: RuleEntry): EntryProblem[] =>
  PLATFORMS.filter((on) => overrides[on] === ANYTHING).map((on) => ({
    index,
    path: ['overrides', on],
    message: '`*` is for rules that are limited to sources. Name them under `options: { sources: […] }`.',
  }));

/** The field of a difference in the sources that a rule is limited to. */
export const SOURCES = 'options.sources';

/** The sources of a rule in words that are equal for equal ones. */
export const namesOfSources = (
  ids: readonly string[] | null | undefined,
  sources: readonly NamedSource[],
): string | undefined =>
  ids
    ?.map((id) => JSON.stringify(sourceName(id, sources)))
    .toSorted()
    .join(', ');

/** A source as a file names it: by its name where that means this source, else by its id. */
function sourceName(id: string, sources: readonly NamedSource[]): string {
  const name = sources.find((one) => one.id === id)?.name ?? id;
  const meant = findSource(sources, name);
  return typeof meant !== 'string' && meant.id === id ? name : id;
}

export function ruleTexts(rule: Rule): { [name in Platform]?: string } {
  const texts: { [name in Platform]?: string } = {};
  for (const name of PLATFORMS) {
    const held = rule.platforms[name];
    if (held !== undefined) texts[name] = held.translated_value;
  }
  return texts;
}
