/** The pages that list settings and limits, printed from their tables. */
import { PROFILES, SETTINGS, type Setting } from '../src/app/settings.ts';
import { LONGEST_ADDRESS, MOST_ENTRIES } from '../src/domain/source.ts';
import { ACCOUNT_LIMITS, type Limit, RESTORABLE_DAYS } from '../src/service/limits.ts';

/** The page `docs/configuration.md`. */
export function printSettings(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(
    ([name, { unset, about }]) => `| \`${name}\` | ${unset === undefined ? '' : `\`${unset}\``} | ${about} |`,
  );
  return `# Configuration

Everything is set by environment variables, read once at the start. A variable that begins with \`SLUICE_\` and is not in
this table is an error at the start, so that a misspelt one is not lost in silence. An empty variable counts as not set.
Names that begin with \`SLUICE_TEST_\` belong to the tests and are passed over.

Traces are set by OpenTelemetry's own variables: see [traces](traces.md).

This page is printed from \`src/app/settings.ts\`.

| Variable | When it is not set | What it does |
| --- | --- | --- |
${rows.join('\n')}

With \`SLUICE_PROFILE=public\` these are other when they are not set:

${Object.entries(PROFILES['public']!)
  .map(([name, text]) => `- \`${name}=${text}\``)
  .join('\n')}
`;
}

/** The page `docs/limits.md`. */
export function printLimits(): string {
  const rows = Object.entries<Limit>(ACCOUNT_LIMITS).map(
    ([code, { about, usual, open = usual, more }]) => `| \`${code}\` | ${about} | ${usual} | ${open} | ${more}. |`,
  );
  return `# Limits

Who reaches one of these limits is answered \`resource_exhausted\` (429). \`details.limit_code\` is the code, the message says how
to get more, and \`Retry-After\` is there when waiting helps. \`GET /api.Status\` lists them under \`limits\`, with what is used
where that is counted. \`SLUICE_SUPPORT\` adds a contact to the messages.

This page is printed from \`src/service/limits.ts\`.

| Code | What is limited | When nothing is set | With \`SLUICE_PROFILE=public\` | How to get more |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

Limits that name \`sluice accounts set NAME --limit\` can be set for one account: more, less or \`off\`, at once and on every node.
\`--limit CODE=usual\` lifts that again. \`sluice accounts show NAME\` shows what holds for an account, and what it uses.

A deleted rule can be restored with its matches for ${RESTORABLE_DAYS} days. Then it is erased; no setting changes that.

What a request costs, and the limits of bodies, lines and connections, are in [the HTTP interface](http-api.md#limits); those of
one event [there too](http-api.md#limits-of-an-event). A source of an account has at most ${MOST_ENTRIES} addresses, channels, repositories,
subreddits, communities or categories, each address at most ${LONGEST_ADDRESS} characters. They answer \`invalid_argument\`, or end a page early, and no setting
changes them.
`;
}
