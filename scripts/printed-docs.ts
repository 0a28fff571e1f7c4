/** The pages, or parts of pages, that are printed from the code. `npm run docs` writes them; a test keeps them in step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentSnippets } from '../console/src/agents/snippets.ts';
import type { Platform } from '../src/domain/platform.ts';
import { MESSAGES as FIREHOSE_MESSAGES } from '../src/rules/firehose/messages.ts';
import { HABITS } from '../src/rules/habits/table.ts';
import { languages, SHORT_HELP } from '../src/rules/languages.ts';
import { suggestionFor } from '../src/rules/suggest.ts';
import { MESSAGES as X_MESSAGES } from '../src/rules/x/messages.ts';
import { printBugs } from '../test/bugs/print-bugs.ts';
import { printClientTypes } from './client-types.ts';
import { printPythonApi, printPythonCalls } from './python-client.ts';
import { printLimits, printSettings } from './setting-pages.ts';

export const ROOT = join(import.meta.dirname, '..');

/** Every printed page with the content it must have. */
export function printedDocs(): Record<string, string> {
  return {
    'packages/client/src/api.ts': printClientTypes(),
    'clients/python/sluice/_api.py': printPythonApi(),
    'clients/python/sluice/_sync.py': printPythonCalls(false),
    'clients/python/sluice/_async.py': printPythonCalls(true),
    'docs/agents.md': withSnippets(readFileSync(join(ROOT, 'docs/agents.md'), 'utf8')),
    'docs/bug-models.md': printBugs(),
    'docs/configuration.md': printSettings(),
    'docs/limits.md': printLimits(),
    'skills/sluice-watching/references/x.md': referenceOf('x'),
    'skills/sluice-watching/references/firehose.md': referenceOf('firehose'),
    'docs/rule-languages.md': withHabits(withCodes(readFileSync(join(ROOT, 'docs/rule-languages.md'), 'utf8'))),
  };
}

/** The values that a reader replaces: the address, the key and the path. */
const EXAMPLE = {
  url: 'http://127.0.0.1:4800/mcp',
  publicUrl: 'https://sluice.example/mcp',
  key: 'sk_…',
  program: '/path/to/sluice/bin/sluice.mjs',
};

function withSnippets(page: string): string {
  const printed = agentSnippets(EXAMPLE).map(({ agent, where, language, text }) => {
    const fence = language === 'sh' ? 'sh example' : language;
    return `**${agent}** (${where})\n\n\`\`\`${fence}\n${text}\n\`\`\`\n`;
  });
  return page.replace(
    /(<!-- snippets -->\n).*?(<!-- end -->)/s,
    (_, open: string, close: string) => `${open}\n${printed.join('\n')}\n${close}`,
  );
}

/** A language as a page of the skill: the same words that `platform_syntax` answers with. */
function referenceOf(platform: Platform): string {
  const { examples, pitfalls } = languages({ local: true })[platform].help;
  const lines = SHORT_HELP[platform].split('\n').map((line) => (line.startsWith('- ') ? line : `\n${line}\n`));
  const cases = examples.map(({ intent, rule }) => `${intent}:\n\n\`\`\`${platform}\n${rule}\n\`\`\`\n`);
  return [
    `# Rules for ${platform}\n`,
    '<!-- printed by `npm run docs` -->\n',
    `${lines.join('\n').replaceAll('\n\n\n', '\n\n').trim()}\n`,
    '## Examples\n',
    ...cases,
    '## Pitfalls\n',
    `${pitfalls.map((pitfall) => `- ${pitfall}`).join('\n')}\n`,
  ].join('\n');
}

interface Message {
  readonly severity: string;
  readonly summary: string;
  readonly example: string;
}

function withCodes(page: string): string {
  const tables: Record<string, string> = { x: tableOf(X_MESSAGES), firehose: tableOf(FIREHOSE_MESSAGES) };
  return page.replace(
    /(<!-- codes: (\w+) -->\n).*?(<!-- end -->)/gs,
    (_, open: string, language: string, close: string) => `${open}${tables[language]}${close}`,
  );
}

function tableOf(messages: Readonly<Record<string, Message>>): string {
  const rows = Object.entries(messages).map(
    ([code, { severity, summary, example }]) =>
      `| \`${code}\` | ${severity} | ${cell(summary)} | ${exampleCell(example)} |\n`,
  );
  return `\n| Code | Severity | Meaning | Example |\n|---|---|---|---|\n${rows.join('')}\n`;
}

/** The checker itself is asked what each habit becomes. */
function withHabits(page: string): string {
  const becomes = (platform: Platform, typed: string | undefined) => {
    if (typed === undefined) return '';
    const { parse } = languages()[platform];
    const mended = suggestionFor(typed, parse);
    return `${exampleCell(typed)} → ${mended === undefined ? cell(parse(typed).diagnostics[0]!.message) : exampleCell(mended)}`;
  };
  const rows = HABITS.map(
    ({ meaning, tools, examples }) =>
      `| ${cell(meaning)} | ${cell(tools)} | ${becomes('x', examples.x)} | ${becomes('firehose', examples.firehose)} |\n`,
  );
  const table = `\n| Meaning | Written so by | On x | On firehose |\n|---|---|---|---|\n${rows.join('')}\n`;
  return page.replace(
    /(<!-- habits -->\n).*?(<!-- end -->)/s,
    (_, open: string, close: string) => `${open}${table}${close}`,
  );
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** Rules of a page's length explain nothing in a table. */
function exampleCell(rule: string): string {
  if (rule === '' || rule.length > 80) return '';
  return rule.includes('`') ? `\`\` ${cell(rule)} \`\`` : `\`${cell(rule)}\``;
}
