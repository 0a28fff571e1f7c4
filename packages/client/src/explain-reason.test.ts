import { expect, it } from 'vitest';
import { explainReason } from './explain-reason.ts';

it('says a reason in words, with the name of the source, and leaves an unknown one as it is', () => {
  expect(explainReason('paused')).toBe('The rule is paused.');
  expect(explainReason('source_down:news')).toBe('A source cannot be reached (news).');
  expect(explainReason('constructor')).toBe('constructor');
  expect(explainReason('new_one:name')).toBe('new_one:name');
});
