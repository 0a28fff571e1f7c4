/** Create View, List Views and Delete View: filters of matches that people come back to. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import type { MatchView } from '../../domain/views.ts';
import { byCaller, changeNote } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { limitReached, MAX_VIEWS } from '../limits.ts';
import { goneOfView, rulesGone } from '../rules/rules-gone.ts';
import { characters, time, visibleName } from '../shapes.ts';
import { operation } from './room.ts';

const listedView = z.object({
  view_id: z.string(),
  name: z.string(),
  query: z.string().describe('The query string of the page of matches in the console.'),
  rules_gone: rulesGone,
  created_at: time,
});

const exampleView: z.input<typeof listedView> = {
  view_id: 'view_01k3zqe5g7j9m1p3r5t7w9y1a3',
  name: 'Eruptions in English',
  query: 'text=eruption&language=en',
  created_at: '2026-11-15T08:30:00.123Z',
};

export const createView = operation({
  name: 'createView',
  summary: 'Save a view',
  description: 'Saves a filter of matches under a name, for everybody with a key of the account.',
  access: 'full',
  input: z.strictObject({ name: visibleName(1, 200), query: characters(0, 2_000) }),
  output: listedView,
  example: { input: { name: exampleView.name, query: exampleView.query }, output: exampleView },
  async run(context, caller, { name, query }) {
    const { store, clock, settings } = context;
    const createdAt = clock.now();
    const view: MatchView = { id: newId('view', createdAt), accountId: caller.account.id, name, query, createdAt };
    const note = changeNote(createdAt, byCaller(caller), 'view.created', view.id, { after: { name, query } });
    if (await store.addView(view, MAX_VIEWS, note)) return savedToJson(view);
    throw limitReached('views', `The account has ${MAX_VIEWS} saved views, which is the limit.`, {
      support: settings.support,
      details: { limit: MAX_VIEWS, used: MAX_VIEWS },
    });
  },
});

export const listViews = operation({
  name: 'listViews',
  summary: 'List saved views',
  description: 'The saved views of the account, oldest first.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ views: z.array(listedView) }),
  example: { input: {}, output: { views: [exampleView] } },
  async run(context, { account }) {
    const shown = async (view: MatchView) => ({ ...savedToJson(view), ...(await goneOfView(context, view)) });
    return { views: await Promise.all((await context.store.views(account.id)).map(shown)) };
  },
});

export const deleteView = operation({
  name: 'deleteView',
  summary: 'Delete a saved view',
  description: 'Deletes a saved view. Matches stay as they are.',
  access: 'full',
  input: z.strictObject({ view_id: z.string() }),
  output: z.object({}),
  example: { input: { view_id: exampleView.view_id }, output: {} },
  async run({ store, clock }, caller, { view_id }) {
    const { id: accountId } = caller.account;
    const view = (await store.views(accountId)).find(({ id }) => id === view_id);
    const before = view && { name: view.name, query: view.query };
    const note = before && changeNote(clock.now(), byCaller(caller), 'view.deleted', view_id, { before });
    if (await store.deleteView(accountId, view_id, note)) return {};
    throw new ServiceError('not_found', 'There is no such view.');
  },
});

const savedToJson = ({ id, name, query, createdAt }: MatchView): z.input<typeof listedView> => ({
  view_id: id,
  name,
  query,
  created_at: createdAt.toISOString(),
});
