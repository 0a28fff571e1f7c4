/** What agents read. */
import type { Bug } from '../bug.ts';

export const mcpBugs: readonly Bug[] = [
  {
    id: 'mcp-hidden-text',
    hurts: 'Instructions in characters that no person sees reach an agent.',
    file: 'src/mcp/untrusted.ts',
    find: 'flags.add(flagOf(character));\n      return `',
    replace:
      "flags.add(flagOf(character));\n      if (flagOf(character) === 'tag_characters') return character;\n      return `",
    caughtBy: { file: 'src/mcp/untrusted.test.ts', test: 'shows "󠁁" as "<U+E0041>"' },
  },
  {
    id: 'mcp-live-markup',
    hurts: 'A picture in the text of a stranger makes an agent call an address with what it has read.',
    file: 'src/mcp/untrusted.ts',
    find: 'const JOINTS = /!(?=\\[)|\\](?=[[(:])/g;',
    replace: 'const JOINTS = /!(?=\\[)/g;',
    caughtBy: {
      file: 'src/mcp/untrusted.test.ts',
      test: 'shows "![a](b) [c][d] [e]: f" as "! [a] (b) [c] [d] [e] : f"',
    },
  },
  {
    id: 'mcp-live-tags',
    hurts: 'A tag in the text of a stranger ends the part that an agent must not trust.',
    file: 'src/mcp/untrusted.ts',
    find: ".replaceAll(TAG_STARTS, '‹')",
    replace: '',
    caughtBy: {
      file: 'src/mcp/untrusted.test.ts',
      test: 'shows "<img> </a> <!-- <?x 1 < 2 <3" as "‹img> ‹/a> ‹!-- ‹?x 1 < 2 <3"',
    },
  },
  {
    id: 'mcp-flags-lost',
    hurts: 'An agent is not told that text was hidden in what it reads.',
    file: 'src/mcp/untrusted.ts',
    find: "if (broken !== text) flags.add('markup');",
    replace: '',
    caughtBy: {
      file: 'src/mcp/untrusted.test.ts',
      test: 'shows "![a](b) [c][d] [e]: f" as "! [a] (b) [c] [d] [e] : f"',
    },
  },
  {
    id: 'mcp-cut-in-silence',
    hurts: 'An agent takes the beginning of a text for all of it.',
    file: 'src/mcp/untrusted.ts',
    find: "  flags.add('cut');\n  if (size < 1)",
    replace: '  if (size < 1)',
    caughtBy: { file: 'src/mcp/untrusted.test.ts', test: 'keeps to the size inside JSON, whatever the text' },
  },
];
