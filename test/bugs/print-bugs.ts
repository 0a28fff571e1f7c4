/** The page `docs/bug-models.md`, printed from the catalogue. */
import { BUGS, BUGS_BY_AREA } from './catalogue.ts';

/** As it stands in a table: what looks like the end of a cell or like a link is neither. */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('](', '] (');

export function printBugs(): string {
  const tables = Object.entries(BUGS_BY_AREA).map(([area, bugs]) => {
    const rows = bugs.map(
      ({ id, hurts, file, caughtBy }) =>
        `| \`${id}\` | ${cell(hurts)} | \`${file}\` | \`${caughtBy.file}\`: ${cell(caughtBy.test)} |\n`,
    );
    return `## ${area}\n\n| Bug | Who is hurt, and how | Planted in | Caught by |\n|---|---|---|---|\n${rows.join('')}`;
  });
  return `# Which bugs would the tests catch?

<!-- printed by \`npm run docs\` -->

These ${BUGS.length} bugs would hurt a user. Each is a change of one place in the code, in [test/bugs/catalogue](../test/bugs/catalogue), with the test
that must catch it. \`npm run bugs\` plants one after another in a copy of the project, runs that test, and fails when one survives;
\`--only <id>\` plants one, \`--sample 10 --seed 7\` ten of them. A refactoring that moves the code moves the bug with it: a test fails when
the text of a bug is no longer in its file. A bug that was found in a release comes here, with its test.

${tables.join('\n')}`;
}
