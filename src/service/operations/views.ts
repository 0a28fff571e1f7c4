/** Create View, List Views and Delete View: filters of matches that people come back to. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { characters, time } from '../shapes.ts';
import { operation } from './operation.ts';

const listedView = z.object({
  view_id: z.string(),
  name: z.string(),
  query: z.string().describe('The query string of the page of matches in the console.'),
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
  input: z.strictObject({ name: characters(1, 200), query: characters(0, 2_000) }),
  output: listedView,
  example: { input: { name: exampleView.name, query: exampleView.query }, output: exampleView },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});

export const listViews = operation({
  name: 'listViews',
  summary: 'List saved views',
  description: 'The saved views of the account, oldest first.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ views: z.array(listedView) }),
  example: { input: {}, output: { views: [exampleView] } },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});

export const deleteView = operation({
  name: 'deleteView',
  summary: 'Delete a saved view',
  description: 'Deletes a saved view. Matches stay as they are.',
  access: 'full',
  input: z.strictObject({ view_id: z.string() }),
  output: z.object({}),
  example: { input: { view_id: exampleView.view_id }, output: {} },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
