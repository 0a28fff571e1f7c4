import type { SyntaxHelp } from '../language.ts';
export const firehoseHelp: SyntaxHelp = { platform: 'firehose', rule_type: 'regular', summary: '', grammar: '', operators: [], limits: {}, examples: [], pitfalls: [] };
