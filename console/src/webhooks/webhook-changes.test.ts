import { describe, expect, it } from 'vitest';
import type { Webhook } from '../data/queries.ts';
import { choiceOf, choiceToSave, webhookChanges } from './webhook-changes.ts';

const webhook: Webhook = {
  id: 'hook_1',
  url: 'https://example.com/***',
  description: 'Newsroom',
  rule_ids: ['rule_1'],
  platforms: null,
  sources: null,
  format: 'slack',
  has_credential: false,
  batch: null,
  wake: { per: 'story', at_most: null, min_relevance: 0.5 },
  template: '{{ text }}',
  events: ['match'],
  status: 'active',
  created_at: '2026-11-15T08:00:00.000Z',
  reason: null,
} as Partial<Webhook> as Webhook;
const shown = choiceOf(webhook);
const sent = (part: Partial<typeof shown>) => webhookChanges(webhook, choiceToSave({ ...shown, ...part }));

describe('what an edit of a webhook sends', () => {
  it('is nothing where nothing differs, and else only what does', () => {
    expect(sent({})).toEqual({});
    expect(sent({ description: ' Newsroom desk ' })).toEqual({ description: 'Newsroom desk' });
    expect(sent({ rule_ids: null, platforms: ['x'] })).toEqual({ rule_ids: null, platforms: ['x'] });
    // A term that was changed and changed back is none.
    expect(sent({ wake: { min_relevance: 0.5, at_most: null, per: 'story' } })).toEqual({});
  });

  it('has no address but one that was typed, and so with what lets in there', () => {
    expect(sent({ url: ' https://example.org/hook ', credential: 'secret' })).toEqual({
      url: 'https://example.org/hook',
      credential: 'secret',
    });
  });

  it('has with a new format the pace of it, and no message where nobody reads one', () => {
    expect(sent({ format: 'json' })).toEqual({ format: 'json', batch: null, template: null });
    expect(sent({ format: 'email' })).toEqual({ format: 'email', batch: null });
  });
});
