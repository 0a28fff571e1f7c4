import { describe, expect, it } from 'vitest';
import { operationsIn } from './tools.ts';

const call = (name: unknown, input?: unknown) => ({ method: 'tools/call', params: { name, arguments: input } });
const named = (message: unknown): string[] => operationsIn(message).map(({ name }) => name);

describe('what a message costs', () => {
  it('is that of the operations behind its tool', () => {
    expect(named(call('delete_rule', { rule_id: 'rule_0123456789abcdef' }))).toEqual(['deleteRule']);
    expect(named(call('create_rule', {}))).toEqual(['listRules', 'createRule']);
    expect(named(call('check_rule', {}))).toEqual(['nearMisses', 'validateRule', 'previewRule', 'translateRule']);
    expect(operationsIn(call('status', { platform: 'x' }))).toEqual([{ name: 'status', input: { platform: 'x' } }]);
  });

  it('is more where a rule is named, which is looked for among all of them', () => {
    expect(named(call('delete_rule', { rule_id: 'Harbour fires' }))).toEqual(['deleteRule', 'listRules']);
    for (const input of [undefined, null, 'Harbour fires', {}, { rule_id: 7 }])
      expect(named(call('delete_rule', input))).toEqual(['deleteRule']);
  });

  it('is that of all messages of a batch', () => {
    expect(named([call('status'), call('delete_rule', {}), null])).toEqual(['status', 'deleteRule']);
  });

  it('is nothing where no tool is called', () => {
    for (const message of [null, 'status', 7, {}, { method: 'tools/call' }, { method: 'tools/call', params: null }])
      expect(named(message)).toEqual([]);
    expect(named({ ...call('status'), method: 'tools/list' })).toEqual([]);
    expect(named({ params: { name: 'status' } })).toEqual([]);
    expect([named(call('no_such_tool')), named(call(7))]).toEqual([[], []]);
  });
});
