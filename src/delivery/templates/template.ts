/**
 * Templates of messages, in Liquid. A template reads fields, and that is all: there are no variables, no files and no loops
 * inside loops, so the work grows with its length, with the listed stories and with the texts, each of which is bounded.
 */
import { Context, Liquid, LiquidError, type Template, toValueSync } from 'liquidjs';
import { isZone, offsetAt } from '../../wakes/local-time.ts';
import { DIGEST_FIELDS, type MessageFields, MessageLink } from './fields.ts';
import {
  at,
  faultWords,
  nameProblem,
  TemplateFault,
  type TemplateNames,
  type TemplateProblem,
  templateNames,
} from './template-problems.ts';

/** The longest template, in characters. */
export const LONGEST_TEMPLATE = 4_000;
/** Characters of one message, before they are escaped for a channel. */
const MOST_CHARACTERS = 16_000;
/** Tags, fields and filters. */
const MOST_PARTS = 200;
/** Characters that the filters of one message go through. */
const MOST_FILTERED = 200_000;

/** They choose, or repeat for each story. Tags that set variables or read files are not there. */
export const TEMPLATE_TAGS = ['if', 'unless', 'case', 'for', 'break', 'continue', 'comment', 'raw'] as const;
/** None of them makes a text longer than what it is given. */
export const TEMPLATE_FILTERS = [
  'truncate',
  'truncatewords',
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'default',
  'date',
  'size',
  'times',
  'round',
] as const;

/** `own`: by the account, with the markup of the channel. `value`: maybe by a stranger. `link`: an address of an event, or of this server. */
export interface MessagePiece {
  readonly kind: 'own' | 'value' | 'link';
  readonly text: string;
}

/** The fault of a template that writes nothing of what it was given; it may write of something else. */
export const EMPTY_MESSAGE = 'The message is empty.';

export interface MessageTemplate {
  /** Whether it writes digests too: it names fields of them. */
  readonly isForDigests: boolean;
  /** Throws a TemplateFault where a limit is met or a filter does not take its value. */
  write(fields: MessageFields): readonly MessagePiece[];
}

/** A mark stands before the text of a filled-in value and says its kind. No text of a template begins with a mark. */
const MARKS = { '\u0001': 'value', '\u0002': 'link' } as const;
const CONTROL = /(?![\n\t])\p{Cc}|\p{Noncharacter_Code_Point}/u;

const isMark = (character: string | undefined): character is keyof typeof MARKS =>
  character !== undefined && Object.hasOwn(MARKS, character);

