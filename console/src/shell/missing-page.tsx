import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { findCrawlerForUrl } from '../state/crawler-for-url.js';
import { useCrawler, useCrawlers } from '../state/crawlers.js';
import { href, navigate } from '../state/route.js';

const SHORTCUT = '/';

/** Whether a key belongs to a field, the editor or an open dialog. */
const isTyping = (): boolean =>
  document.activeElement?.closest('input, textarea, select, [contenteditable="true"], dialog') != null;

/** A field, shown on every screen, for the question that users ask most: why a page is missing. */
export function MissingPageSearch(): JSX.Element | null {
  const crawler = useCrawler()?.name;
  const names = (useCrawlers().value ?? []).map(({ name }) => name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusField = (event: KeyboardEvent): void => {
      if (event.key !== SHORTCUT || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focusField);
    return () => removeEventListener('keydown', focusField);
  }, []);
  if (!crawler) return null;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get('page') ?? '').trim();
    if (text === '') return;
    navigate(href('/try', { ...(await findCrawlerForUrl(text, crawler, names)) }));
    form.reset();
  };
  return (
    <search class="missing-page">
      <form onSubmit={submit}>
        <input
          ref={field}
          aria-keyshortcuts={SHORTCUT}
          title={`Press ${SHORTCUT} to enter a URL`}
          name="page"
          type="text"
          inputMode="url"
          class="mono"
          spellcheck={false}
          aria-label="Why is my page missing?"
          placeholder="Why is my page missing? Enter its URL…"
        />
        <button type="submit" class="button">
          Find out
        </button>
      </form>
    </search>
  );
}
