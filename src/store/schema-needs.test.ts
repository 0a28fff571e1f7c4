/** Steps since the last release serve its program, too, or say that they do not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { neededAfter, type SchemaStep } from './schema-needs.ts';
import { POSTGRES_STEPS, RELEASED_SCHEMA, RELEASED_VERSION, SQLITE_STEPS } from './steps.ts';

/** These only add. Anything else may take away what the program before reads, or ask for what it does not write. */
const ADDITIONS = [
  /^CREATE TABLE \w+ \(.*\)( WITHOUT ROWID)?$/s,
  /^CREATE INDEX \w+ ON \w+ .*$/s,
  /^ALTER TABLE \w+ (ADD COLUMN (?![^,]*NOT NULL(?![^,]* DEFAULT ))[^,]*,?\s*)+$/s,
  /^(INSERT INTO|UPDATE) .*$/s,
  /^CREATE FUNCTION .*$/s,
  // It counts, and refuses nothing.
  /^CREATE TRIGGER \w+ AFTER [^;]* (EXECUTE FUNCTION note_\w+\(\)|BEGIN\s+UPDATE state SET value = value \+ 1 [^;]*;\s+END)$/,
];

/** A trigger of SQLite and a function have statements of their own. */
const STATEMENT = /\s*(?:CREATE TRIGGER [^;]* BEGIN\b.*?\bEND(?=;|$)|CREATE FUNCTION .*?\bEND \$\$(?=;)|[^;]+)/gs;

const statementsOf = (sql: string): string[] =>
  (sql.replaceAll(/^\s*--.*$/gm, '').match(STATEMENT) ?? [])
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** A unique index refuses what the program before may write; so does a column that it does not fill. */
const breaks = (sql: string): string[] =>
  statementsOf(sql).filter((statement) => !ADDITIONS.some((addition) => addition.test(statement)));

/** Steps after the last one that breaks with everything before it. */
function sinceBreak(steps: readonly SchemaStep[]): readonly SchemaStep[] {
  return steps.slice(steps.findLastIndex(({ name, needs }) => name === needs) + 1);
}

describe.each([
  ['SQLite', SQLITE_STEPS],
  ['PostgreSQL', POSTGRES_STEPS],
] as const)('the steps of %s', (_, steps) => {
  it('add and take nothing away, or name the step that a program must know', () => {
    const silent = sinceBreak(steps).filter(({ needs }) => needs === undefined);
    expect(silent.flatMap(({ name, sql }) => breaks(sql).map((statement) => `${name}: ${statement}`))).toEqual([]);
    const names = steps.map(({ name }) => name);
    for (const { name, needs = name } of steps) expect(names.slice(0, names.indexOf(name) + 1)).toContain(needs);
  });

  it('say in the changelog when the release cannot run beside the one before', () => {
    const isBroken = steps.some(({ name, needs }, index) => index > 0 && name === needs);
    const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
    const unreleased = changelog.slice(0, changelog.indexOf('\n## 0.2.0'));
    expect(unreleased.includes('cannot run beside 0.2.0')).toBe(isBroken);
  });
});

describe('a step', () => {
  it.each([
    'ALTER TABLE recent ADD COLUMN owner bigint NOT NULL',
    'ALTER TABLE recent ADD COLUMN a bigint, ADD COLUMN owner bigint NOT NULL',
    "ALTER TABLE recent ADD COLUMN owner bigint NOT NULL, ADD COLUMN a text NOT NULL DEFAULT ''",
    'ALTER TABLE recent DROP COLUMN owner',
    "CREATE TRIGGER t BEFORE INSERT ON keys BEGIN SELECT RAISE(ABORT, 'no'); END",
    'ALTER TABLE recent RENAME COLUMN owner TO account',
    'ALTER TABLE recent RENAME TO ring',
    'ALTER TABLE recent ALTER COLUMN owner SET NOT NULL',
    'ALTER TABLE recent ALTER COLUMN owner TYPE text',
    'DROP TABLE recent',
    'DROP INDEX recent_by_age',
    'CREATE UNIQUE INDEX recent_once ON recent (owner)',
    'DELETE FROM recent',
  ])('%s breaks with the program before', (sql) => {
    expect(breaks(sql)).toEqual([sql]);
  });

  it.each([
    'ALTER TABLE recent ADD COLUMN owner bigint',
    'ALTER TABLE recent ADD COLUMN owner bigint NOT NULL DEFAULT 0',
    "ALTER TABLE gaps ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN rule text",
    'CREATE TABLE one (a text NOT NULL PRIMARY KEY)',
    'CREATE INDEX recent_by_owner ON recent (owner) WHERE owner > 0',
    'UPDATE recent SET owner = 1',
  ])('%s does not', (sql) => {
    expect(breaks(sql)).toEqual([]);
  });

  it('asks for itself, for an earlier one, or for none', () => {
    const of = (...needs: (string | undefined)[]) =>
      needs.map((need, index) => ({ name: `s${index}`, sql: '', ...(need !== undefined && { needs: need }) }));
    expect(neededAfter(of(undefined, undefined), RELEASED_VERSION)).toBe(RELEASED_VERSION);
    expect(neededAfter(of(undefined, 's1', undefined), RELEASED_SCHEMA)).toBe(RELEASED_SCHEMA + 1);
    expect(neededAfter(of(undefined, 's1', undefined, 's2'), 3)).toBe(5);
  });
});