const marked = (value: unknown): string => {
  if (value instanceof MessageLink) return `\u0002${String(value)}`;
  if (value instanceof Date) return `\u0001${value.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return `\u0001${isShown ? value : ''}`;
};

const engine = createEngine();

function createEngine(): Liquid {
  const liquid = new Liquid({
    // An empty text counts as nothing.
    jsTruthy: true,
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: marked,
    memoryLimit: MOST_FILTERED,
    templates: {},
  });
  const [tags, filters] = [new Set<string>(TEMPLATE_TAGS), new Set<string>(TEMPLATE_FILTERS)];
  for (const name of Object.keys(liquid.tags)) if (!tags.has(name)) Reflect.deleteProperty(liquid.tags, name);
  for (const name of Object.keys(liquid.filters)) if (!filters.has(name)) liquid.unregisterFilter(name);
  liquid.registerFilter('date', dateText);
  return liquid;
}

/** The template, or the first thing that is wrong with it. */
export function parseTemplate(text: string): MessageTemplate | TemplateProblem {
  const control = text.search(CONTROL);
  if (text.length > LONGEST_TEMPLATE)
    return at(`It has ${text.length} characters; ${LONGEST_TEMPLATE} are the most.`, LONGEST_TEMPLATE, text.length);
  if (control !== -1) return at('This control character cannot be sent. Take it out.', control, control + 1);
  try {
    const templates = engine.parse(text);
    const names = templateNames(templates);
    return (
      nameProblem(names, MOST_PARTS) ?? {
        isForDigests: isForDigests(names),
        write: (fields) => piecesOf(templates, fields),
      }
    );
  } catch (error) {
    if (!LiquidError.is(error)) throw error;
    return at(
      faultWords(error, { tags: TEMPLATE_TAGS, filters: TEMPLATE_FILTERS }),
      error.token.begin,
      error.token.end,
    );
  }
}

export const isProblem = (parsed: MessageTemplate | TemplateProblem): parsed is TemplateProblem => 'message' in parsed;

const isForDigests = ({ names }: TemplateNames): boolean =>
  names.some(({ path: [root = ''] }) => Object.hasOwn(DIGEST_FIELDS, root));

function piecesOf(templates: Template[], fields: MessageFields): readonly MessagePiece[] {
  const pieces: MessagePiece[] = [];
  let characters = 0;
  const emitter = {
    buffer: '',
    write(chunk: string) {
      const [mark] = chunk;
      pieces.push(isMark(mark) ? { kind: MARKS[mark], text: chunk.slice(1) } : { kind: 'own', text: chunk });
      characters += chunk.length;
      if (characters > MOST_CHARACTERS) throw new TemplateFault(`The message has over ${MOST_CHARACTERS} characters.`);
    },
  };
  try {
    const context = new Context(fields, engine.options, { sync: true }, { liquid: engine });
    toValueSync(engine.renderer.renderTemplates(templates, context, emitter));
  } catch (error) {
    if (!LiquidError.is(error)) throw error;
    throw error.originalError instanceof TemplateFault
      ? error.originalError
      : new TemplateFault(faultWords(error, { tags: TEMPLATE_TAGS, filters: TEMPLATE_FILTERS }));
  }
  if (pieces.every(({ text }) => text.trim() === '')) throw new TemplateFault(EMPTY_MESSAGE);
  return pieces;
}

/** The filter `date`: a time as clocks in a time zone show it, in the usual letters of `strftime`. */
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const LONGEST_FORMAT = 100;
const LETTER = /%(-?)([a-zA-Z%])/g;

const two = (number: number): string => String(number).padStart(2, '0');
const inTwelve = (hour: number): number => hour % 12 || 12;

/** `wall`: what the clocks there show, as if it were UTC. */
const LETTERS: Readonly<Record<string, (wall: Date, zone: string) => string>> = {
  Y: (wall) => String(wall.getUTCFullYear()),
  y: (wall) => two(wall.getUTCFullYear() % 100),
  m: (wall) => two(wall.getUTCMonth() + 1),
  B: (wall) => MONTHS[wall.getUTCMonth()]!,
  b: (wall) => MONTHS[wall.getUTCMonth()]!.slice(0, 3),
  d: (wall) => two(wall.getUTCDate()),
  e: (wall) => String(wall.getUTCDate()).padStart(2, ' '),
  A: (wall) => DAYS[wall.getUTCDay()]!,
  a: (wall) => DAYS[wall.getUTCDay()]!.slice(0, 3),
  H: (wall) => two(wall.getUTCHours()),
  I: (wall) => two(inTwelve(wall.getUTCHours())),
  M: (wall) => two(wall.getUTCMinutes()),
  S: (wall) => two(wall.getUTCSeconds()),
  p: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  F: (wall) => wall.toISOString().slice(0, 10),
  R: (wall) => wall.toISOString().slice(11, 16),
  T: (wall) => wall.toISOString().slice(11, 19),
  Z: (_, zone) => zone,
  '%': () => '%',
};

/** A value that is no time stays as it is. */
function dateText(time: unknown, format: unknown = '%F %R', zone: unknown = 'UTC'): unknown {
  if (!(time instanceof Date)) return time;
  const [form, name] = [String(format), String(zone)];
  if (form.length > LONGEST_FORMAT)
    throw new TemplateFault(`A format of a time has ${LONGEST_FORMAT} characters at most.`);
  if (!isZone(name)) throw new TemplateFault('There is no such time zone. Give its IANA name, such as Europe/Berlin.');
  const wall = new Date(time.getTime() + offsetAt(name, time.getTime()));
  return form.replaceAll(LETTER, (whole, bare: string, letter: string) => {
    const text = LETTERS[letter]?.(wall, name) ?? whole;
    return bare === '' ? text : text.replace(/^[0 ](?=.)/, '');
  });
}
