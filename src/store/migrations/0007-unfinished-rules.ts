import type { Migration } from './migration.ts';

export const unfinishedRules: Migration = {
  name: '0007-unfinished-rules',
  sql: `CREATE INDEX rule_platforms_unfinished ON rule_platforms (rule) WHERE status = 'pending';`,
};
