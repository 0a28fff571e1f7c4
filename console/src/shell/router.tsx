/** The routes. A page's code loads on the first visit. Routes are behind the `#`, so the server need not know them. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Enter } from './enter.tsx';
import { Gate } from './gate.tsx';
import { NotFound, PageError, PagePending } from './page-states.tsx';

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
  component: lazyRouteComponent(() => import('../agents/consent-page.tsx'), 'ConsentPage'),
});

/** The pages that need a session. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Gate });

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/page.tsx'), 'OverviewPage'),
});
const rules = createRoute({
  getParentRoute: () => inside,
  path: '/rules',
  validateSearch: (search): { search?: string } => texts(search, ['search']),
  component: lazyRouteComponent(() => import('../rules/list-page.tsx'), 'RulesPage'),
});
const newRule = createRoute({
  getParentRoute: () => inside,
  path: '/rules/new',
  validateSearch: (search): { example?: string; copy?: string } => texts(search, ['example', 'copy']),
  component: lazyRouteComponent(() => import('../rules/editor-page.tsx'), 'NewRulePage'),
});
const rule = createRoute({
  getParentRoute: () => inside,
  path: '/rules/$ruleId',
  component: lazyRouteComponent(() => import('../rules/editor-page.tsx'), 'RulePage'),
});
const matches = createRoute({
  getParentRoute: () => inside,
  path: '/matches',
  validateSearch: (search): { rule?: string; platform?: string; text?: string; since?: string; until?: string } =>
    texts(search, ['rule', 'platform', 'text', 'since', 'until']),
  component: lazyRouteComponent(() => import('../matches/page.tsx'), 'MatchesPage'),
});
const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  validateSearch: (search): { webhook?: string } => texts(search, ['webhook']),
  component: lazyRouteComponent(() => import('../webhooks/page.tsx'), 'WebhooksPage'),
});
const keys = createRoute({
  getParentRoute: () => inside,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/page.tsx'), 'KeysPage'),
});
const status = createRoute({
  getParentRoute: () => inside,
  path: '/status',
  component: lazyRouteComponent(() => import('../status/page.tsx'), 'StatusPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    enter,
    authorize,
    inside.addChildren([overview, rules, newRule, rule, matches, webhooks, keys, status]),
  ]),
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingMs: 100,
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
