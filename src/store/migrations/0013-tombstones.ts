import type { Migration } from './migration.ts';

/** What was erased stays erased. The digests have a key of this database; account 0 stands for all accounts. */
export const tombstones: Migration = {
  name: '0013-tombstones',
  sql: `
    CREATE TABLE erasure_key (one INTEGER PRIMARY KEY CHECK (one = 1), key TEXT NOT NULL);
    INSERT INTO erasure_key VALUES (1, lower(hex(randomblob(32))));
    CREATE TABLE tombstones (
      digest TEXT NOT NULL,
      account INTEGER NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (digest, account)
    ) WITHOUT ROWID;
    CREATE INDEX tombstones_by_end ON tombstones (until);
  `,
};
