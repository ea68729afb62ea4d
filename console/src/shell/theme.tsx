import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

const STORAGE_KEY = 'crawlway-theme';
const THEMES = { system: '◐ System colors', light: '○ Light', dark: '● Dark' } as const;
type Theme = keyof typeof THEMES;

export const THEME_EVENT = 'crawlway:theme';

const getChosenTheme = (): Theme => (localStorage.getItem(STORAGE_KEY) as Theme | null) ?? 'system';

export function applyTheme(): void {
  const theme = getChosenTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event(THEME_EVENT));
}

export function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(getChosenTheme);
  const choose = (next: Theme): void => {
    localStorage.setItem(STORAGE_KEY, next);
    setTheme(next);
    applyTheme();
  };
  return (
    <select
      aria-label="Colors"
      class="theme"
      value={theme}
      onChange={(event) => choose(event.currentTarget.value as Theme)}
    >
      {Object.entries(THEMES).map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}
