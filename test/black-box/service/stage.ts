/** The cases of the service share these: whom they talk to, and what they say most often. */
import { expect } from 'vitest';
import type { Answer, Started } from '../server.ts';

export type ServiceUnderTest = Pick<Started, 'url' | 'call' | 'push'> & AsyncDisposable;

export interface Stage extends Pick<ServiceUnderTest, 'call' | 'push'> {
  url(): string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Answers its id. */
  createRule(body: unknown): Promise<string>;
  matchesOf(body: unknown): Promise<Record<string, unknown>[]>;
}

/** Cases are written down before anything is started. */
export function stageOf(server: () => ServiceUnderTest): Stage {
  const post: Stage['post'] = (path, body, headers = {}) => server().call('POST', path, body, { headers });
  return {
    url: () => server().url,
    call: (...request) => server().call(...request),
    push: (...events) => server().push(...events),
    post,
    async createRule(body) {
      const { status, body: answer, text } = await post('/api.CreateRule', body);
      expect([status, text]).toEqual([200, expect.any(String)]);
      return answer['rule_id'] as string;
    },
    matchesOf: async (body) => (await post('/matches', body)).body['matches'] as Record<string, unknown>[],
  };
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const xRule = (value: string, name = 'a rule') => ({
  name,
  intent: '',
  platforms: ['x'],
  overrides: { x: value },
});

export const firehoseRule = (value: string) => ({
  name: 'a rule',
  intent: 'pages',
  platforms: ['firehose'],
  overrides: { firehose: value },
});

export const xPost = (id: string, text: string) => ({ data: { id, text } });

export const issuePaths = ({ body }: Answer): string[] =>
  (body['details'] as { issues: { path: string }[] }).issues.map(({ path }) => path);
