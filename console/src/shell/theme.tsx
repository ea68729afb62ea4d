import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

const CHOICE = 'crawlway-theme';
const THEMES = { system: '◐ System colors', light: '○ Light', dark: '● Dark' } as const;
type Theme = keyof typeof THEMES;

export const THEME_CHANGED = 'crawlway:theme';

const chosenTheme = (): Theme => (localStorage.getItem(CHOICE) as Theme | null) ?? 'system';

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event(THEME_CHANGED));
}

export function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (next: Theme): void => {
    localStorage.setItem(CHOICE, next);
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
