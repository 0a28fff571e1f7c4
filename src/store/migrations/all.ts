import { initial } from './0001-initial.ts';
import { webhooks } from './0002-webhooks.ts';
import { namedCursors } from './0003-named-cursors.ts';
import { registrations } from './0004-registrations.ts';
import { upstreams } from './0005-upstreams.ts';
import { nodes } from './0006-nodes.ts';
import { unfinishedRules } from './0007-unfinished-rules.ts';
import { fairRings } from './0008-fair-rings.ts';
import { gapsAndFeeds } from './0009-feeds.ts';
import { grants } from './0010-grants.ts';
import { operationalEvents } from './0011-operational-events.ts';
import { eventSources } from './0012-event-sources.ts';
import { tombstones } from './0013-tombstones.ts';
import { changes } from './0014-changes.ts';
import { stories } from './0015-stories.ts';
import { ratings } from './0016-ratings.ts';
import { wakes } from './0017-wakes.ts';
import { alerts } from './0018-alerts.ts';
import { subscriptions } from './0019-subscriptions.ts';
import { receivers } from './0020-receivers.ts';
import { sharedFeeds } from './0021-shared-feeds.ts';
import { trash } from './0022-trash.ts';
import { rehearsals } from './0023-rehearsals.ts';
import { readings } from './0024-readings.ts';
import { fewerTrees } from './0025-fewer-trees.ts';
import { settled } from './0026-settled.ts';
import { pastTexts } from './0027-past-texts.ts';
import { eventNames } from './0028-event-names.ts';
import { derivedIds } from './0029-derived-ids.ts';
import type { Migration } from './migration.ts';

/** In order; the version of a database is how many of them it has had. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  webhooks,
  namedCursors,
  registrations,
  upstreams,
  nodes,
  unfinishedRules,
  fairRings,
  gapsAndFeeds,
  grants,
  operationalEvents,
  eventSources,
  tombstones,
  changes,
  stories,
  ratings,
  wakes,
  alerts,
  subscriptions,
  receivers,
  sharedFeeds,
  trash,
  rehearsals,
  readings,
  fewerTrees,
  settled,
  pastTexts,
  eventNames,
  derivedIds,
];
