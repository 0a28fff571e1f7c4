import type { NoticeDelivery, Store } from '../../store/store.ts';

export type NoticeStore = Pick<Store, 'gaps' | 'rule' | 'alerts'>;

/** What there is to tell a subscriber. The cursor is written when something is. */
export type ToTell = (cursor: string) => Omit<NoticeDelivery, 'at'>;

/** One read of an account for all of its subscribers. */
export type NoticeReads = <T>(key: string, read: () => Promise<T>) => Promise<T>;
