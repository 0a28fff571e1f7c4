/** The statements that the source has, found in its texts: each must be met by one that the test has recorded. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceStatement {
  readonly file: string;
  readonly text: string;
  /** Matches every statement that is made of this text. */
  readonly pattern: RegExp;
}

const STATEMENT = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

export function statementsIn(folder: string): SourceStatement[] {
  const files = readdirSync(folder, { encoding: 'utf8' }).filter((name) => /^(?!.*\.test\.ts$).*\.ts$/.test(name));
  return files.flatMap((name) => statementsOf(join(folder, name)));
}

function statementsOf(file: string): SourceStatement[] {
  const found: SourceStatement[] = [];
  const add = (parts: readonly string[]): void => {
    if (!STATEMENT.test(parts[0]!)) return;
    const pattern = new RegExp(parts.map((part) => escaped(oneLine(part))).join('[^]*'));
    found.push({ file, text: oneLine(parts.join('…')), pattern });
  };
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') add([value]);
    },
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked ?? value.raw)),
  }).visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return found;
}

/** Those that no recorded statement is made of. */
export function notMet(statements: readonly SourceStatement[], recorded: Iterable<string>): string[] {
  const texts = [...recorded].map(oneLine);
  return statements
    .filter(({ pattern }) => !texts.some((text) => pattern.test(text)))
    .map(({ file, text }) => `${file}: ${text}`);
}
