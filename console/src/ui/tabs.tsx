import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { cx } from './classes.ts';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
  readonly panel: ReactNode;
}

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly value: Name;
  /** Within a card they keep its padding; on a page they begin where it does. */
  readonly isOfPage?: boolean;
  onChange(name: Name): void;
}

export function Tabs<Name extends string>({ label, tabs, value, isOfPage = false, onChange }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  // The chosen tab is scrolled to if they have no room side by side, and the page stays where it is.
  const at = tabs.findIndex(({ name }) => name === value);
  useLayoutEffect(() => {
    const box = list.current!;
    const chosen = box.children[at];
    if (chosen instanceof HTMLElement)
      box.scrollLeft = chosen.offsetLeft - box.offsetLeft - (box.clientWidth - chosen.offsetWidth) / 2;
  }, [at]);
  return (
    <Base.Root value={value} onValueChange={(name) => onChange(name as Name)}>
      <Base.List
        ref={list}
        aria-label={label}
        className={cx('fade-edges flex gap-4 overflow-x-auto border-b', !isOfPage && 'px-3')}
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.name}
            value={tab.name}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent font-medium whitespace-nowrap text-soft outline-offset-[-2px] select-none hover:text-ink data-active:border-accent data-active:text-ink"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.name} value={tab.name} className="outline-offset-[-2px]">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
