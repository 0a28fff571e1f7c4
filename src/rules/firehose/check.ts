import type { Built } from './build.ts';
import type { Report } from './messages.ts';
import type { Clause } from './syntax-tree.ts';
export function check(_text: string, _clauses: readonly Clause[], _built: Built | undefined, _report: Report): void {}
