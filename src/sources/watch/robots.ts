/** Reads robots.txt by RFC 9309. */

export interface Robots {
  allows(path: string): boolean;
  /** Milliseconds that the site asks us to wait between two requests. */
  readonly delayMs: number;
}

interface Group {
  readonly agents: string[];
  readonly rules: { readonly allow: boolean; readonly pattern: string }[];
  delay: number;
}

const MAX_TEXT = 500 * 1024;
/** Lines that are read: each takes as long as forty characters, and sites have some hundreds. */
const MAX_LINES = 10_000;
const MAX_PATTERN = 1_000;

export const allowAll: Robots = { allows: () => true, delayMs: 0 };
export const allowNothing: Robots = { allows: () => false, delayMs: 0 };

/** Our name in robots.txt. */
const AGENT = 'sluice';

/** Several ask for the rules of one answer, and reading half a megabyte takes long. */
const known = new WeakMap<Uint8Array, Robots>();

/** The rules for us in an answer; each is read once. */
export function robotsIn(body: Buffer): Robots {
  const robots = known.get(body) ?? readRobots(body.toString(), AGENT);
  known.set(body, robots);
  return robots;
}

/** The rules for a program of this name: those of the groups that name it, or else of the groups for `*`. */
export function readRobots(text: string, agent: string): Robots {
  const groups = groupsOf(text.slice(0, MAX_TEXT));
  const named = groups.filter(({ agents }) => agents.includes(agent.toLowerCase()));
  const mine = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  const rules = mine.flatMap((group) => group.rules);
  return {
    delayMs: mine.reduce((longest, { delay }) => Math.max(longest, delay * 1_000), 0),
    allows(path) {
      if (path === '/robots.txt') return true;
      let [longest, isAllowed] = [0, true];
      for (const { allow, pattern } of rules) {
        if (pattern.length < longest || !matches(pattern, path)) continue;
        isAllowed = allow || (pattern.length === longest && isAllowed);
        longest = pattern.length;
      }
      return isAllowed;
    },
  };
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let [isNaming, read] = [false, 0];
  // Half a million empty lines are half a million lines.
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (++read > MAX_LINES) break;
    const { name, value } = fieldOf(line);
    const group = groups.at(-1);
    if (name === 'user-agent') {
      if (isNaming) group!.agents.push(value.toLowerCase());
      else groups.push({ agents: [value.toLowerCase()], rules: [], delay: 0 });
    } else if ((name === 'allow' || name === 'disallow') && value !== '' && value.length <= MAX_PATTERN) {
      group?.rules.push({ allow: name === 'allow', pattern: value });
    } else if (name === 'crawl-delay' && group !== undefined) group.delay = Number(value) || 0;
    if (name !== '') isNaming = name === 'user-agent';
  }
  return groups;
}

/** A line as a name in lower case and a value; both are empty when it is no such line. */
function fieldOf(line: string): { name: string; value: string } {
  const [, name = '', value = ''] = /^\s*([\w-]+)\s*:([^#]*)/.exec(line) ?? [];
  return { name: name.toLowerCase(), value: value.trim() };
}

/** A pattern covers paths that begin with it; `*` stands for anything, `$` for the end. Linear in the path's length. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  if (!isWhole && !pattern.includes('*')) return path.startsWith(pattern);
  const [head = '', ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  let at = head.length;
  for (const [index, piece] of rest.entries()) {
    const isLast = isWhole && index === rest.length - 1;
    const found = isLast ? path.length - piece.length : path.indexOf(piece, at);
    if (found < at || !path.startsWith(piece, found)) return false;
    at = found + piece.length;
  }
  return !isWhole || at === path.length;
}
