import { Monitor, Moon, Sun } from 'lucide-react';
import { cx } from '../ui/classes.ts';
import { setTheme, THEMES, useTheme } from './theme.ts';

const LOOKS = {
  system: { icon: Monitor, label: 'Same as system' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
};

export function ThemeSwitch() {
  const theme = useTheme();
  return (
    <fieldset className="flex w-fit rounded-md border p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((name) => {
        const { icon: Icon, label } = LOOKS[name];
        return (
          <button
            key={name}
            type="button"
            aria-pressed={theme === name}
            aria-label={label}
            title={label}
            onClick={() => setTheme(name)}
            className={cx(
              'grid h-6 w-7 place-items-center rounded-sm transition-colors',
              theme === name ? 'bg-hover text-ink' : 'text-faint hover:text-ink',
            )}
          >
            <Icon aria-hidden className="size-3.5" />
          </button>
        );
      })}
    </fieldset>
  );
}
