/** SQLite's plan of a statement says what it costs at size. */

/** Tables that grow with use. The others have a row for each platform, setting or node. */
const GROWING = new Set([
  'accounts',
  'keys',
  'rules',
  'rule_platforms',
  'account_rules',
  'tallies',
  'minutes',
  'answers',
  'cursors',
  'events',
  'matches',
  'rule_matches',
  'event_posts',
  'event_keys',
  'recent',
  'recent_totals',
  'recent_erased',
  'webhooks',
  'owed',
  'wake_stories',
  'deliveries',
  'attempts',
  'registrations',
  'rule_changes',
  'passes',
  'oauth_clients',
  'grants',
  'access_tokens',
  'gaps',
  'feeds',
  'readings',
  'broken',
  'agreement',
  'usage',
  'ratings',
  'rated_posts',
  'story_parts',
  'story_log',
  'cold_objects',
  'cold_leftovers',
]);

/** Columns of which one value has very many rows: a search by these alone walks them all. */
const WIDE: Readonly<Record<string, readonly string[]>> = {
  owed: ['webhook'],
  cold_objects: ['account', 'stale'],
  wake_stories: ['webhook'],
  matches: ['account', 'platform', 'rule', 'story'],
  rule_matches: ['rule', 'platform'],
  story_parts: ['account', 'platform', 'rule'],
  event_posts: ['platform'],
  minutes: ['subject', 'platform'],
  recent: ['platform', 'owner'],
  recent_erased: ['platform'],
  deliveries: ['account', 'webhook', 'status'],
  answers: ['account'],
  rules: ['account', 'deleted'],
  rule_platforms: ['platform', 'status'],
  usage: ['owner', 'platform', 'month'],
  gaps: ['platform', 'owner'],
  feeds: ['platform'],
  readings: ['source'],
  broken: ['platform'],
  registrations: ['platform'],
  passes: ['key'],
  oauth_clients: ['used'],
  webhooks: ['status', 'claimed_by'],
};

const NAMED =
  /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?:\s+AS)?(?:\s+(?!WHERE|SET|JOIN|CROSS|LEFT|ORDER|INDEXED|NOT|LIMIT|ON|VALUES|GROUP|USING|UNION|SELECT)(\w+))?/g;

/** The tables of a statement by the names that its plan uses. */
function tablesOf(sql: string): Map<string, string> {
  const tables = new Map<string, string>();
  for (const [, table, alias] of sql.matchAll(NAMED)) tables.set(alias ?? table!, table!);
  return tables;
}

/** The lines that are wrong with a plan; empty when its cost does not grow with what is stored. */
export function growthIn(sql: string, plan: readonly string[]): string[] {
  const tables = tablesOf(sql);
  const isGrowing = (name: string): boolean => GROWING.has(tables.get(name) ?? name);
  return plan.filter((line) => {
    if (/TEMP B-TREE/.test(line)) return true;
    const [, kind, name, columns] = /^(SCAN|SEARCH) (\w+)(?:.*\(([^)]*)\))?/.exec(line) ?? [];
    if (kind === undefined || !isGrowing(name!)) return false;
    if (kind === 'SCAN') return true;
    // All rows of an account or of a webhook: fine where a limit ends the walk.
    const searched = (columns ?? '').split(' AND ').map((column) => column.replace(/[=<>].*/, ''));
    const wide = WIDE[tables.get(name!) ?? name!] ?? [];
    return searched.every((column) => wide.includes(column)) && !/\bLIMIT\b/.test(sql);
  });
}
