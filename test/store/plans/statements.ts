/** The statements that the source has, found in its texts: each must be met by one that the test has recorded. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { inSqlite } from '../../../src/store/sqlite/dialect.ts';

export interface SourceStatement {
  readonly file: string;
  readonly text: string;
  /** Matches every statement that is made of this text. */
  readonly pattern: RegExp;
}

const STATEMENT = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Stands for what a statement is given when it is made. */
const GIVEN = '\0';

/** The text as the database is told it, in parts. */
function said(parts: readonly string[], dialect: Dialect): string[] {
  const text = parts.join(GIVEN);
  return (dialect === 'sqlite' ? inSqlite(text).replaceAll(`$${GIVEN}`, `?${GIVEN}`) : text).split(GIVEN);
}

type Dialect = 'sqlite' | 'postgres';

/** The statements of one dialect: where a noun has two forms side by side, the other one is not met. */
export function statementsIn(folder: string, dialect: Dialect): SourceStatement[] {
  const files = readdirSync(folder, { encoding: 'utf8' }).filter((name) => /^(?!.*\.test\.ts$).*\.ts$/.test(name));
  return files.flatMap((name) => statementsOf(join(folder, name), dialect));
}

function statementsOf(file: string, dialect: Dialect): SourceStatement[] {
  const found: SourceStatement[] = [];
  const other = dialect === 'sqlite' ? 'postgres' : 'sqlite';
  let foreign = 0;
  const add = (parts: readonly string[]): void => {
    if (foreign > 0 || !STATEMENT.test(parts[0]!)) return;
    const pattern = new RegExp(
      said(parts, dialect)
        .map((part) => escaped(oneLine(part)))
        .join('[^]*'),
    );
    found.push({ file, text: oneLine(parts.join('…')), pattern });
  };
  const isForeign = ({ key }: { key: { type: string; name?: unknown } }): boolean =>
    key.type === 'Identifier' && key.name === other;
  new Visitor({
    Property: (property) => {
      if (isForeign(property)) foreign++;
    },
    'Property:exit': (property) => {
      if (isForeign(property)) foreign--;
    },
    Literal: ({ value }) => {
      if (typeof value === 'string') add([value]);
    },
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked ?? value.raw)),
  }).visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return found;
}

/** The statements that no recorded one is made of. */
export function notMet(statements: readonly SourceStatement[], recorded: Iterable<string>): string[] {
  const texts = [...recorded].map(oneLine);
  return statements
    .filter(({ pattern }) => !texts.some((text) => pattern.test(text)))
    .map(({ file, text }) => `${file}: ${text}`);
}
