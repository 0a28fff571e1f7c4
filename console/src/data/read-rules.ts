/** Reads a long list of rules in parts: ten thousand at once keep the page from answering. */
const HEAD = '{"rules":[';
const TAIL = ']}';
/** Between two rules. It cannot be within a text, where every quotation mark has a backslash before it. */
const BETWEEN = '},{"id":"rule_';
/** Characters that are read at once. */
const PART = 256 * 1024;

export async function readRules(text: string, pause: () => Promise<void> = nextTask): Promise<unknown> {
  if (text.length <= PART) return JSON.parse(text);
  if (!text.startsWith(HEAD) || !text.endsWith(TAIL)) throw new SyntaxError('This is not a list of rules.');
  const rules: unknown[] = [];
  const end = text.length - TAIL.length;
  for (let from = HEAD.length; from < end; ) {
    const cut = text.indexOf(BETWEEN, from + PART);
    const to = cut === -1 ? end : cut + 1;
    rules.push(...(JSON.parse(`[${text.slice(from, to)}]`) as unknown[]));
    from = to + 1;
    await pause();
  }
  return { rules };
}

const nextTask = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
