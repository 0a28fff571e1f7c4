/**
 * The words of PostgreSQL that the store's statements use, and what SQLite says instead. A list is handed to SQLite as a text of
 * JSON. The table is applied from top to bottom, once for each statement.
 */
export interface Word {
  readonly postgres: RegExp;
  readonly sqlite: string | ((...found: string[]) => string);
}

/** Words for SQLite alone: PostgreSQL reads a comment. */
export const SQLITE_ALONE = /\/\*sqlite\s(.*?)\s?\*\//gs;

const LIST = String.raw`\$(\d+)(?:::\w+\[\])?`;

export const WORDS: readonly Word[] = [
  // The words in such a comment are for SQLite alone, mostly the index to walk: `FROM alerts /*sqlite INDEXED BY
  // alerts_that_last */`.
  { postgres: SQLITE_ALONE, sqlite: '$1' },
  // Rows that are handed over as JSON: `json_to_recordset($1) AS p (rule bigint, platform text)`.
  {
    postgres: /json_to_recordset\(\$(\d+)\)\s+AS (\w+) \(([^)]*)\)/g,
    sqlite: (_, number, name, columns) => {
      const read = columns.split(', ').map((column) => column.split(' ')[0]!);
      return `(SELECT ${read.map((column) => `value ->> '${column}' AS ${column}`).join(', ')} FROM json_each(?${number})) AS ${name}`;
    },
  },
  {
    postgres: new RegExp(String.raw`unnest\(${LIST}\) AS (\w+) \((\w+)\)`, 'g'),
    sqlite: '(SELECT value AS $3 FROM json_each(?$1)) AS $2',
  },
  { postgres: new RegExp(String.raw`= ANY\(${LIST}\)`, 'g'), sqlite: 'IN (SELECT value FROM json_each(?$1))' },
  { postgres: /::\w+(\[\])?/g, sqlite: '' },
  { postgres: /\bgreatest\(/g, sqlite: 'max(' },
  { postgres: /\bleast\(/g, sqlite: 'min(' },
  { postgres: /\bLIMIT ALL\b/g, sqlite: 'LIMIT -1' },
  // One connection writes, and nothing comes between the statements of its transaction.
  { postgres: /\s+FOR (?:UPDATE|(?:KEY )?SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/g, sqlite: '' },
  { postgres: /\$(\d+)/g, sqlite: '?$1' },
];

/** The statement as SQLite takes it. */
export const inSqlite = (text: string): string =>
  WORDS.reduce(
    (said, { postgres, sqlite }) =>
      typeof sqlite === 'string' ? said.replace(postgres, sqlite) : said.replace(postgres, sqlite),
    text,
  );

const TYPES: Readonly<Record<string, string>> = {
  bigint: 'INTEGER',
  smallint: 'INTEGER',
  integer: 'INTEGER',
  text: 'TEXT',
  bytea: 'BLOB',
  'double precision': 'REAL',
};

/** The step of the schema as SQLite takes it. */
export const stepInSqlite = (text: string): string =>
  text
    .replace(/\/\*postgres\*\/.*?\/\*end\*\//gs, '')
    .replace(SQLITE_ALONE, '$1')
    .replaceAll('GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'PRIMARY KEY AUTOINCREMENT')
    .replaceAll(' COLLATE "C"', '')
    .replace(/\b(?:bigint|smallint|integer|text|bytea|double precision)\b/g, (type) => TYPES[type]!);
