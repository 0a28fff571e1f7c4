/** The routes. A page's code loads on the first visit or while idle. Routes are behind the `#`, so the server need not know them. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { Enter } from './enter.tsx';
import { Gate } from './gate.tsx';
import { lazyPage } from './lazy-page.tsx';
import { NotFound, PageError, PagePending } from './page-states.tsx';

interface MatchesAddress {
  rule?: string;
  platform?: string;
  text?: string;
  since?: string;
  until?: string;
  /** `single`: matches one by one. Otherwise stories. */
  view?: string;
  story?: string;
  author?: string;
  domain?: string;
  language?: string;
  source?: string;
  match?: string;
  /** The tab of the open match. */
  tab?: string;
}

const root = createRootRoute({ component: Outlet });

const enter = createRoute({
  getParentRoute: () => root,
  path: '/enter',
  validateSearch: (search): { ticket?: string } => texts(search, ['ticket']),
  component: Enter,
});

/** The page that asks whether an agent may connect. It has no navigation: there is one thing to decide. */
const authorize = createRoute({
  getParentRoute: () => root,
  path: '/authorize',
  validateSearch: (search): { request?: string } => texts(search, ['request']),
  component: lazyPage(() => import('../agents/consent-page.tsx'), 'ConsentPage'),
});

/** The pages that need a session. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Gate });

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyPage(() => import('../home/page.tsx'), 'HomePage'),
});
const matches = createRoute({
  getParentRoute: () => inside,
  path: '/matches/{-$matchId}',
  validateSearch: (search): MatchesAddress =>
    texts(search, [
      'rule',
      'platform',
      'text',
      'since',
      'until',
      'view',
      'story',
      'author',
      'domain',
      'language',
      'source',
      'match',
      'tab',
    ]),
  // Messages in chats name a match this way.
  beforeLoad: ({ search: { match: matchId, ...search } }) => {
    if (matchId !== undefined)
      throw redirect({ to: '/matches/{-$matchId}', params: { matchId }, search, replace: true });
  },
  // The next match opens on the same page: a placeholder in its place would take the reader's focus away on a slow machine.
  pendingMs: 10_000,
  component: lazyPage(() => import('../matches/page.tsx'), 'MatchesPage'),
});
const rules = createRoute({
  getParentRoute: () => inside,
  path: '/rules',
  validateSearch: (search): { search?: string; state?: string; order?: string } =>
    texts(search, ['search', 'state', 'order']),
  component: lazyPage(() => import('../rules/list-page.tsx'), 'RulesPage'),
});
const newRule = createRoute({
  getParentRoute: () => inside,
  path: '/rules/new',
  validateSearch: (search): { about?: string; from?: string; url?: string } => texts(search, ['about', 'from', 'url']),
  component: lazyPage(() => import('../begin/page.tsx'), 'BeginPage'),
});
const writeRule = createRoute({
  getParentRoute: () => inside,
  path: '/rules/write',
  validateSearch: (search): { example?: string; copy?: string; source?: string } =>
    texts(search, ['example', 'copy', 'source']),
  component: lazyPage(() => import('../rules/new-rule-page.tsx'), 'NewRulePage'),
});
const deletedRules = createRoute({
  getParentRoute: () => inside,
  path: '/rules/deleted',
  component: lazyPage(() => import('../rules/deleted-rules.tsx'), 'DeletedRulesPage'),
});
const overlap = createRoute({
  getParentRoute: () => inside,
  path: '/rules/overlap',
  component: lazyPage(() => import('../rules/overlap-page.tsx'), 'OverlapPage'),
});
const rule = createRoute({
  getParentRoute: () => inside,
  path: '/rules/$ruleId',
  validateSearch: (search): { tab?: string; since?: string; until?: string } =>
    texts(search, ['tab', 'since', 'until']),
  component: lazyPage(() => import('../rule/page.tsx'), 'RulePage'),
});
const sources = createRoute({
  getParentRoute: () => inside,
  path: '/sources',
  component: lazyPage(() => import('../sources/page.tsx'), 'SourcesPage'),
});
const connect = createRoute({
  getParentRoute: () => inside,
  path: '/connect',
  validateSearch: (search): { to?: string } => texts(search, ['to']),
  component: lazyPage(() => import('../connect/page.tsx'), 'ConnectPage'),
});
const webhook = createRoute({
  getParentRoute: () => inside,
  path: '/connect/$webhookId',
  component: lazyPage(() => import('../webhooks/webhook-page.tsx'), 'WebhookPage'),
});
const timeline = createRoute({
  getParentRoute: () => inside,
  path: '/timeline',
  validateSearch: (search): { span?: string; since?: string; until?: string; at?: string } =>
    texts(search, ['span', 'since', 'until', 'at']),
  // The reader zooms and picks on the same page.
  pendingMs: 10_000,
  component: lazyPage(() => import('../timeline/page.tsx'), 'TimelinePage'),
});
const health = createRoute({
  getParentRoute: () => inside,
  path: '/health',
  component: lazyPage(() => import('../status/page.tsx'), 'HealthPage'),
});
const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyPage(() => import('../settings/page.tsx'), 'SettingsPage'),
});
/** Any other address keeps the navigation, and says that there is no such page. */
const nowhere = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

/** Addresses of earlier versions. */
const oldWebhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: (search): { webhook?: string } => texts(search, ['webhook']),
  beforeLoad: ({ search: { webhook: webhookId } }) => {
    throw webhookId === undefined
      ? redirect({ to: '/connect', search: { to: 'webhook' }, replace: true })
      : redirect({ to: '/connect/$webhookId', params: { webhookId }, replace: true });
  },
});
const oldKeys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  beforeLoad: () => {
    throw redirect({ to: '/settings', replace: true });
  },
});
const oldStatus = createRoute({
  getParentRoute: () => root,
  path: '/status',
  beforeLoad: () => {
    throw redirect({ to: '/health', replace: true });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    enter,
    authorize,
    oldWebhooks,
    oldKeys,
    oldStatus,
    inside.addChildren([
      home,
      matches,
      rules,
      newRule,
      writeRule,
      deletedRules,
      overlap,
      rule,
      sources,
      connect,
      webhook,
      timeline,
      health,
      settings,
      nowhere,
    ]),
  ]),
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingMs: 100,
  scrollRestoration: true,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  // A value in the address stays text, even if it looks like a number.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = new URLSearchParams(Object.entries(texts(search, Object.keys(search))) as [string, string][]);
    return given.size === 0 ? '' : `?${given.toString()}`;
  },
});

/** The named values that are present, as text. */
function texts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) if (typeof search[name] === 'string' && search[name] !== '') found[name] = search[name];
  return found;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
